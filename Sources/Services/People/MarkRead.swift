package import ClientProtocol
package import JSON
import Model
import Store
import Triggers

/// `read`: everything up to a message is read; what was recommended up to there becomes seen, and what notified the
/// reader of these messages is taken from his devices.
///
/// - Confinement: any
package struct MarkRead: WriteUseCase {
    let command: ReadCommand

    package init(_ command: ReadCommand) { self.command = command }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        let (id, name) = try context.user()
        let transaction = context.transaction
        let (chat, members) = try ConversationRights(transaction: transaction).memberChat(command.chat, of: id, name)
        guard command.n <= chat.last else {
            throw Refusal.badRequest(field: "n", "must be at most \(chat.last), the chat's newest message")
        }
        guard let own = members.first(where: { $0.user == id }), command.n > own.read else {
            // It never moves back; what was asked for holds already, as of the newest position.
            reply.member("seq", transaction.head.value)
            return
        }
        let newlyRead = (own.read + 1)...command.n
        let seen = try transaction.messages.unseenRecommendations(of: chat.id, in: newlyRead, to: id)
        // Counts the messages that become read, and each message becomes read once: to count those that stay unread would
        // cost the whole chat each time that somebody reads it message by message.
        let unread =
            command.n == chat.last
            ? 0 : own.unread - (try transaction.messages.countOthers(of: chat.id, in: newlyRead, than: id))
        try transaction.chats.setRead(command.n, unread: unread, of: id, in: chat.id)
        if own.unread > 0, unread == 0 {
            try transaction.users.addUnreadChats(-1, to: id)
            context.countsChanged(of: id)
        }
        let event = Event.read(seq: transaction.nextPosition, chat: chat.name, user: name, n: command.n)
        let position = try context.append(event, in: chat.id, toMembers: members)
        try takeAwayNotifications(of: chat.name, upTo: command.n, seen: seen, from: id, in: context)
        for recommendation in seen {
            try see(recommendation, in: chat, reader: name, context: context)
        }
        reply.member("seq", position.value)
    }

    /// Whichever triggers they are of: those of the recommendations that become seen, and those of messages.
    ///
    /// Costs a step in an index for the messages and one for each such recommendation, and one for each notification
    /// that is there, since reading leaves none behind.
    private func takeAwayNotifications(
        of chat: ChatID,
        upTo n: MessageNumber,
        seen: [MessageEntry],
        from reader: StreamID,
        in context: WriteContext
    ) throws {
        let notifications = context.transaction.notifications
        for message in seen {
            guard let path = StandingDocuments.recommendationPath(chat: chat, n: message.n) else { continue }
            try context.transaction.snoozes.cancel(from: path.text, of: reader)
            for entry in try notifications.live(from: path.text) where entry.stream == reader {
                try context.remove(entry, reason: .read, isInbox: true)
            }
        }
        let prefix = "chats/\(chat.text)/messages/"
        try context.transaction.snoozes.cancel(under: prefix, upTo: n, of: reader)
        for entry in try notifications.live(under: prefix, in: reader) {
            guard let number = entry.path.flatMap({ MessageNumber($0.dropFirst(prefix.count)) }), number <= n else {
                continue
            }
            try context.remove(entry, reason: .read, isInbox: true)
        }
    }

    private func see(
        _ message: MessageEntry,
        in chat: ChatEntry,
        reader: UserID,
        context: WriteContext
    ) throws {
        // Each is a change with a place of its own: a trigger notifies a person of one change only once.
        let position = try context.transaction.appendSilently()
        try context.transaction.messages.setSeen(message.n, in: chat.id)
        let path = StandingDocuments.recommendationPath(chat: chat.name, n: message.n)
        // The document itself stands with the message; what the history needs is when it was seen.
        if let path { try context.keep(path, before: nil, at: position) }
        _ = try context.fire(
            .update,
            in: StandingDocuments.recommendationCollections,
            path: path,
            at: position
        ) {
            let from = try context.transaction.users.name(of: message.author) ?? reader
            let product = try StoredJSON.object(message.product ?? "{}", place: "messages.product")
            let document = { (seen: Bool) in
                StandingDocuments.recommendation(
                    from: from,
                    to: reader,
                    product: product,
                    note: message.text,
                    seen: seen
                )
            }
            return (document(false), document(true))
        }
    }
}

extension ReadCommand: AnsweredCommand {
    package var work: CommandWork { .write(MarkRead(self)) }
}
