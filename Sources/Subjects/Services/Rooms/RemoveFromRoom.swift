package import ClientProtocol
package import Execution
package import Model
import Notifying
import Store

/// `room.remove`: takes a member of a lesser role than the user's out of a room, withdraws an invitation, and keeps people
/// out, or lets them in again.
///
/// - Confinement: any
package struct RemoveFromRoom: WriteUseCase {
    let command: RoomRemoveCommand

    package init(_ command: RoomRemoveCommand) { self.command = command }

    package var key: WriteKey? { command.key }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("room.remove")
        fingerprint.add(command.chat.text)
        fingerprint.add(command.user.text)
        fingerprint.add(command.ban.map { $0 ? "ban" : "no ban" })
        fingerprint.add(command.until?.text)
        fingerprint.add(command.reason)
    }

    package func perform(in context: WriteContext) throws -> RoomAnswer {
        let (work, standing) = try RoomWork.ofMember(command.chat, context)
        guard standing.isModerator else { throw RoomWork.forbidden("only owners and moderators remove people") }
        if command.user == work.user.name {
            throw Refusal.badRequest(field: "user", "must be another member; leave with room.leave")
        }
        if let until = command.until {
            guard command.ban == true else {
                throw Refusal.badRequest(field: "until", "is the end of a ban: it needs ban")
            }
            guard until > context.now else { throw Refusal.badRequest(field: "until", "must be later than now") }
        }
        let isMember = try work.member(command.user) != nil
        let id = try context.transaction.users.number(of: command.user)
        let invitation = try id.flatMap { try Invitations(in: context).open($0, in: work.chat.id) }
        guard isMember || command.ban != nil || invitation != nil else { throw work.notMember(command.user) }
        let member = isMember ? try work.member(command.user, below: standing.member.role) : nil
        if let ban = command.ban { try set(ban, work, by: standing.member.role) }
        if let invitation, command.ban != false { try Invitations(in: context).end(invitation, .withdrawn) }
        guard let member else { return RoomAnswer(position: try context.transaction.appendSilently()) }
        let change = RoomChange(
            .removed, of: [command.user], by: work.user.name, until: command.until, key: command.key)
        let position = try work.remove(member, change)
        try Invitations(in: context).withdraw(from: work.chat.id, by: member.user)
        return RoomAnswer(position: position)
    }

    private func set(_ ban: Bool, _ work: RoomWork, by role: RoomRole) throws {
        var notifier = Notifier(in: work.context)
        let user = try notifier.inbox(of: command.user)
        let rooms = work.transaction.rooms
        guard try role == .owner || !rooms.isBannedByOwner(user, from: work.chat.id, at: work.context.now) else {
            throw RoomWork.forbidden(
                "an owner keeps \(command.user.text) out; only owners change that", field: "user")
        }
        guard ban else { return try rooms.liftBan(of: user, from: work.chat.id) }
        try rooms.ban(
            user, from: work.chat.id, until: command.until, reason: command.reason, isByOwner: role == .owner,
            at: work.context.now)
    }
}

extension RoomRemoveCommand: AnsweredCommand {
    package var work: CommandWork { .write(RemoveFromRoom(self)) }
}
