package import ClientProtocol
package import Execution
package import Model
import Store

/// `room.role`: an owner gives a member another role; nobody takes it from another owner, and one owner stays.
///
/// - Confinement: any
package struct SetRoomRole: WriteUseCase {
    let command: RoomRoleCommand

    package init(_ command: RoomRoleCommand) { self.command = command }

    package var key: WriteKey? { command.key }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("room.role")
        fingerprint.add(command.chat.text)
        fingerprint.add(command.user.text)
        fingerprint.add(command.role.rawValue)
    }

    package func perform(in context: WriteContext) throws -> RoomAnswer {
        let (work, standing) = try RoomWork.ofMember(command.chat, context)
        guard standing.member.role == .owner else { throw RoomWork.forbidden("only an owner gives roles") }
        let isOwn = command.user == work.user.name
        let member = isOwn ? standing.member : try work.member(command.user) ?? { throw work.notMember(command.user) }()
        guard member.role != command.role else { return work.unchanged }
        guard isOwn || member.role < .owner else {
            throw RoomWork.forbidden("\(command.user.text) is an owner, too", field: "user")
        }
        if isOwn, try context.transaction.rooms.countOwners(of: work.chat.id) == 1 {
            throw Refusal(.conflict, "a room needs an owner; make somebody else one first", field: "role")
        }
        try context.transaction.rooms.setRole(command.role, of: member.user, in: work.chat.id)
        let change = RoomChange(
            .role, of: [command.user], by: work.user.name, role: command.role, key: command.key)
        return RoomAnswer(position: try work.append(change))
    }
}

extension RoomRoleCommand: AnsweredCommand {
    package var work: CommandWork { .write(SetRoomRole(self)) }
}
