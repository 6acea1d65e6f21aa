import GRDB
package import Model

/// Notifications that users have put off, until they come back.
///
/// - Confinement: store
package struct SnoozeTable {
    let database: Database

    /// A notification whose time has come again.
    package struct Due: Sendable {
        package let user: StreamID
        package let position: Position
        /// False when it was taken back meanwhile, by whoever sent it.
        package let isWanted: Bool
    }

    /// Puts a notification off, or until another time.
    package func put(_ entry: NotificationEntry, until due: Timestamp, of user: StreamID) throws {
        try database.run(
            "INSERT OR REPLACE INTO snoozes(user, seq, due, path, trigger) VALUES (?, ?, ?, ?, ?)",
            [user.value, entry.position.value, due.milliseconds, entry.path, entry.trigger]
        )
    }

    /// Whether the user has put a notification off.
    package func contains(_ position: Position, of user: StreamID) throws -> Bool {
        try database.number(
            "SELECT count(*) FROM snoozes WHERE user = ? AND seq = ?",
            [user.value, position.value]
        ) > 0
    }

    /// Puts off until another time what is put off already.
    package func move(_ position: Position, to due: Timestamp, of user: StreamID) throws {
        try database.run(
            "UPDATE snoozes SET due = ? WHERE user = ? AND seq = ?",
            [due.milliseconds, user.value, position.value]
        )
    }

    /// It shall not come back to this user; harmless when it was not put off.
    package func cancel(_ position: Position, of user: StreamID) throws {
        try database.run("DELETE FROM snoozes WHERE user = ? AND seq = ?", [user.value, position.value])
    }

    /// It shall come back to nobody: whoever sent it has taken it back.
    package func cancel(_ position: Position) throws {
        try database.run("DELETE FROM snoozes WHERE seq = ?", [position.value])
    }

    /// What comes from changes of a document shall not come back.
    ///
    /// - Parameter trigger: only what is of this one.
    package func cancel(from path: String, by trigger: String? = nil) throws {
        try database.run("DELETE FROM snoozes WHERE path = ?1 AND (?2 IS NULL OR trigger = ?2)", [path, trigger])
    }

    /// What comes from changes of a document shall not come back to one user.
    package func cancel(from path: String, of user: StreamID) throws {
        try database.run("DELETE FROM snoozes WHERE user = ? AND path = ?", [user.value, path])
    }

    /// What comes from documents whose paths are a prefix and a number, up to one, shall not come back to a user.
    package func cancel(under prefix: String, upTo number: Int64, of user: StreamID) throws {
        try database.run(
            """
            DELETE FROM snoozes WHERE user = ?1 AND substr(path, 1, length(?2)) = ?2
            AND CAST(substr(path, length(?2) + 1) AS INTEGER) <= ?3
            """,
            [user.value, prefix, number]
        )
    }

    /// Copies that came back to their owners, and were put off again, shall not come back once more.
    ///
    /// - Parameters:
    ///   - path: as the copies bear it, with the trigger and the topic of what they are copies of.
    package func cancelCopies(from path: String, by trigger: String?, about topic: String) throws {
        try database.run(
            """
            DELETE FROM snoozes WHERE path = ?1 AND seq IN (SELECT own.seq FROM snoozes own
            JOIN notifications n ON n.seq = own.seq WHERE own.path = ?1 AND n.trigger IS ?2 AND n.topic = ?3
            AND n.change IS NULL AND n.broadcast IS NULL)
            """,
            [path, trigger, topic]
        )
    }

    /// What lay in the user's inbox with a collapse key shall not come back: a newer one replaces it.
    package func cancel(collapse: String, of user: StreamID) throws {
        try database.run(
            """
            DELETE FROM snoozes WHERE user = ?1 AND seq IN (SELECT own.seq FROM snoozes own
            JOIN notifications n ON n.seq = own.seq WHERE own.user = ?1 AND n.stream = ?1 AND n.collapse = ?2)
            """,
            [user.value, collapse]
        )
    }

    /// How many the user has put off.
    package func count(of user: StreamID) throws -> Int {
        Int(try database.number("SELECT count(*) FROM snoozes WHERE user = ?", [user.value]))
    }

    /// What the user has put off, at most `limit`, the earliest first.
    package func all(of user: StreamID, limit: Int) throws -> [(position: Position, due: Timestamp)] {
        try database.all(
            "SELECT seq, due FROM snoozes WHERE user = ? ORDER BY due, seq LIMIT ?",
            [user.value, limit]
        ) { (try Position($0[0]), try Timestamp(milliseconds: $0[1])) }
    }

    /// At most `limit` whose time has come, the earliest first.
    package func due(at now: Timestamp, limit: Int) throws -> [Due] {
        try database.all(
            """
            SELECT snoozes.user, snoozes.seq, n.seq IS NOT NULL AND (n.removed IS NULL OR n.removed = 'snoozed')
            FROM snoozes LEFT JOIN notifications n ON n.seq = snoozes.seq
            WHERE snoozes.due <= ? ORDER BY snoozes.due, snoozes.seq LIMIT ?
            """,
            [now.milliseconds, limit]
        ) { try Due(user: StreamID($0[0]), position: Position($0[1]), isWanted: $0[2] as Int64 != 0) }
    }

    /// When the next one comes back.
    package func nextDue() throws -> Timestamp? {
        let due = try database.first("SELECT min(due) FROM snoozes") { row -> Int64? in try row.optional(0) }
        return (due ?? nil).map(Timestamp.init(milliseconds:))
    }
}
