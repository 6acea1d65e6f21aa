package import ClientProtocol
package import JSON
import Model
import Store

/// `chats`: the caller's chats, newest first, each with its last message and what is unread.
///
/// - Confinement: any
package struct ListChats: ReadUseCase {
    let command: Command.Chats

    package init(_ command: Command.Chats) { self.command = command }

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        let user = try context.user()
        let preferences = DeliveryPreferences.stored(user.preferences)
        let before = try Cursor.number(command.before, field: "before") ?? Position.bound
        let lines = try context.transaction.chats.list(
            of: user.id,
            before: Position(before),
            limit: command.limit + 1
        )
        reply.name("chats")
        reply.beginArray()
        for line in lines.prefix(command.limit) {
            let isMuted = preferences?.isMuted(line.chat.name, at: context.now) ?? false
            try write(line, for: user, isMuted: isMuted, in: context, to: &reply)
        }
        reply.endArray()
        if lines.count > command.limit {
            reply.member("next", String(lines[command.limit - 1].chat.lastPosition.value))
        }
    }

    private func write(
        _ line: ChatLine,
        for user: UserEntry,
        isMuted: Bool,
        in context: ReadContext,
        to reply: inout JSONWriter
    ) throws {
        let transaction = context.transaction
        reply.beginObject()
        reply.member("chat", line.chat.name.text)
        if let other = line.chat.name.other(than: user.name) { reply.member("with", other.text) }
        if let last = try transaction.messages.find(line.chat.last, in: line.chat.id) {
            reply.name("last")
            var writer = MessageWriter(transaction: transaction, chat: line.chat.name)
            try writer.write(last, to: &reply)
        }
        reply.member("unread", line.own.unread)
        reply.member("read", line.own.read)
        let others = try transaction.chats.members(of: line.chat.id).filter { $0.user != user.id }
        reply.member("peerRead", others.map(\.read).max() ?? 0)
        reply.member("muted", isMuted)
        reply.endObject()
    }
}

/// `history`: a page of a chat, in the order of numbers: the newest, those before, or those after a message.
///
/// - Confinement: any
package struct ReadHistory: ReadUseCase {
    let command: Command.History

    package init(_ command: Command.History) { self.command = command }

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        let user = try context.user()
        let transaction = context.transaction
        let chat = try ConversationRights(transaction: transaction).memberChat(command.chat, of: user.id, user.name)
            .chat
        var messages: [MessageEntry]
        if let after = command.after {
            messages = try transaction.messages.page(of: chat.id, after: after, limit: command.limit + 1)
        } else {
            messages = try transaction.messages.page(
                of: chat.id,
                before: command.before ?? .max,
                limit: command.limit + 1
            )
        }
        let hasMore = messages.count > command.limit
        messages = Array(messages.prefix(command.limit))
        let next = messages.last?.n
        if command.after == nil { messages.reverse() }
        reply.name("messages")
        reply.beginArray()
        var writer = MessageWriter(transaction: transaction, chat: chat.name)
        for message in messages { try writer.write(message, to: &reply) }
        reply.endArray()
        if hasMore, let next { reply.member("next", String(next)) }
    }
}

/// A stored message in the form of a list's entry.
///
/// - Confinement: store
struct MessageWriter {
    let transaction: Transaction
    let chat: ChatID
    private var names: [StreamID: UserID] = [:]

    init(transaction: Transaction, chat: ChatID) {
        self.transaction = transaction
        self.chat = chat
    }

    mutating func write(_ message: MessageEntry, to writer: inout JSONWriter) throws {
        guard let author = try names[message.author] ?? transaction.users.name(of: message.author) else {
            throw StoredValueProblem(place: "messages.author")
        }
        names[message.author] = author
        writer.beginObject()
        writer.member("seq", message.position.value)
        ChatMessage(
            chat: chat,
            n: message.n,
            from: author,
            at: message.at,
            key: message.key,
            text: message.text,
            product: try message.product.flatMap { try StoredJSON.product($0) },
            replyTo: message.replyTo
        ).write(to: &writer)
        if let seen = message.seen { writer.member("seen", seen) }
        writer.endObject()
    }
}
