package import Log
package import Model

/// The limits that single people have in place of the configured ones.
///
/// - Confinement: store
package struct PersonLimitTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// The user's own limits, as JSON; nil when there are none.
    package func find(_ user: StreamID) throws -> String? {
        guard try access.isMarked(user) else { return nil }
        return try access.value("SELECT limits FROM person_limits WHERE user = ?", [user.value])
    }
}

extension PersonLimitTable where Access == WriteAccess {
    /// Keeps a user's own limits, as JSON.
    package func put(_ limits: String, of user: StreamID) throws {
        try access.run(
            """
            INSERT INTO person_limits(user, limits) VALUES (?, ?) ON CONFLICT DO UPDATE SET limits = excluded.limits
            """,
            [user.value, limits])
        access.mark(user)
    }

    /// The configured limits hold for the user again.
    package func delete(_ user: StreamID) throws {
        try access.run("DELETE FROM person_limits WHERE user = ?", [user.value])
    }
}
