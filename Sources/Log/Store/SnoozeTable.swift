package import Log
package import Model

/// A snoozed notification whose time has come.
///
/// - Confinement: any
package struct DueSnooze: Sendable {
    package let user: StreamID
    package let position: Position
    /// False when its sender has taken it back meanwhile.
    package let isWanted: Bool
}

/// Notifications that users have snoozed, until they come back.
///
/// - Confinement: store
package struct SnoozeTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// Whether the user has snoozed a notification.
    package func contains(_ position: Position, of user: StreamID) throws -> Bool {
        try access.number(
            "SELECT count(*) FROM snoozes WHERE user = ? AND seq = ?",
            [user.value, position.value]
        ) > 0
    }

    /// How many the user has snoozed.
    package func count(of user: StreamID) throws -> Int {
        Int(try access.number("SELECT count(*) FROM snoozes WHERE user = ?", [user.value]))
    }

    /// The notifications that the user has snoozed, at most `limit`, the earliest first.
    package func all(of user: StreamID, limit: Int) throws -> [(position: Position, due: Timestamp)] {
        try access.all(
            "SELECT seq, due FROM snoozes WHERE user = ? ORDER BY due, seq LIMIT ?",
            [user.value, limit]
        ) { (try $0[0], try $0[1]) }
    }

    /// At most `limit` whose time has come, the earliest first.
    package func due(at now: Timestamp, limit: Int) throws -> [DueSnooze] {
        try access.all(
            """
            SELECT snoozes.user, snoozes.seq, n.seq IS NOT NULL AND (n.removed IS NULL OR n.removed = 'snoozed')
            FROM snoozes LEFT JOIN notifications n ON n.seq = snoozes.seq
            WHERE snoozes.due <= ? ORDER BY snoozes.due, snoozes.seq LIMIT ?
            """,
            [now.milliseconds, limit]
        ) { try DueSnooze(user: $0[0], position: $0[1], isWanted: $0[2]) }
    }

    /// When the next one comes back.
    package func nextDue() throws -> Timestamp? {
        try access.value("SELECT min(due) FROM snoozes")
    }
}

extension SnoozeTable where Access == WriteAccess {
    /// Snoozes a notification, or until another time.
    package func put(_ entry: NotificationEntry, until due: Timestamp, of user: StreamID) throws {
        try access.run(
            "INSERT OR REPLACE INTO snoozes(user, seq, due, path, trigger) VALUES (?, ?, ?, ?, ?)",
            [user.value, entry.position.value, due.milliseconds, entry.path, entry.trigger]
        )
    }

    /// Snoozes until another time a notification that is snoozed already.
    package func move(_ position: Position, to due: Timestamp, of user: StreamID) throws {
        try access.run(
            "UPDATE snoozes SET due = ? WHERE user = ? AND seq = ?",
            [due.milliseconds, user.value, position.value]
        )
    }

    /// The notification shall not come back to this user; harmless when it was not snoozed.
    package func cancel(_ position: Position, of user: StreamID) throws {
        try access.run("DELETE FROM snoozes WHERE user = ? AND seq = ?", [user.value, position.value])
    }

    /// The notification shall come back to nobody: its sender has taken it back.
    package func cancel(_ position: Position) throws {
        try access.run("DELETE FROM snoozes WHERE seq = ?", [position.value])
    }

    /// Notifications from changes of a document shall not come back.
    ///
    /// - Parameter trigger: only those of this one.
    package func cancel(from path: String, by trigger: String? = nil) throws {
        try access.run("DELETE FROM snoozes WHERE path = ?1 AND (?2 IS NULL OR trigger = ?2)", [path, trigger])
    }

    /// Notifications from changes of a document shall not come back to one user.
    package func cancel(from path: String, of user: StreamID) throws {
        try access.run("DELETE FROM snoozes WHERE user = ? AND path = ?", [user.value, path])
    }

    /// Notifications from documents whose paths are a prefix and a number, up to one number, shall not come back to a
    /// user.
    package func cancel(under prefix: String, upTo number: Int64, of user: StreamID) throws {
        try access.run(
            """
            DELETE FROM snoozes WHERE user = ?1 AND substr(path, 1, length(?2)) = ?2
            AND CAST(substr(path, length(?2) + 1) AS INTEGER) <= ?3
            """,
            [user.value, prefix, number]
        )
    }

    /// Copies that came back to their owners, and were snoozed again, shall not come back once more.
    ///
    /// - Parameters:
    ///   - path: as the copies have it, with the trigger and the topic of the notification that they copy.
    package func cancelCopies(from path: String, by trigger: String?, about topic: String) throws {
        try access.run(
            """
            DELETE FROM snoozes WHERE path = ?1 AND seq IN (SELECT own.seq FROM snoozes own
            JOIN notifications n ON n.seq = own.seq WHERE own.path = ?1 AND n.trigger IS ?2 AND n.topic = ?3
            AND n.change IS NULL AND n.broadcast IS NULL)
            """,
            [path, trigger, topic]
        )
    }

    /// The notification with a collapse key in the user's inbox shall not come back: a newer one replaces it.
    package func cancel(collapse: String, of user: StreamID) throws {
        try access.run(
            """
            DELETE FROM snoozes WHERE user = ?1 AND seq IN (SELECT own.seq FROM snoozes own
            JOIN notifications n ON n.seq = own.seq WHERE own.user = ?1 AND n.stream = ?1 AND n.collapse = ?2)
            """,
            [user.value, collapse]
        )
    }
}
