import ClientProtocol
import Execution
import JSON
import Model
import Notifying
import Store
import TriggerExecution
import Triggers
import Webhooks

/// Takes a message from everybody, for its author or for the moderators.
///
/// - Confinement: store (the writer's thread)
package struct MessageDeletion {
    private let change: MessageChange

    /// - Parameter change: of a message that is not deleted yet.
    package init(_ change: MessageChange) { self.change = change }

    /// - Parameter user: who deletes it; nil for the moderators.
    func perform(by user: UserID?, key: WriteKey?) throws -> Position {
        let position = try take(because: user == nil ? "moderated" : nil, by: user, key: key)
        try fire(at: position)
        return position
    }

    /// Takes it because its author is erased: no trigger hears of it.
    package func erase() throws { _ = try take(because: "erased", by: nil, key: nil) }

    /// Takes it because it was kept long enough: no trigger hears of it.
    func expire() throws { _ = try take(because: "expired", by: nil, key: nil) }

    private func take(because reason: String?, by user: UserID?, key: WriteKey?) throws -> Position {
        let (message, transaction) = (change.message, change.context.transaction)
        let position = try change.append(
            Event.messageDeleted(
                seq: transaction.nextPosition, chat: change.chat.name, n: message.n, user: user, reason: reason,
                rev: message.revision + 1, at: change.context.now, key: key))
        try transaction.messages.delete(message, in: change.chat.id, at: change.context.now, position: position)
        try uncount()
        // Before the triggers: a row that notifies of deletions writes under the same path.
        try withdraw()
        return position
    }

    /// The message counts no more for those who have not read it, and leaves their screens.
    private func uncount() throws {
        guard !change.chat.isRoom else { return try uncountInRoom() }
        let (transaction, n) = (change.context.transaction, change.message.n)
        for member in change.members where member.user != change.message.author && member.read < n {
            try PushQueue(in: change.context).takeBack(messages: n...n, of: change.chat, from: member.user)
            guard member.unread > 0 else { continue }
            try transaction.chats.takeUnread(from: member.user, in: change.chat.id)
            guard member.unread == 1 else { continue }
            try transaction.users.addUnreadChats(-1, to: member.user)
            change.context.countsChanged(of: member.user)
        }
    }

    /// In a room the numbers of deleted messages are left out of the arithmetic. The room is unread for nobody who has read
    /// the newest message that is left, nor for its author.
    private func uncountInRoom() throws {
        let (transaction, message, chat) = (change.context.transaction, change.message, change.chat)
        try transaction.rooms.noteDeletion(of: message.n, in: chat.id)
        if let author = try transaction.chats.member(message.author, of: chat.id), message.n > author.read {
            // It is no longer one of the author's own that count.
            try transaction.chats.addUnread(to: message.author, in: chat.id)
        }
        let newest = try transaction.messages.newest(of: chat.id)
        var read: [StreamID] = []
        if newest?.n ?? 0 < message.n {
            read = try transaction.rooms.members(
                of: chat.id, readUpTo: (newest?.n ?? 0)..<message.n, besides: message.author)
        }
        if let writer = newest?.author, writer != message.author, !read.contains(writer),
            let member = try transaction.chats.member(writer, of: chat.id), member.read < message.n,
            try transaction.rooms.unread(of: member, in: chat) == 0
        {
            read.append(writer)
        }
        let room = StreamID(chat: chat.id)
        if !read.isEmpty { transaction.note(.roomRead(users: read, room: room, asOf: transaction.head)) }
        for user in try transaction.rooms.membersWithDevices(of: chat.id) where user != message.author {
            guard let member = try transaction.chats.member(user, of: chat.id), member.read < message.n else {
                continue
            }
            try PushQueue(in: change.context).takeBack(messages: message.n...message.n, of: chat, from: user)
        }
    }

    /// The rows see the deleted message without its words: a notification must not say what is gone.
    private func fire(at position: Position) throws {
        var firing = TriggerFiring(in: change.context)
        for path in change.paths {
            _ = try firing.fire(.delete, path: path, at: position) {
                var before = try change.document(at: path, text: nil)
                for name in Self.words { before[name] = .none }
                return (before, nil)
            }
        }
    }

    /// The members of the two documents that go with the message.
    private static let words = ["text", "note", "product", "replyTo"]

    /// Takes away the notifications that the message has caused, by whichever rows, and the words from those that were
    /// taken away before, and from its webhooks.
    package func withdraw() throws {
        let transaction = change.context.transaction
        for path in change.paths.map(\.text) {
            try transaction.snoozes.cancel(from: path)
            for entry in try transaction.notifications.live(from: path) {
                try NotificationRemoval(in: change.context).remove(entry, reason: .retracted)
            }
            try transaction.notifications.blank(from: path, texts: StoredTexts.none.json)
            try transaction.notifications.blankDigests(listing: path)
            try transaction.webhooks.redact(path: path, members: Self.words)
        }
    }
}
