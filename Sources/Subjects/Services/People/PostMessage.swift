import ClientProtocol
import Execution
package import JSON
import Model
import Notifying
import Store
import TriggerExecution
import Triggers

/// The shared part of `send` and `recommend`: the next message of a chat, its event, and the unread counts.
///
/// - Confinement: store
package struct PostMessage {
    let place: MemberChat
    let text: String?
    let product: Product?
    let replyTo: MessageNumber?
    let key: WriteKey

    /// The place of the message: the answer to the command.
    package struct Posted: UseCaseAnswer {
        let chat: ChatID
        let n: MessageNumber
        let position: Position
        let at: Timestamp

        package func write(to reply: inout JSONWriter) {
            reply.member("chat", chat)
            reply.member("n", n)
            reply.member("seq", position.value)
            reply.member("at", at)
        }
    }

    func perform(in context: WriteContext, _ firing: inout TriggerFiring) throws -> Posted {
        let author = try context.user()
        let transaction = context.transaction
        if let replyTo, replyTo > chat.last || replyTo < place.first {
            throw Refusal.badRequest(field: "replyTo", "is not a message of this chat, which has \(chat.last)")
        }
        let n = chat.last + 1
        let position = transaction.nextPosition
        let event = Event.message(
            seq: position,
            ChatMessage(
                chat: chat.name,
                n: n,
                from: author.name,
                at: context.now,
                key: key,
                text: text,
                product: product,
                replyTo: replyTo
            )
        )
        try Chats(in: context).appendMessage(event, n: n, in: place)
        try transaction.messages.insert(
            MessageEntry(
                n: n,
                position: position,
                author: author.id,
                at: context.now,
                text: text,
                product: product.map { JSONValue.object($0.json).text },
                replyTo: replyTo,
                key: key,
                seen: product == nil ? nil : false
            ),
            in: chat.id
        )
        try transaction.chats.setLast(n, at: position, in: chat.id)
        try count(in: context)
        try fire(n, at: position, author: author.name, in: context, &firing)
        return Posted(chat: chat.name, n: n, position: position, at: context.now)
    }

    private var chat: ChatEntry { place.chat }

    /// The message is unread by the other member of a pair. For the many of a room that is arithmetic, from which it is
    /// enough to leave out the author's own.
    private func count(in context: WriteContext) throws {
        let (transaction, author) = (context.transaction, place.own.user)
        for member in place.members where member.user != author {
            try transaction.chats.addUnread(to: member.user, in: chat.id)
            if member.unread == 0 {
                try transaction.users.addUnreadChats(1, to: member.user)
                context.countsChanged(of: member.user)
            }
        }
        guard let standing = place.standing else { return }
        try transaction.chats.takeUnread(from: author, in: chat.id)
        if !standing.member.isWilling { try transaction.rooms.setWilling(author, in: chat.id) }
        if standing.settings.pace > 0 { try transaction.rooms.setSent(at: context.now, by: author, in: chat.id) }
    }

    /// Queues the push of the message, when all triggers have run on it.
    func queuePush(_ posted: Posted, in context: WriteContext) throws {
        try PushQueue(in: context).add(
            message: posted.n, at: posted.position, in: chat, members: place.members, by: place.own.user)
    }

    /// The message is also the document `chats/CHAT/messages/N`.
    private func fire(
        _ n: MessageNumber, at position: Position, author: UserID, in context: WriteContext,
        _ firing: inout TriggerFiring
    ) throws {
        _ = try firing.fire(
            .create,
            in: StandingDocuments.messageCollections,
            path: StandingDocuments.messagePath(chat: chat.name, n: n),
            at: position
        ) {
            (
                nil,
                StandingDocuments.message(
                    chat: chat.name,
                    n: n,
                    from: author,
                    at: context.now,
                    text: text,
                    product: product?.json,
                    replyTo: replyTo
                )
            )
        }
    }
}
