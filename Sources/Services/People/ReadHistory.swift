package import ClientProtocol
package import JSON
import Model
import Store

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
