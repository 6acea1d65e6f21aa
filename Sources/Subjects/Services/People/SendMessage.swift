package import ClientProtocol
package import Execution
package import Model
import Store
import TriggerExecution

/// `send`: sends a text into a chat of the user, or to a person to whom the user may write.
///
/// - Confinement: any
package struct SendMessage: WriteUseCase {
    let command: SendCommand

    package init(_ command: SendCommand) { self.command = command }

    package var key: WriteKey? { command.key }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("send")
        switch command.recipient {
        case .chat(let chat): fingerprint.add(chat.text)
        case .user(let user): fingerprint.add(user.text)
        }
        fingerprint.add(command.text)
        fingerprint.add(command.replyTo)
    }

    package func perform(in context: WriteContext) throws -> PostMessage.Posted {
        try context.reachOthers(.send)
        var firing = TriggerFiring(in: context)
        let place =
            switch command.recipient {
            case .user(let other): try Chats(in: context).open(with: other, &firing.notifier)
            case .chat(let name): try memberChat(name, in: context)
            }
        try ConversationRights(transaction: context.transaction.reading).checkMaySend(in: place, at: context.now)
        let message = PostMessage(
            place: place,
            text: command.text,
            product: nil,
            replyTo: command.replyTo,
            key: command.key
        )
        let posted = try message.perform(in: context, &firing)
        try message.queuePush(posted, in: context)
        return posted
    }

    private func memberChat(_ name: ChatID, in context: WriteContext) throws -> MemberChat {
        let rights = ConversationRights(transaction: context.transaction.reading)
        let user = try context.user()
        let found = try rights.memberChat(name, of: user.id, user.name)
        try rights.checkBlock(in: found, field: "chat")
        return found
    }
}

extension SendCommand: AnsweredCommand {
    package var work: CommandWork { .write(SendMessage(self)) }
}
