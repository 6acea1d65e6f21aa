import JSON
import Model

/// The check at the end: missing deliveries, and answers of the server that differ from the ledger.
extension Ledger {
    /// Counts expected deliveries that never came.
    mutating func countMissing() {
        countMissingChanges()
        for (index, write) in writes.enumerated() where !write.isRefused {
            guard let place = write.acknowledged else {
                findings.add(.unanswered, "write \(index) in \(chats[write.chat].id)")
                continue
            }
            for bit in 0..<everyDevice(of: write.chat) where write.delivered & (1 << UInt64(bit)) == 0 {
                let user = chats[write.chat].users[bit / deviceCount]
                findings.add(.lost, "\(chats[write.chat].id) \(place.n) at \(name(user, bit % deviceCount))")
            }
            guard write.isRecommendation else { continue }
            for device in 0..<deviceCount where write.notified & (1 << UInt64(device)) == 0 {
                let user = chats[write.chat].users[1 - write.side]
                findings.add(.notificationLost, "of \(chats[write.chat].id) \(place.n) at \(name(user, device))")
            }
        }
        let all: UInt64 = (1 << UInt64(deviceCount)) - 1
        for user in accounts.indices {
            for (id, notification) in accounts[user].notifications
            where notification.delivered != all && !notification.isRemoved {
                findings.add(.notificationLost, "\(id) at some device of \(accounts[user].user)")
            }
        }
    }

    /// The devices whose last counts are wrong.
    func wrongUnread() -> [String] {
        accounts.indices.flatMap { user in
            let expected = expectedUnread(of: user)
            return accounts[user].unread.indices.compactMap { device -> String? in
                guard let told = accounts[user].unread[device], told != expected else { return nil }
                return "\(name(user, device)) was told \(told.chats) chats and \(told.notifications) notifications, "
                    + "expected \(expected.chats) and \(expected.notifications)"
            }
        }
    }

    /// Compares an entry of the command `chats`.
    mutating func check(chatEntry entry: JSONValue, user: Int) {
        guard let chat = entry["chat"]?.stringValue.flatMap(ChatID.init).flatMap({ chatIndex[$0] }),
            let side = chats[chat].users.firstIndex(of: user)
        else { return }
        let expected = expectedUnread(chat: chat, side: side)
        if entry["unread"]?.integerValue != expected {
            let got = entry["unread"]?.text ?? "missing"
            findings.add(
                .wrongUnread,
                "\(accounts[user].user) in \(chats[chat].id): 'chats' says \(got), expected \(expected)"
            )
        }
        let last = chats[chat].base + Int64(chats[chat].writes.count)
        if entry["last"]?["n"]?.integerValue ?? 0 != last {
            findings.add(.wrongHistory, "\(chats[chat].id) ends with \(entry["last"]?.text ?? "nothing"), not \(last)")
        }
    }

    /// Compares the `unread` of the command `notifications`.
    mutating func check(unseen: Int64?, user: Int) {
        let expected = expectedUnread(of: user).notifications
        guard unseen != expected else { return }
        let got = unseen.map(String.init) ?? "nothing"
        findings.add(.wrongUnread, "\(accounts[user].user): 'notifications' says \(got) unread, expected \(expected)")
    }

    /// Compares the whole list of a user's notifications with those that were delivered.
    mutating func check(notificationIDs ids: [String], user: Int) {
        if Set(ids).count != ids.count {
            findings.add(.notificationDoubled, "the list of \(accounts[user].user) names one twice")
        }
        let missing = accounts[user].notifications.filter { !$0.value.isRemoved }.keys.filter { !ids.contains($0) }
        for id in missing {
            findings.add(.notificationLost, "\(id) is not in the list of \(accounts[user].user)")
        }
    }

    /// Compares a chat's history from the first message of this run on.
    mutating func check(history messages: [JSONValue], chat: Int) {
        let expected = chats[chat].writes
        if messages.count != expected.count {
            let count = "\(messages.count) messages instead of \(expected.count)"
            findings.add(.wrongHistory, "\(chats[chat].id) has \(count)")
        }
        for (offset, message) in messages.enumerated() where offset < expected.count {
            let n = chats[chat].base + 1 + Int64(offset)
            if message["n"]?.integerValue != n {
                findings.add(.wrongHistory, "\(chats[chat].id): \(message["n"]?.text ?? "nothing") in place of \(n)")
            }
            let index = expected[offset]
            guard index >= 0 else {
                findings.add(.wrongHistory, "\(chats[chat].id) \(n) was never sent")
                continue
            }
            if let difference = difference(of: message, from: index, hasKey: false) {
                findings.add(.wrongHistory, "\(chats[chat].id) \(n): \(difference)")
            }
        }
    }
}
