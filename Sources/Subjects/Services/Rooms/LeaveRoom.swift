package import ClientProtocol
package import Execution
package import Model
import Store

/// `room.leave`: the user leaves a room. A room whose last member goes is closed.
///
/// - Confinement: any
package struct LeaveRoom: WriteUseCase {
    let command: RoomLeaveCommand

    package init(_ command: RoomLeaveCommand) { self.command = command }

    package var key: WriteKey? { command.key }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("room.leave")
        fingerprint.add(command.chat.text)
    }

    package func perform(in context: WriteContext) throws -> RoomAnswer {
        let (work, standing) = try RoomWork.ofMember(command.chat, context)
        let change = RoomChange(.left, of: [work.user.name], by: work.user.name, key: command.key)
        let position = try work.remove(standing.member, change)
        if standing.room.members > 1 { try Invitations(in: context).sayNo(work.user.id, in: work.chat.id) }
        return RoomAnswer(position: position)
    }
}

extension RoomLeaveCommand: AnsweredCommand {
    package var work: CommandWork { .write(LeaveRoom(self)) }
}
