import Model

/// A page of notifications, newest first.
///
/// - Confinement: any
package struct NotificationsCommand: Command {
    package static let name = "notifications"

    /// The `next` of the page before.
    package var before: String?
    package var limit = Limits.pageDefault
    /// `unread` on the wire.
    package var isUnreadOnly = false
}

extension NotificationsCommand {
    package static let form = CommandForm(
        [.pageBefore, .limit, .may("unread", .flag)],
        ok: [
            .need("notifications", .list(.object(SharedForms.listedNotification))), .need("unread", .count), .next,
        ])

    /// The largest page that begins there.
    package init(largestPageBefore before: String?) {
        self.before = before
        limit = Limits.pageMax
    }

    package init(_ fields: Fields) throws(Refusal) {
        before = try fields.optional("before")?.cursor()
        limit = try fields.limit()
        isUnreadOnly = try fields.optional("unread")?.bool() ?? false
    }

    package var weight: Int { 1 + limit / Limits.rowsPerWeight }
}
