package import Model
package import Store

/// The facts about its user that a session needs at the start. They are read on one snapshot, so that position and counts
/// agree.
///
/// - Confinement: any
package struct SessionStart: Sendable {
    package let user: UserEntry
    package let head: Position
    package let counts: UnreadCounts
    /// The streams that the user follows at ``head``.
    package let streams: [StreamID]

    /// Nil when the user is not known yet.
    package init?(of name: UserID, in transaction: Transaction) throws {
        guard let user = try transaction.users.find(name) else { return nil }
        try self.init(user, in: transaction)
    }

    /// The same for a user that is known.
    package init(_ user: UserEntry, in transaction: Transaction) throws {
        self.user = user
        head = try transaction.log.head()
        counts = try transaction.unread(of: user)
        streams = try transaction.follows.streams(of: user.id)
    }
}
