package import ClientProtocol
package import Execution
package import JSON
package import Model
import Notifying
import Store
import TriggerExecution
import Triggers

/// `read`: everything up to a message is read. The recommendations up to there become seen, and the notifications of
/// these messages are taken from the reader's devices.
///
/// - Confinement: any
package struct MarkRead: WriteUseCase {
    let command: ReadCommand

    package init(_ command: ReadCommand) { self.command = command }

    package var key: WriteKey? { command.key }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("read")
        fingerprint.add(command.chat.text)
        fingerprint.add(command.n)
    }

    package func perform(in context: WriteContext) throws -> Answer {
        let (id, name) = try context.user()
        let transaction = context.transaction
        let place = try ConversationRights(transaction: transaction.reading).memberChat(command.chat, of: id, name)
        let (chat, own) = (place.chat, place.own)
        guard command.n <= chat.last else {
            throw Refusal.badRequest(field: "n", "must be at most \(chat.last), the chat's newest message")
        }
        guard command.n > own.read else {
            // It never moves back. The request is fulfilled already, at the newest position.
            return Answer(position: transaction.head)
        }
        let newlyRead = (own.read + 1)...command.n
        let event = Event.read(
            seq: transaction.nextPosition, chat: chat.name, user: name, n: command.n, key: command.key)
        if let standing = place.standing {
            return try read(newlyRead, in: place, standing, event, context)
        }
        let seen = try transaction.messages.unseenRecommendations(of: chat.id, in: newlyRead, to: id)
        // Counts the messages that become read, because each becomes read once. Counting the messages that stay unread
        // would read the whole chat again for each message that is read.
        let unread =
            command.n == chat.last
            ? 0 : own.unread - (try transaction.messages.countOthers(of: chat.id, in: newlyRead, than: id))
        try transaction.chats.setRead(command.n, unread: unread, of: id, in: chat.id)
        if own.unread > 0, unread == 0 {
            try transaction.users.addUnreadChats(-1, to: id)
            context.countsChanged(of: id)
        }
        try PushQueue(in: context).takeBack(messages: newlyRead, of: chat, from: id)
        let position = try Chats(in: context).append(event, in: place)
        try takeAwayNotifications(of: chat.name, upTo: command.n, seen: seen, from: id, in: context)
        var firing = TriggerFiring(in: context)
        for recommendation in seen {
            try see(recommendation, in: chat, reader: name, context: context, &firing)
        }
        return Answer(position: position)
    }

    /// In a room the messages that become read are counted by arithmetic; in a large one only the reader's devices hear of
    /// it.
    private func read(
        _ newlyRead: ClosedRange<MessageNumber>, in place: MemberChat, _ standing: RoomStanding, _ event: EncodedEvent,
        _ context: WriteContext
    ) throws -> Answer {
        let (chat, own, transaction) = (place.chat, place.own, context.transaction)
        let wasUnread = try transaction.rooms.unread(of: own, in: chat) > 0
        let left =
            command.n == chat.last
            ? 0 : own.unread + (try transaction.messages.countOwn(of: chat.id, in: newlyRead, by: own.user))
        try transaction.chats.setRead(command.n, unread: left, of: own.user, in: chat.id)
        try PushQueue(in: context).takeBack(messages: newlyRead, of: chat, from: own.user)
        let position =
            standing.isLarge
            ? try transaction.append(event, to: own.user) : try Chats(in: context).append(event, in: place)
        if wasUnread, let now = try transaction.chats.member(own.user, of: chat.id),
            try transaction.rooms.unread(of: now, in: chat) == 0
        {
            transaction.note(.roomRead(users: [own.user], room: StreamID(chat: chat.id), asOf: position))
        }
        try takeAwayNotifications(of: chat.name, upTo: command.n, seen: [], from: own.user, in: context)
        return Answer(position: position)
    }

    /// The answer: `seq`.
    package struct Answer: UseCaseAnswer {
        let position: Position

        package func write(to reply: inout JSONWriter) { reply.member("seq", position.value) }
    }

    /// Takes away notifications of the recommendations that become seen, and of the messages, from whatever triggers.
    ///
    /// It costs one step in an index for the messages, one for each such recommendation, and one for each notification
    /// that is there; reading leaves none.
    private func takeAwayNotifications(
        of chat: ChatID,
        upTo n: MessageNumber,
        seen: [MessageEntry],
        from reader: StreamID,
        in context: WriteContext
    ) throws {
        let notifications = context.transaction.notifications
        let removal = NotificationRemoval(in: context)
        for message in seen {
            guard let path = StandingDocuments.recommendationPath(chat: chat, n: message.n) else { continue }
            try context.transaction.snoozes.cancel(from: path.text, of: reader)
            for entry in try notifications.live(from: path.text) where entry.stream == reader {
                try removal.remove(entry, reason: .read, isInbox: true)
            }
        }
        let prefix = "chats/\(chat.text)/messages/"
        try context.transaction.snoozes.cancel(under: prefix, upTo: n, of: reader)
        for entry in try notifications.live(under: prefix, in: reader) {
            guard let number = entry.path.flatMap({ MessageNumber($0.dropFirst(prefix.count)) }), number <= n else {
                continue
            }
            try removal.remove(entry, reason: .read, isInbox: true)
        }
    }

    private func see(
        _ message: MessageEntry,
        in chat: ChatEntry,
        reader: UserID,
        context: WriteContext,
        _ firing: inout TriggerFiring
    ) throws {
        // Each is a change with a position of its own, because a trigger notifies a person of one change only once.
        let position = try context.transaction.appendSilently()
        try context.transaction.messages.setSeen(message.n, in: chat.id)
        let path = StandingDocuments.recommendationPath(chat: chat.name, n: message.n)
        // The document stands with the message. The history needs the time when it was seen.
        if let path { try firing.keep(path, before: nil, at: position) }
        _ = try firing.fire(
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
