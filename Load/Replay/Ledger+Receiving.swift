import ClientProtocol
import JSON
import Model
import Session

/// The recording of what devices receive.
extension Ledger {
    /// Records an event of one device.
    mutating func receive(_ event: ClientEvent, user: Int, device: Int, at now: ContinuousClock.Instant) {
        if let seq = event.position?.value {
            if seq <= accounts[user].lastSeq[device] {
                findings.add(.outOfOrder, "\(name(user, device)) got \(seq) after \(accounts[user].lastSeq[device])")
            }
            accounts[user].lastSeq[device] = max(seq, accounts[user].lastSeq[device])
        }
        switch event.name {
        case .message: receiveMessage(event.body, user: user, device: device, at: now)
        case .notification: receiveNotification(event.body, user: user, device: device)
        case .notificationRemoved:
            if let id = event.body["id"]?.stringValue { accounts[user].notifications[id]?.isRemoved = true }
        case .unread: tell(UnreadCounts(reading: event.body), user: user, device: device)
        case .messageEdited, .messageDeleted, .reaction: receiveChange(event.body, user: user, device: device)
        case .chatRenamed, .archived, .blocked, .unblocked, .room, .roomInvited, .roomUninvited, .read, .delivered,
            .followed, .unfollowed, .preferences, .document, .notificationSeen, .notificationEdited, .typing, .presence,
            .live, .reset, .expiring, .drain, .bye, .beat, .documents, .unwatched, nil:
            break
        }
    }

    /// Records counts that the server sent to a device.
    mutating func tell(_ unread: UnreadCounts?, user: Int, device: Int) {
        guard let unread else { return findings.add(.contract, "unread without its counts") }
        accounts[user].unread[device] = unread
    }

    /// Records that the server broke the contract with a device.
    mutating func receive(_ violation: ClientSessionViolation, user: Int, device: Int) {
        switch violation {
        case .notAscending(let event, let cursor):
            let isKnown =
                event.body["key"]?.stringValue.flatMap(index(ofKey:)).map {
                    writes[$0].delivered & bit(of: $0, user: user, device: device) != 0
                } ?? false
            let where_ = "\(name(user, device)): \(event.type) \(event.position?.value ?? 0) after \(cursor)"
            findings.add(isKnown ? .doubled : .outOfOrder, where_)
        case .countDiffers(let sent, let received):
            findings.add(.lost, "\(name(user, device)): the server counts \(sent) events, \(received) came")
        case .unreadable(let error):
            findings.add(.contract, "\(name(user, device)): \(error.message)")
        case .unexpectedReply(let id):
            findings.add(.contract, "\(name(user, device)): a reply to nothing, \(id.map(\.json) ?? "null")")
        }
    }

    // MARK: Messages

    private mutating func receiveMessage(_ body: JSONValue, user: Int, device: Int, at now: ContinuousClock.Instant) {
        guard let index = body["key"]?.stringValue.flatMap(index(ofKey:)), !writes[index].isRefused,
            let side = chats[writes[index].chat].users.firstIndex(of: user)
        else {
            return findings.add(.phantom, "\(name(user, device)) got \(body.text)")
        }
        guard let n = body["n"]?.integerValue, let seq = body["seq"]?.integerValue else {
            return findings.add(.contract, "a message without n or seq")
        }
        let bit = bit(of: index, user: user, device: device)
        guard writes[index].delivered & bit == 0 else {
            return findings.add(.doubled, "\(name(user, device)) got write \(index) again, as \(n)")
        }
        writes[index].delivered |= bit
        deliveries += 1
        if writes[index].acknowledged != nil { owed -= 1 }
        if side != writes[index].side { arrivals.record(now - writes[index].sentAt) }
        checkPlace(of: index, Place(n: n, seq: seq))
        checkNumber(n, chat: writes[index].chat, place: side * deviceCount + device, user, device)
        let onlineSince = accounts[user].onlineSince[device]
        if let difference = difference(of: body, from: index, hasKey: true, onlineSince: onlineSince) {
            findings.add(.altered, "\(name(user, device)), write \(index): \(difference)")
        }
    }

    /// Checks that the reply and the events of all devices name the same place.
    private mutating func checkPlace(of index: Int, _ place: Place) {
        if let known = writes[index].acknowledged ?? writes[index].seen {
            if known != place { findings.add(.altered, "write \(index) is \(known) here and \(place) there") }
            return
        }
        writes[index].seen = place
        note(index, as: place.n)
    }

