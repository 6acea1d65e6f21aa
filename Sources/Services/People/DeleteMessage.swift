package import ClientProtocol
package import Execution
package import JSON
package import Model
import Notifying
import Store
import Triggering
import Triggers

/// `delete`: a message is taken from everybody. Its number stays; from now on nobody gets its text, neither from the
/// log nor by a push, a webhook or a notification that waits.
///
/// - Confinement: any
package struct DeleteMessage: WriteUseCase {
    let command: DeleteCommand

    package init(_ command: DeleteCommand) { self.command = command }

    package var key: WriteKey? { command.key }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("delete")
        fingerprint.add(command.chat.text)
        fingerprint.add(command.n)
    }

    package func perform(in context: WriteContext) throws -> Answer {
        let change = try MessageChange(of: command.n, in: command.chat, context)
        let (message, transaction) = (change.message, context.transaction)
        guard change.rights.mayDelete(message, in: change.place) else {
            let who = change.chat.isRoom ? "its author or a moderator" : "its author"
            throw Refusal(.forbidden, "only \(who) deletes a message", field: "n")
        }
        // The request is fulfilled already, at the newest position.
        guard message.deletedAt == nil else { return Answer(position: transaction.head) }
        let position = try change.append(
            Event.messageDeleted(
                seq: transaction.nextPosition, chat: change.chat.name, n: message.n, user: change.user.name,
                rev: message.revision + 1, at: context.now, key: command.key))
        try transaction.messages.delete(message, in: change.chat.id, at: context.now, position: position)
        try uncount(change)
        // Before the triggers: a row that notifies of deletions writes under the same path.
        try withdraw(change)
        try fire(change, at: position)
        return Answer(position: position)
    }

    /// The answer: `seq`.
    package struct Answer: UseCaseAnswer {
        let position: Position

        package func write(to reply: inout JSONWriter) { reply.member("seq", position.value) }
    }

    /// The message counts no more for those who have not read it, and leaves their screens.
    private func uncount(_ change: MessageChange) throws {
        guard !change.chat.isRoom else { return try uncountInRoom(change) }
        let (transaction, n) = (change.context.transaction, change.message.n)
        for member in change.place.members where member.user != change.message.author && member.read < n {
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
    private func uncountInRoom(_ change: MessageChange) throws {
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
    private func fire(_ change: MessageChange, at position: Position) throws {
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
    private func withdraw(_ change: MessageChange) throws {
        let transaction = change.context.transaction
        for path in change.paths.map(\.text) {
            try transaction.snoozes.cancel(from: path)
            for entry in try transaction.notifications.live(from: path) {
                try NotificationRemoval(in: change.context).remove(entry, reason: .retracted)
            }
            try transaction.notifications.blank(from: path, texts: StoredTexts.none.json)
            try transaction.webhooks.redact(path: path, members: Self.words)
        }
    }
}

extension DeleteCommand: AnsweredCommand {
    package var work: CommandWork { .write(DeleteMessage(self)) }
}
