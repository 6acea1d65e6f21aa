package import ClientProtocol
package import Execution
package import JSON
package import Model
import Store

/// `archive`: puts a chat of the user away, or takes it back; the next message brings it back. Only the user's own devices
/// hear of it, and the counts stay.
///
/// - Confinement: any
package struct ArchiveChat: WriteUseCase {
    let command: ArchiveCommand

    package init(_ command: ArchiveCommand) { self.command = command }

    package var key: WriteKey? { command.key }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("archive")
        fingerprint.add(command.chat.text)
        fingerprint.add(command.isOn ? "on" : "off")
    }

    package func perform(in context: WriteContext) throws -> Answer {
        let (id, name) = try context.user()
        let transaction = context.transaction
        let chat = try ConversationRights(transaction: transaction.reading).memberChat(command.chat, of: id, name).chat
        // The request is fulfilled already, at the newest position.
        guard try transaction.chats.isArchived(chat, by: id) != command.isOn else {
            return Answer(position: transaction.head)
        }
        let position = try transaction.append(
            Event.archived(seq: transaction.nextPosition, command), to: id)
        if command.isOn {
            try transaction.chats.archive(chat.id, by: id, at: position)
        } else {
            try transaction.chats.unarchive(chat.id, by: id)
        }
        return Answer(position: position)
    }

    /// The answer: `seq`.
    package struct Answer: UseCaseAnswer {
        let position: Position

        package func write(to reply: inout JSONWriter) { reply.member("seq", position.value) }
    }
}

extension ArchiveCommand: AnsweredCommand {
    package var work: CommandWork { .write(ArchiveChat(self)) }
}
