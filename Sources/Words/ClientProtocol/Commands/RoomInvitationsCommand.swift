import Model

/// A page of the invitations that wait for the user's answer.
///
/// - Confinement: any
package struct RoomInvitationsCommand: Command {
    package static let name = "room.invitations"

    /// The `next` of the page before.
    package var after: String?
    package var limit = Limits.pageDefault
}

extension RoomInvitationsCommand {
    package static let form = CommandForm(
        [.pageAfter, .limit],
        ok: [.need("invitations", .list(.object(SharedForms.invitation))), .next, .need("count", .count)])

    package init(_ fields: Fields) throws(Refusal) {
        after = try fields.optional("after")?.cursor()
        limit = try fields.limit()
    }

    package var weight: Int { 1 + limit / Limits.rowsPerWeight }
}