    /// Checks that the numbers ascend without a gap on every device.
    private mutating func checkNumber(_ n: MessageNumber, chat: Int, place: Int, _ user: Int, _ device: Int) {
        let expected = chats[chat].next[place]
        if n != expected {
            findings.add(.outOfOrder, "\(name(user, device)) got \(chats[chat].id) \(n), expected \(expected)")
        }
        chats[chat].next[place] = n + 1
    }

    /// The difference between a message as it arrived and as it was sent; nil when there is none.
    ///
    /// - Parameter onlineSince: when the device connected that got it; nil when all changes have been acknowledged.
    func difference(
        of body: JSONValue, from index: Int, hasKey: Bool, onlineSince: ContinuousClock.Instant? = nil
    ) -> String? {
        let write = writes[index]
        let chat = chats[write.chat]
        if body["chat"]?.stringValue != chat.id.text { return "chat is \(body["chat"]?.text ?? "missing")" }
        let sender = accounts[chat.users[write.side]].user.text
        if body["from"]?.stringValue != sender { return "from is \(body["from"]?.text ?? "missing")" }
        if hasKey, body["key"]?.stringValue != "\(run)-\(index)" { return "key is \(body["key"]?.text ?? "missing")" }
        switch write.content {
        case .text(let text):
            if body["product"] != nil { return "there is a product" }
            return difference(ofText: body, from: text, write, onlineSince)
        case .recommendation(let product):
            let got = body["product"]
            if got?["id"]?.stringValue != product.id || got?["title"]?.stringValue != product.title
                || got?["year"]?.integerValue != product.year.map(Int64.init)
            {
                return "product is \(got?.text ?? "missing")"
            }
            if body["text"] != nil { return "there is a text" }
        }
        return nil
    }

    // MARK: Notifications

    private mutating func receiveNotification(_ body: JSONValue, user: Int, device: Int) {
        guard let id = body["id"]?.stringValue else { return findings.add(.contract, "a notification without id") }
        let bit: UInt64 = 1 << UInt64(device)
        if let known = accounts[user].notifications[id], known.delivered & bit != 0 {
            return findings.add(.notificationDoubled, "\(name(user, device)) got \(id) again")
        }
        accounts[user].notifications[id, default: Notification()].delivered |= bit
        guard body["kind"]?.stringValue == notificationKind else { return }
        guard let index = recommendation(body["data"]?["recommendation"]?.stringValue ?? "") else {
            return findings.add(.phantom, "\(name(user, device)) got \(body.text)")
        }
        let write = writes[index]
        guard chats[write.chat].users[1 - write.side] == user else {
            return findings.add(.phantom, "\(name(user, device)) got the notification of another")
        }
        guard write.notified & bit == 0 else {
            return findings.add(.notificationDoubled, "\(name(user, device)), write \(index)")
        }
        writes[index].notified |= bit
        if write.acknowledged != nil { owed -= 1 }
    }

    /// The write that `CHAT-N` names.
    private func recommendation(_ text: String) -> Int? {
        guard let dash = text.lastIndex(of: "-"), let n = MessageNumber(text[dash...].dropFirst()),
            let chat = ChatID(String(text[..<dash])).flatMap({ chatIndex[$0] })
        else { return nil }
        let offset = n - chats[chat].base - 1
        guard chats[chat].writes.indices.contains(Int(clamping: offset)) else { return nil }
        let index = chats[chat].writes[Int(clamping: offset)]
        return index >= 0 && writes[index].isRecommendation ? index : nil
    }

    // MARK: Names

    private func index(ofKey key: String) -> Int? {
        guard key.hasPrefix(run + "-"), let index = Int(key.dropFirst(run.count + 1)), writes.indices.contains(index)
        else { return nil }
        return index
    }

    private func bit(of index: Int, user: Int, device: Int) -> UInt64 {
        let side = chats[writes[index].chat].users.firstIndex(of: user) ?? 0
        return 1 << UInt64(side * deviceCount + device)
    }

    /// The name of a device, for people.
    func name(_ user: Int, _ device: Int) -> String {
        "\(accounts[user].user) on device \(device + 1)"
    }
}
