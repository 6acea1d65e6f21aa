import Model

/// A page of the user's chats, newest first.
///
/// - Confinement: any
package struct ChatsCommand: Command {
    package static let name = "chats"

    /// The `next` of the page before.
    package var before: String?
    package var limit: Int

    package init(before: String? = nil, limit: Int = Limits.pageDefault) {
        self.before = before
        self.limit = limit
    }

    package init(_ fields: Fields) throws(Refusal) {
        before = try fields.optional("before")?.cursor()
        limit = try fields.limit()
    }

    package var weight: Int { 1 + limit / Limits.rowsPerWeight }
}
