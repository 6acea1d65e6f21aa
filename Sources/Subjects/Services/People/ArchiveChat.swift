package import ClientProtocol
package import Execution
package import JSON
package import Model
import Notifying
import Store

/// `archive` with `chat`: puts a chat of the user away, or takes it back; the next message brings it back. Only the user's own devices
/// hear of it, and the counts stay.
///
/// - Confinement: any
package struct ArchiveChat: WriteUseCase {
    let name: ChatID
    let isOn: Bool
    package let key: WriteKey?

    package init(_ name: ChatID, isOn: Bool, key: WriteKey?) {
        self.name = name
        self.isOn = isOn
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("archive")
        fingerprint.add(name.text)
        fingerprint.add(isOn ? "on" : "off")
    }

    package func perform(in context: WriteContext) throws -> Answer {
        let (id, user) = try context.user()
        let transaction = context.transaction
        let chat = try ConversationRights(transaction: transaction.reading).memberChat(name, of: id, user).chat
        // The request is fulfilled already, at the newest position.
        guard try transaction.chats.isArchived(chat, by: id) != isOn else {
            return Answer(position: transaction.head)
        }
        let position = try transaction.append(
            Event.archived(seq: transaction.nextPosition, name, isOn: isOn, key: key), to: id)
        if isOn {
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
    package var work: CommandWork {
        switch subject {
        case .chat(let chat, let isOn): .write(ArchiveChat(chat, isOn: isOn, key: key))
        case .notifications(let ids): .write(ArchiveNotifications(ids, key: key))
        }
    }
}
