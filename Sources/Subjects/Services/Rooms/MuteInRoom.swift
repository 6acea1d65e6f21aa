package import ClientProtocol
package import Execution
package import Model
import Store

/// `room.mute`: a member of a lesser role than the user's writes nothing until a time, or writes again.
///
/// - Confinement: any
package struct MuteInRoom: WriteUseCase {
    let command: RoomMuteCommand

    package init(_ command: RoomMuteCommand) { self.command = command }

    package var key: WriteKey? { command.key }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("room.mute")
        fingerprint.add(command.chat.text)
        fingerprint.add(command.user.text)
        fingerprint.add(command.until?.text)
    }

    package func perform(in context: WriteContext) throws -> RoomAnswer {
        let (work, standing) = try RoomWork.ofMember(command.chat, context)
        if let until = command.until, until <= context.now {
            throw Refusal.badRequest(field: "until", "must be later than now; without it the member may write again")
        }
        let member = try work.member(command.user, below: standing.member.role)
        guard member.muted != command.until else { return work.unchanged }
        try context.transaction.rooms.setMuted(until: command.until, of: member.user, in: work.chat.id)
        let change = RoomChange(
            .muted, of: [command.user], by: work.user.name, role: member.role, until: command.until, key: command.key)
        return RoomAnswer(position: try work.append(change))
    }
}

extension RoomMuteCommand: AnsweredCommand {
    package var work: CommandWork { .write(MuteInRoom(self)) }
}
