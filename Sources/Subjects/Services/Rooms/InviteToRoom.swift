package import ClientProtocol
package import Execution
package import Model
import Store

/// `room.invite`: invites people into a room, and brings those in who know the user. In an open room every member may, in a
/// closed one its moderators.
///
/// - Confinement: any
package struct InviteToRoom: WriteUseCase {
    let command: RoomInviteCommand

    package init(_ command: RoomInviteCommand) { self.command = command }

    package var key: WriteKey? { command.key }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("room.invite")
        fingerprint.add(command.chat.text)
        for member in command.members { fingerprint.add(member.text) }
    }

    package func perform(in context: WriteContext) throws -> RoomAnswer {
        try context.reachOthers()
        let (work, standing) = try RoomWork.ofMember(command.chat, context)
        guard standing.isModerator || standing.settings.isOpen else {
            throw RoomWork.forbidden("only moderators invite into a closed room")
        }
        return try work.bring(command.members, key: command.key)
    }
}

extension RoomInviteCommand: AnsweredCommand {
    package var work: CommandWork { .write(InviteToRoom(self)) }
}
