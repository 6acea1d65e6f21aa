package import ClientProtocol
package import JSON
package import Model
import Store

/// `send`: a text into a chat one is a member of, or to a person one may write to.
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

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        let (chat, members) =
            switch command.recipient {
            case .user(let other): try context.openChat(with: other)
            case .chat(let name):
                try ConversationRights(transaction: context.transaction)
                    .memberChat(name, of: context.user().id, context.user().name)
            }
        let posted = try PostMessage(
            chat: chat,
            members: members,
            text: command.text,
            product: nil,
            replyTo: command.replyTo,
            key: command.key
        ).perform(in: context)
        reply.member("chat", chat.name.text)
        reply.member("n", posted.n)
        reply.member("seq", posted.position.value)
        reply.member("at", context.now.text)
    }
}

extension SendCommand: AnsweredCommand {
    package var work: CommandWork { .write(SendMessage(self)) }
}
