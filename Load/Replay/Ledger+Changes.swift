import JSON
import Model

/// The recording of edits, deletions and reactions.
extension Ledger {
    /// A change of a message that was acknowledged.
    enum Alteration: Hashable {
        case edit(String)
        case delete
        case react(String)
    }

    /// One `edit`, `delete` or `react`.
    struct Change {
        /// The changed message.
        let write: Int
        let alteration: Alteration
        var isAcknowledged = false
        /// The devices of all sides that got its event; those of side 0 are the low bits.
        var delivered: UInt64 = 0
    }

    /// Records a change that is about to be sent.
    /// - Returns: its number, by which the reply is recorded, and its key.
    mutating func change(_ write: Int, _ alteration: Alteration) -> (Int, WriteKey?) {
        switch alteration {
        case .edit(let text): writes[write].edited = text
        case .delete: writes[write].isDeleting = true
        case .react: break
        }
        changes.append(Change(write: write, alteration: alteration))
        return (changes.count - 1, WriteKey("\(run)-c\(changes.count - 1)"))
    }

    /// Records an `ok`: from now on every device of all sides must get the event.
    mutating func acknowledge(change index: Int, at now: ContinuousClock.Instant) {
        guard !changes[index].isAcknowledged else {
            return findings.add(.contract, "change \(index) was answered twice")
        }
        changes[index].isAcknowledged = true
        let write = changes[index].write
        owed += everyDevice(of: writes[write].chat) - changes[index].delivered.nonzeroBitCount
        switch changes[index].alteration {
        case .edit: writes[write].isEditAcknowledged = true
        case .delete: writes[write].deletedAt = now
        case .react(let emoji): writes[write].reaction = emoji
        }
    }

    /// Records that a device has connected.
    ///
    /// - Parameter greeted: when it sent its `hello`: what was acknowledged before is in all that the server reads for it.
    mutating func online(user: Int, device: Int, since greeted: ContinuousClock.Instant?) {
        accounts[user].onlineSince[device] = greeted
    }

    /// Records the event of a change.
    mutating func receiveChange(_ body: JSONValue, user: Int, device: Int) {
        guard let index = body["key"]?.stringValue.flatMap(changeIndex(ofKey:)) else {
            return findings.add(.phantom, "\(name(user, device)) got \(body.text)")
        }
        let change = changes[index]
        let write = writes[change.write]
        let side = chats[write.chat].users.firstIndex(of: user) ?? 0
        let bit: UInt64 = 1 << UInt64(side * deviceCount + device)
        guard change.delivered & bit == 0 else {
            return findings.add(.doubled, "\(name(user, device)) got change \(index) again")
        }
        changes[index].delivered |= bit
        deliveries += 1
        if change.isAcknowledged { owed -= 1 }
        let place = write.acknowledged
        guard body["chat"]?.stringValue == chats[write.chat].id.text, body["n"]?.integerValue == place?.n else {
            return findings.add(.altered, "\(name(user, device)), change \(index): \(body.text)")
        }
        checkText(of: body, change, write, user, device)
    }

    /// An edit brings its text, or none where the message was deleted after it.
    private mutating func checkText(
        of body: JSONValue, _ change: Change, _ write: Write, _ user: Int, _ device: Int
    ) {
        let text = body["text"]?.stringValue
        switch change.alteration {
        case .edit(let edited):
            if text == edited, !isGone(write, for: accounts[user].onlineSince[device]) { return }
            if text == nil, write.isDeleting { return }
        case .delete:
            if text == nil { return }
        case .react(let emoji):
            if body["emoji"]?.stringValue == emoji, body["on"] == true { return }
        }
        findings.add(.altered, "\(name(user, device)) got \(body.text)")
    }

    /// Whether the message was deleted for certain before a device connected.
    private func isGone(_ write: Write, for onlineSince: ContinuousClock.Instant?) -> Bool {
        guard let deletedAt = write.deletedAt, let onlineSince else { return false }
        return onlineSince > deletedAt + nodeLag
    }

    /// The difference between a message's text as it arrived and as it was sent or edited; nil when there is none. A
    /// deleted text never arrives after its deletion.
    ///
    /// - Parameter onlineSince: nil when all changes have been acknowledged.
    func difference(
        ofText body: JSONValue, from text: String, _ write: Write, _ onlineSince: ContinuousClock.Instant?
    ) -> String? {
        let found = body["text"]?.stringValue
        let isFinal = onlineSince == nil
        if body["deleted"] == true {
            guard write.isDeleting, !isFinal || write.deletedAt != nil else {
                return "it is deleted, and nobody did it"
            }
            return found == nil ? nil : "it is deleted and has a text"
        }
        if isFinal ? write.deletedAt != nil : isGone(write, for: onlineSince) { return "a deleted text came" }
        let wanted = write.edited.map { isFinal && write.isEditAcknowledged ? [$0] : [$0, text] } ?? [text]
        guard let found, wanted.contains(found) else { return "text is \(body["text"]?.text ?? "missing")" }
        guard isFinal, let reaction = write.reaction else { return nil }
        let listed = body["reactions"]?.arrayValue ?? []
        let isThere = listed.contains { $0["emoji"]?.stringValue == reaction && $0["count"] == 1 }
        return isThere ? nil : "the reaction \(reaction) is missing"
    }

    /// Counts changes that were not answered, and their events that never came.
    mutating func countMissingChanges() {
        for (index, change) in changes.enumerated() {
            let (place, chat) = (writes[change.write].chat, chats[writes[change.write].chat])
            guard change.isAcknowledged else {
                findings.add(.unanswered, "change \(index) in \(chat.id)")
                continue
            }
            for bit in 0..<everyDevice(of: place) where change.delivered & (1 << UInt64(bit)) == 0 {
                findings.add(
                    .lost, "change \(index) in \(chat.id) at \(name(chat.users[bit / deviceCount], bit % deviceCount))")
            }
        }
    }

    private func changeIndex(ofKey key: String) -> Int? {
        guard key.hasPrefix(run + "-c"), let index = Int(key.dropFirst(run.count + 2)), changes.indices.contains(index)
        else { return nil }
        return index
    }
}
