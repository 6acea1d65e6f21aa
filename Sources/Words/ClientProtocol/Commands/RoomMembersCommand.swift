package import Model

/// A page of the members of a room.
///
/// - Confinement: any
package struct RoomMembersCommand: Command {
    package static let name = "room.members"

    package var chat: ChatID
    /// The `next` of the page before.
    package var after: String?
    package var limit = Limits.pageDefault
}

extension RoomMembersCommand {
    package static let form = CommandForm(
        [.room, .pageAfter, .limit],
        ok: [.need("members", .list(SharedForms.roomMember)), .next, .need("count", .count)])

    package init(_ fields: Fields) throws(Refusal) {
        chat = try fields.required("chat").roomID()
        after = try fields.optional("after")?.cursor()
        limit = try fields.limit()
    }

    package var weight: Int { 1 + limit / Limits.rowsPerWeight }
}
