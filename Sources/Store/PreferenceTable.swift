import GRDB
package import Model

/// What users chose about their notifications, now and before.
///
/// What was in force at a position of the log stays known as long as the log does, so that a device that resumes is told
/// the same as one that was connected.
///
/// - Confinement: store
package struct PreferenceTable {
    let database: Database

    /// What the user chose, as JSON; nil when nothing.
    package func current(of user: StreamID) throws -> String? {
        let stored = try database.first("SELECT preferences FROM users WHERE id = ?", [user.value]) { row -> String? in
            try row.optional(0)
        }
        return stored ?? nil
    }

    /// The user chooses anew at a position; what was in force until then stays known.
    package func change(to preferences: String?, of user: StreamID, at position: Position) throws {
        try database.run(
            """
            INSERT OR REPLACE INTO past_preferences(user, until, preferences)
            SELECT id, ?2, preferences FROM users WHERE id = ?1
            """,
            [user.value, position.value]
        )
        try database.run(
            "UPDATE users SET preferences = ?2, zone = ?2 ->> '$.timeZone' WHERE id = ?1", [user.value, preferences])
    }

    /// What was in force at a position, when that was not what is now; nil when it was.
    package func past(
        of user: StreamID,
        at position: Position
    ) throws -> (preferences: String?, until: Position)? {
        try database.first(
            "SELECT preferences, until FROM past_preferences WHERE user = ? AND until > ? ORDER BY until LIMIT 1",
            [user.value, position.value]
        ) { try ($0.optional(0), Position($0[1])) }
    }

    /// Forgets at most `limit` of what was in force before a position.
    ///
    /// - Returns: how many there were.
    package func deletePast(upTo position: Position, limit: Int) throws -> Int {
        try database.run(
            """
            DELETE FROM past_preferences WHERE (user, until) IN
            (SELECT user, until FROM past_preferences WHERE until <= ? ORDER BY until LIMIT ?)
            """,
            [position.value, limit]
        )
        return database.changesCount
    }
}
