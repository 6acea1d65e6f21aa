package import ClientProtocol
package import Execution
package import Model
import Store

/// `room.join`: the user enters an open room.
///
/// - Confinement: any
package struct JoinRoom: WriteUseCase {
    let command: RoomJoinCommand

    package init(_ command: RoomJoinCommand) { self.command = command }

    package var key: WriteKey? { command.key }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("room.join")
        fingerprint.add(command.chat.text)
    }

    package func perform(in context: WriteContext) throws -> RoomAnswer {
        let user = try context.user()
        let rooms = context.transaction.rooms
        guard let chat = try context.transaction.chats.find(command.chat), let room = try rooms.find(chat.id) else {
            throw ConversationRights.foreignChat
        }
        let work = RoomWork(chat, by: user, context)
        if try rooms.member(user.id, of: chat.id) != nil { return work.unchanged }
        guard room.settings.isOpen, room.members > 0 else { throw ConversationRights.foreignChat }
        guard try !rooms.isBanned(user.id, from: chat.id, at: context.now) else {
            throw RoomWork.forbidden("you are kept out of this room")
        }
        return RoomAnswer(position: try work.add([user], isWilling: true, key: command.key))
    }
}

extension RoomJoinCommand: AnsweredCommand {
    package var work: CommandWork { .write(JoinRoom(self)) }
}
