package import ClientProtocol
package import Model
import Store

/// `send`: a text into a chat one is a member of, or to a person one may write to.
///
/// - Confinement: any
package struct SendMessage: WriteUseCase {
    let command: Command.Send

    package init(_ command: Command.Send) { self.command = command }

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
        let (chat, members) =
            switch command.recipient {
            case .user(let other): try context.openChat(with: other)
            case .chat(let name):
                try ConversationRights(transaction: context.transaction)
                    .memberChat(name, of: context.user().id, context.user().name)
            }
        return try PostMessage(
            chat: chat,
            members: members,
            text: command.text,
            product: nil,
            replyTo: command.replyTo,
            key: command.key
        ).perform(in: context)
    }
}
