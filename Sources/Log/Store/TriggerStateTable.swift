package import Log
package import Model

/// The memory of triggers: for which documents they have fired and were not rearmed since, and whom they have
/// interrupted lately. Only triggers with `rearm` or `throttle` have rows here.
///
/// - Confinement: store
package struct TriggerStateTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    // MARK: Rearming

    /// Whether a trigger may fire for a document.
    package func isArmed(_ trigger: String, path: String) throws -> Bool {
        try access.number("SELECT count(*) FROM fired WHERE path = ? AND trigger = ?", [path, trigger]) == 0
    }

    // MARK: Interruptions

    /// How often a trigger has interrupted the readers of a stream in windows that have not ended.
    ///
    /// - Parameters:
    ///   - subject: what about, for a trigger that counts each subject by itself; else empty.
    ///   - milliseconds: the length of a window. One that ends later than one that begins now was noted by a fast
    ///     clock, and does not count: it would silence the trigger until that time comes.
    package func interruptions(
        by trigger: String, of stream: StreamID, about subject: String, at now: Timestamp, within milliseconds: Int64
    ) throws -> Int64 {
        try access.number(
            """
            SELECT count(*) FROM interruptions
            WHERE trigger = ? AND stream = ? AND subject = ? AND until > ? AND until <= ?
            """,
            [trigger, stream.value, subject, now.milliseconds, now.milliseconds + milliseconds]
        )
    }

    // MARK: Triggers that go
}

extension TriggerStateTable where Access == WriteAccess {
    /// A trigger has fired for a document.
    package func disarm(_ trigger: String, path: String) throws {
        try access.run("INSERT OR IGNORE INTO fired(path, trigger) VALUES (?, ?)", [path, trigger])
    }

    /// A trigger may fire for a document again; harmless when it may already.
    package func rearm(_ trigger: String, path: String) throws {
        try access.run("DELETE FROM fired WHERE path = ? AND trigger = ?", [path, trigger])
    }

    /// Every trigger may fire for a document again.
    package func rearm(path: String) throws {
        try access.run("DELETE FROM fired WHERE path = ?", [path])
    }

    /// Notes one, and forgets a few whose windows have ended, so that the table stays small.
    ///
    /// - Parameter position: that of the notification.
    package func noteInterruption(
        _ position: Position,
        by trigger: String,
        of stream: StreamID,
        about subject: String,
        until: Timestamp,
        at now: Timestamp
    ) throws {
        try access.run(
            """
            DELETE FROM interruptions WHERE seq IN
            (SELECT seq FROM interruptions WHERE until <= ? ORDER BY until, seq LIMIT 4)
            """,
            [now.milliseconds]
        )
        try access.run(
            "INSERT OR REPLACE INTO interruptions(seq, trigger, stream, subject, until) VALUES (?, ?, ?, ?, ?)",
            [position.value, trigger, stream.value, subject, until.milliseconds]
        )
    }

    /// Forgets everything about a trigger; reads the whole table `fired`, which an operator may cause.
    package func forget(_ trigger: String) throws {
        try access.run("DELETE FROM fired WHERE trigger = ?", [trigger])
        try access.run("DELETE FROM interruptions WHERE trigger = ?", [trigger])
    }
}
