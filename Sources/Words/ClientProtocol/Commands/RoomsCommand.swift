import Model

/// A page of the user's rooms, or of the open ones.
///
/// - Confinement: any
package struct RoomsCommand: Command {
    package static let name = "rooms"

    package var isOpen = false
    /// The `next` of the page before.
    package var after: String?
    package var limit = Limits.pageDefault
}

extension RoomsCommand {
    package static let form = CommandForm(
        [.may("open", .flag), .pageAfter, .limit], ok: [.need("rooms", .list(.object(SharedForms.listedRoom))), .next])

    /// The largest page of the user's rooms that begins there.
    package init(largestPageAfter after: String?) {
        self.after = after
        limit = Limits.pageMax
    }

    package init(_ fields: Fields) throws(Refusal) {
        isOpen = try fields.optional("open")?.bool() ?? false
        after = try fields.optional("after")?.cursor()
        limit = try fields.limit()
    }

    package var weight: Int { 1 + limit / Limits.rowsPerWeight }
}
