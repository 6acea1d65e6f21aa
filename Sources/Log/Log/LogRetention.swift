package import Model

/// A time at which the log had a head: everything up to it is older.
///
/// - Confinement: any
package struct LogMark: Sendable, Hashable {
    package let head: Position
    package let at: Timestamp

    package init(head: Position, at: Timestamp) {
        self.head = head
        self.at = at
    }
}

/// The beginning of the log: when it had which head, and up to where it was trimmed.
///
/// Entries have no time of their own: a mark now and then says which head the log had, so that the age of a position is
/// known to the distance of two marks, and an entry costs nothing.
///
/// - Confinement: store
package struct LogRetention<Access: ReadAccess>: StoredTable {
    package let access: Access

    package init(access: Access) { self.access = access }

    /// Everything after this position is still kept.
    package func from() throws -> Position {
        try access.metaNumber(.retainedFrom).map(Position.init) ?? .zero
    }

    /// The newest mark; nil when there is none.
    package func newestMark() throws -> LogMark? {
        try access.first("SELECT seq, at FROM log_marks ORDER BY seq DESC LIMIT 1", [], LogMark.init)
    }

    /// The newest of all marks' times; nil when there is none. In databases of earlier versions it need not be that of
    /// the newest mark.
    package func newestTime() throws -> Timestamp? {
        try access.value("SELECT max(at) FROM log_marks")
    }

    /// The time of the oldest mark: entries before the next one are at least about as old. Nil when there is none.
    package func oldestTime() throws -> Timestamp? {
        try access.value("SELECT at FROM log_marks ORDER BY seq LIMIT 1")
    }

    /// The mark up to which everything is too old to be kept; nil when there is none.
    ///
    /// A mark is a position, and the time at which the log ended there. Where times do not ascend with positions, as
    /// earlier versions wrote them when the clock was slow, two marks contradict each other, and the younger one is
    /// believed: an entry is only old when no mark at or before it is young. So the goal is the last mark before the
    /// first young one. "The highest position among the old ones" would take one mark with a time that was too early
    /// for the age of everything before it.
    package func newestMark(before kept: KeptTimes) throws -> LogMark? {
        try access.first(
            """
            SELECT seq, at FROM log_marks
            WHERE seq < coalesce((SELECT min(seq) FROM log_marks WHERE \(KeptTimes.condition)), 9223372036854775807)
            ORDER BY seq DESC LIMIT 1
            """,
            kept.arguments,
            LogMark.init
        )
    }

    /// The oldest of the marks that are not before a position: by its time the position was written. Nil when there is
    /// none yet.
    package func firstMark(from position: Position) throws -> LogMark? {
        try access.first(
            "SELECT seq, at FROM log_marks WHERE seq >= ? ORDER BY seq LIMIT 1", [position.value], LogMark.init)
    }
}

extension LogRetention where Access == WriteAccess {
    /// Moves the times of the marks from a position on: the clock that gave them was slow.
    package func shiftMarks(from position: Position, byMilliseconds milliseconds: Int64) throws {
        try access.run("UPDATE log_marks SET at = at + ? WHERE seq >= ?", [milliseconds, position.value])
    }

    /// Notes which head the log has at a time, which must not be before ``newestTime()``.
    package func insert(_ mark: LogMark) throws {
        try access.run(
            "INSERT OR REPLACE INTO log_marks(seq, at) VALUES (?, ?)",
            [mark.head.value, mark.at.milliseconds]
        )
    }

    /// Trims the log up to a position; `since` before it cannot be resumed from any more. Rows of subjects that go with entries
    /// must be gone.
    ///
    /// - Returns: the number of entries that went.
    package func trimEntries(upTo position: Position) throws -> Int {
        let trimmed = try access.change("DELETE FROM changes WHERE seq <= ?", [position.value])
        try access.run("DELETE FROM log_marks WHERE seq <= ?", [position.value])
        try access.setMeta(.retainedFrom, String(position.value))
        return trimmed
    }
}

extension LogMark {
    fileprivate init(_ row: Columns) throws { try self.init(head: row[0], at: row[1]) }
}
