import Model

/// A page of the user's chats, newest first.
///
/// - Confinement: any
package struct ChatsCommand: Command {
    package static let name = "chats"

    /// The `next` of the page before.
    package var before: String?
    package var limit = Limits.pageDefault
}

extension ChatsCommand {
    package static let form = CommandForm(
        [.pageBefore, .limit], ok: [.need("chats", .list(SharedForms.listedChat)), .next])

    /// The largest page that begins there.
    package init(largestPageBefore before: String?) {
        self.before = before
        limit = Limits.pageMax
    }

    package init(_ fields: Fields) throws(Refusal) {
        before = try fields.optional("before")?.cursor()
        limit = try fields.limit()
    }

    package var weight: Int { 1 + limit / Limits.rowsPerWeight }
}
