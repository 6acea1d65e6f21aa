package import ClientProtocol
package import Execution
package import Model
import Store

/// `room.decline`: the user does not enter a room into which somebody has invited the user. A repetition is no error.
///
/// - Confinement: any
package struct DeclineInvitation: WriteUseCase {
    let command: RoomDeclineCommand

    package init(_ command: RoomDeclineCommand) { self.command = command }

    package var key: WriteKey? { command.key }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("room.decline")
        fingerprint.add(command.chat.text)
    }

    package func perform(in context: WriteContext) throws -> RoomAnswer {
        let user = try context.user()
        let transaction = context.transaction
        guard let chat = try transaction.chats.find(command.chat),
            let found = try transaction.invitations.find(user.id, in: chat.id)
        else { throw ConversationRights.foreignChat }
        guard found.inviter != nil else { return RoomAnswer(position: transaction.head) }
        guard let invitation = try Invitations(in: context).open(user.id, in: chat.id) else {
            throw ConversationRights.foreignChat
        }
        return RoomAnswer(position: try Invitations(in: context).end(invitation, .declined, key: command.key))
    }
}

extension RoomDeclineCommand: AnsweredCommand {
    package var work: CommandWork { .write(DeclineInvitation(self)) }
}
