package import Log
package import Model

/// The preferences of users for their notifications, now and before.
///
/// The preferences at each position of the log stay known as long as the log does, so that a device that resumes gets
/// the same as one that was connected.
///
/// - Confinement: store
package struct PreferenceTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// The user's preferences, as JSON; nil when there are none.
    package func current(of user: StreamID) throws -> String? {
        try access.value("SELECT preferences FROM users WHERE id = ?", [user.value])
    }

    // MARK: Users who chose nothing

    /// The preferences that are configured for users who choose nothing, as their rows hold them; nil when none are.
    package func defaults() throws -> String? {
        try access.meta(.defaultPreferences)
    }

    /// The newest user that has the configured preferences; nil when all have them.
    package func spreadPlace() throws -> StreamID? {
        try access.meta(.defaultPreferencesSpread).flatMap { Int64($0) }.map(StreamID.init(stored:))
    }

    /// Users after one who have chosen nothing, at most `limit`, in the order of their numbers.
    package func undecided(after user: StreamID, limit: Int) throws -> [StreamID] {
        try access.all(
            """
            SELECT id FROM users WHERE id > ? AND (preferences IS NULL
            OR json_valid(preferences) AND preferences ->> '$.default' IS NOT NULL) ORDER BY id LIMIT ?
            """, [user.value, limit]
        ) { try $0[0] }
    }

    /// The preferences that were in force at a position; nil when they are still in force.
    package func past(
        of user: StreamID,
        at position: Position
    ) throws -> (preferences: String?, until: Position)? {
        try access.first(
            "SELECT preferences, until FROM past_preferences WHERE user = ? AND until > ? ORDER BY until LIMIT 1",
            [user.value, position.value]
        ) { try ($0.optional(0), $0[1]) }
    }
}

extension PreferenceTable where Access == WriteAccess {
    /// The user changes the preferences at a position; those in force until then stay known.
    package func change(to preferences: String?, of user: StreamID, at position: Position) throws {
        try access.run(
            """
            INSERT OR REPLACE INTO past_preferences(user, until, preferences)
            SELECT id, ?2, preferences FROM users WHERE id = ?1
            """,
            [user.value, position.value]
        )
        try access.run(
            "UPDATE users SET preferences = ?2, zone = ?2 ->> '$.timeZone' WHERE id = ?1", [user.value, preferences])
    }

    /// Notes the preferences for users who choose nothing; all of them are to get these from now on.
    package func setDefaults(_ preferences: String?) throws {
        try access.setMeta(.defaultPreferences, preferences)
        try setSpreadPlace(.nobody)
    }

    /// Notes the newest user that has the configured preferences; nil when all have them.
    package func setSpreadPlace(_ user: StreamID?) throws {
        try access.setMeta(.defaultPreferencesSpread, user.map { String($0.value) })
    }

    /// A new user begins with preferences: none were in force before.
    package func begin(with preferences: String, of user: StreamID) throws {
        try access.run(
            "UPDATE users SET preferences = ?2, zone = ?2 ->> '$.timeZone' WHERE id = ?1", [user.value, preferences])
    }
}
