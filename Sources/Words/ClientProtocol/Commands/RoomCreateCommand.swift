package import Model

/// Makes a room, with the user as its owner, and invites people into it.
///
/// - Confinement: any
package struct RoomCreateCommand: Command {
    package static let name = "room.create"

    package var settings: RoomSettings
    /// The people whom the owner wants in it.
    package var members: [UserID]
    package var key: WriteKey?
}

extension RoomCreateCommand {
    package static let form = CommandForm(
        [.need("title", .roomTitle), .need("members", .list(.newUser, 0...RoomLimits.membersMax - 1)), .anyKey]
            + CommandForm.roomSettings,
        ok: [.room, .seq] + CommandForm.brought)

    package init(_ fields: Fields) throws(Refusal) {
        settings = RoomSettings(
            title: try fields.required("title").roomTitle(),
            isOpen: try fields.optional("open")?.bool() ?? false,
            posting: try fields.optional("posting")?.roomPosting() ?? .all,
            history: try fields.optional("history")?.roomHistory())
        members = try fields.required("members").users(0...RoomLimits.membersMax - 1)
        key = try fields.optional("key")?.key()
    }

    package var weight: Int { 1 + members.count }

    package func heldBytes(ofText text: [UInt8]) -> Int { text.count + members.count * Limits.listedIDBytes }
}
