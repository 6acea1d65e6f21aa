package import ClientProtocol
package import Execution
package import JSON
import Model
import Store

/// `history`: a page of a chat, in the order of numbers: the newest messages, or those before or after a message.
///
/// - Confinement: any
package struct ReadHistory: ReadUseCase {
    let command: HistoryCommand

    package init(_ command: HistoryCommand) { self.command = command }

    package func perform(in context: ReadContext) throws -> Answer {
        let user = try context.user()
        let transaction = context.transaction
        let place = try ConversationRights(transaction: transaction).memberChat(command.chat, of: user.id, user.name)
        let (chat, first) = (place.chat, place.first)
        let messages: [MessageEntry]
        if let after = command.after {
            messages = try transaction.messages.page(
                of: chat.id, after: max(after, first - 1), limit: command.limit + 1)
        } else {
            messages = try transaction.messages.page(
                of: chat.id,
                before: command.before ?? .max,
                from: first,
                limit: command.limit + 1
            )
        }
        let page = Page(messages, limit: command.limit) { String($0.n) }
        var reading = MessageReading(of: chat, for: user.id, in: transaction)
        var listed = try reading.listed(page.entries)
        if command.after == nil { listed.reverse() }
        return Answer(messages: listed, next: page.next)
    }

    /// The answer: `messages` and `next`.
    package struct Answer: UseCaseAnswer {
        let messages: [ListedMessage]
        let next: String?

        package func write(to reply: inout JSONWriter) {
            reply.array("messages") { reply in
                for entry in messages { entry.write(to: &reply) }
            }
            if let next { reply.member("next", next) }
        }
    }
}

extension HistoryCommand: AnsweredCommand {
    package var work: CommandWork { .read(ReadHistory(self)) }
}
