package import ClientProtocol
package import Execution
package import Model
import Store

/// `room.accept`: the user enters a room into which somebody has invited the user.
///
/// - Confinement: any
package struct AcceptInvitation: WriteUseCase {
    let command: RoomAcceptCommand

    package init(_ command: RoomAcceptCommand) { self.command = command }

    package var key: WriteKey? { command.key }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("room.accept")
        fingerprint.add(command.chat.text)
    }

    package func perform(in context: WriteContext) throws -> RoomAnswer {
        let user = try context.user()
        let transaction = context.transaction
        guard let chat = try transaction.chats.find(command.chat), let room = try transaction.rooms.find(chat.id) else {
            throw ConversationRights.foreignChat
        }
        let work = RoomWork(chat, by: user, context)
        if try transaction.rooms.member(user.id, of: chat.id) != nil { return work.unchanged }
        guard room.members > 0, try Invitations(in: context).open(user.id, in: chat.id) != nil,
            try !transaction.rooms.isBanned(user.id, from: chat.id, at: context.now)
        else { throw ConversationRights.foreignChat }
        return RoomAnswer(position: try work.add([user], isWilling: true, key: command.key))
    }
}

extension RoomAcceptCommand: AnsweredCommand {
    package var work: CommandWork { .write(AcceptInvitation(self)) }
}
