package import ClientProtocol
package import Execution
package import JSON
import Model
import Store

/// `room.invitations`: the invitations that wait for the user's answer, in the order in which their rooms were made.
///
/// - Confinement: any
package struct ListInvitations: ReadUseCase {
    let command: RoomInvitationsCommand

    package init(_ command: RoomInvitationsCommand) { self.command = command }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let (user, invitations) = (try context.user().id, context.transaction.invitations)
        let after = try Cursor.number(command.after, field: "after") ?? 0
        let since = Invitations.expired(at: context.now)
        let found = try invitations.page(of: user, since: since, after: after, limit: command.limit + 1)
        var answer = JSONObject(
            "invitations", Page(found, limit: command.limit) { String($0.invitation.chat) }
        ) { line in
            let body = InvitationBody(
                chat: line.room, title: line.title, by: line.inviter, at: line.invitation.at)
            return [
                "chat": .string(body.chat.text), "title": .string(body.title), "by": .string(body.by.text),
                "at": .string(body.at.text), "expires": .string(body.expires.text),
            ]
        }
        answer["count"] = .integer(try invitations.count(of: user, since: since))
        return answer
    }
}

extension RoomInvitationsCommand: AnsweredCommand {
    package var work: CommandWork { .read(ListInvitations(self)) }
}
