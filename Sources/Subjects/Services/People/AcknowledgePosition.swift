package import ClientProtocol
package import Execution
package import Model
import Store

/// `ack`: the newest position that a device of the user has handled; the senders of messages up to there get an event.
///
/// - Confinement: any
package struct AcknowledgePosition: WriteUseCase {
    private let position: Position
    package var handledPosition: Position? { position }

    package init(_ position: Position) { self.position = position }

    package func perform(in context: WriteContext) throws -> AnswerFact {
        let (id, name) = try context.user()
        let transaction = context.transaction
        guard let user = try transaction.users.find(id), position > user.acknowledged else { return .none }
        let upTo = min(position, transaction.head)
        for delivered in try transaction.chats.newlyDelivered(to: id, after: user.acknowledged, upTo: upTo) {
            let chat = delivered.chat
            try transaction.chats.setDelivered(delivered.upTo, of: id, in: chat.id)
            guard let n = delivered.newestOfOthers else { continue }
            let event = Event.delivered(seq: transaction.nextPosition, chat: chat.name, user: name, n: n)
            let place = try ConversationRights(transaction: transaction.reading).memberChat(chat.name, of: id, name)
            _ = try Chats(in: context).append(event, in: place)
        }
        try transaction.users.setAcknowledged(upTo, of: id)
        return .none
    }
}

extension AckCommand: AnsweredCommand {
    package var work: CommandWork { .write(AcknowledgePosition(seq)) }
}
