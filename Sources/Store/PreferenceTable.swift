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

    // MARK: Of those who chose nothing

    /// What is configured for those who choose nothing, as their rows hold it; nil when nothing is.
    package func defaults() throws -> String? {
        try database.first("SELECT value FROM meta WHERE name = 'default_preferences'") { try $0[0] }
    }

    /// Notes what is configured for those who choose nothing; they are all to be given it from now on.
    package func setDefaults(_ preferences: String?) throws {
        try database.run("DELETE FROM meta WHERE name = 'default_preferences'")
        if let preferences {
            try database.run("INSERT INTO meta(name, value) VALUES ('default_preferences', ?)", [preferences])
        }
        try setSpreadPlace(StreamID(0))
    }

    /// Up to which user all have what is configured; nil when all users have it.
    package func spreadPlace() throws -> StreamID? {
        let text: String? = try database.first("SELECT value FROM meta WHERE name = 'default_preferences_spread'") {
            try $0[0]
        }
        return text.flatMap { Int64($0) }.map { StreamID($0) }
    }

    /// Notes up to which user all have what is configured; nil when all users have it.
    package func setSpreadPlace(_ user: StreamID?) throws {
        try database.run("DELETE FROM meta WHERE name = 'default_preferences_spread'")
        guard let user else { return }
        try database.run(
            "INSERT INTO meta(name, value) VALUES ('default_preferences_spread', ?)", [String(user.value)])
    }

    /// Users behind one who have chosen nothing, at most `limit`, in the order of their numbers.
    package func undecided(after user: StreamID, limit: Int) throws -> [StreamID] {
        try database.all(
            """
            SELECT id FROM users WHERE id > ? AND (preferences IS NULL
            OR json_valid(preferences) AND preferences ->> '$.default' IS NOT NULL) ORDER BY id LIMIT ?
            """, [user.value, limit]
        ) { try StreamID($0[0]) }
    }

    /// A user who is new begins with preferences: nothing was in force before.
    package func begin(with preferences: String, of user: StreamID) throws {
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
