import Model

/// A page of notifications, newest first.
///
/// - Confinement: any
package struct NotificationsCommand: Command {
    package static let name = "notifications"

    /// The `next` of the page before.
    package var before: String?
    package var limit: Int
    /// `unread` on the wire.
    package var isUnreadOnly: Bool

    package init(before: String? = nil, limit: Int = Limits.pageDefault, isUnreadOnly: Bool = false) {
        self.before = before
        self.limit = limit
        self.isUnreadOnly = isUnreadOnly
    }

    package init(_ fields: Fields) throws(Refusal) {
        before = try fields.optional("before")?.cursor()
        limit = try fields.limit()
        isUnreadOnly = try fields.optional("unread")?.bool() ?? false
    }

    package var weight: Int { 1 + limit / Limits.rowsPerWeight }
}
