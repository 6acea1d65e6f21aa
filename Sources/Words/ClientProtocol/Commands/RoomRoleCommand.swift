package import Model

/// Gives a member of a room another role.
///
/// - Confinement: any
package struct RoomRoleCommand: Command {
    package static let name = "room.role"

    package var chat: ChatID
    package var user: UserID
    package var role: RoomRole
    package var key: WriteKey?
}

extension RoomRoleCommand {
    package static let form = CommandForm(
        [.room, .user, .need("role", .words(["owner", "moderator", "member"])), .anyKey], ok: [.seq])

    package init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").roomID()
        user = try fields.required("user").admittedUserID()
        role = try fields.required("role").roomRole()
        key = try fields.optional("key")?.key()
    }
}
