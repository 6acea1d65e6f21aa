package import Model

/// Invites people into a room of the user.
///
/// - Confinement: any
package struct RoomInviteCommand: Command {
    package static let name = "room.invite"

    package var chat: ChatID
    package var members: [UserID]
    package var key: WriteKey?
}

extension RoomInviteCommand {
    package static let form = CommandForm(
        [.room, .need("members", .list(.newUser, 1...RoomLimits.membersMax)), .anyKey],
        ok: [.seq] + CommandForm.brought)

    package init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").roomID()
        members = try fields.required("members").users(1...RoomLimits.membersMax)
        key = try fields.optional("key")?.key()
    }

    package var weight: Int { 1 + members.count }

    package func heldBytes(ofText text: [UInt8]) -> Int { text.count + members.count * Limits.listedIDBytes }
}
