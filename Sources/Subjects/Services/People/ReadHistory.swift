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
        return try Self.page(
            of: place.chat, from: place.first, for: user.id, before: command.before, after: command.after,
            limit: command.limit, in: transaction)
    }

    /// A page of a chat for one reader, whose right to it was checked.
    ///
    /// - Parameter first: the number of the first message that exists for the reader.
    static func page(
        of chat: ChatEntry, from first: MessageNumber = 1, for reader: StreamID, before: MessageNumber?,
        after: MessageNumber?, limit: Int, in transaction: Transaction
    ) throws -> Answer {
        let messages: [MessageEntry]
        if let after {
            messages = try transaction.messages.page(of: chat.id, after: max(after, first - 1), limit: limit + 1)
        } else {
            messages = try transaction.messages.page(
                of: chat.id, before: before ?? .max, from: first, limit: limit + 1)
        }
        let page = Page(messages, limit: limit) { String($0.n) }
        var reading = MessageReading(of: chat, for: reader, in: transaction)
        var listed = try reading.listed(page.entries)
        if after == nil { listed.reverse() }
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
