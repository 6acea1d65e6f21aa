package import Log
package import Model

/// One digest of one user.
///
/// - Confinement: any
package struct DigestEntry: Sendable, Hashable {
    package let user: StreamID
    /// Which notifications it collects.
    package let subject: String
    /// Nil while a look-back digest waits for a notification to begin with.
    package var due: Timestamp?
    /// It collects the notifications after this position.
    package var since: Position
    /// Whether it begins with a notification, rather than by the clock.
    package let isLookBack: Bool

    package init(user: StreamID, subject: String, due: Timestamp?, since: Position, isLookBack: Bool) {
        self.user = user
        self.subject = subject
        self.due = due
        self.since = since
        self.isLookBack = isLookBack
    }
}

/// The digests that users want: when each is next due, and from where on it collects.
///
/// A row for each, so that none is lost or sent twice, whatever happens to the process: they collect notifications that
/// lie in the inbox anyway.
///
/// - Confinement: store
package struct DigestTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// A user's digests.
    package func all(of user: StreamID) throws -> [DigestEntry] {
        try access.all(DigestEntry.query + " WHERE user = ?", [user.value], DigestEntry.init)
    }

    /// A user's digest of a subject.
    package func find(_ subject: String, of user: StreamID) throws -> DigestEntry? {
        try access.first(
            DigestEntry.query + " WHERE user = ? AND subject = ?",
            [user.value, subject],
            DigestEntry.init
        )
    }

    /// At most `limit` digests whose time has come, the earliest first.
    package func due(at now: Timestamp, limit: Int) throws -> [DigestEntry] {
        try access.all(
            DigestEntry.query + " WHERE due IS NOT NULL AND due <= ? ORDER BY due LIMIT ?",
            [now.milliseconds, limit],
            DigestEntry.init
        )
    }

    /// When the next one is due; long ago where one that stands must be written again.
    package func nextDue() throws -> Timestamp? {
        if try nextRevision() != nil { return Timestamp(milliseconds: 0) }
        return try access.value("SELECT min(due) FROM digests WHERE due IS NOT NULL")
    }

    /// Whether any look-back digest waits for a notification.
    package func isAnyWaiting() throws -> Bool {
        try access.number("SELECT EXISTS (SELECT 1 FROM digests WHERE due IS NULL)") > 0
    }

    /// The look-back digests of a subject that wait for a notification, of those users who read a stream.
    ///
    /// Costs a few steps for each such digest or for each follower, whichever are fewer; users with one under way are
    /// never looked at.
    package func waiting(for subject: String, readersOf stream: StreamID) throws -> [DigestEntry] {
        if stream != .everyone, try isFollowed(stream, byFewerThanWaitFor: subject) {
            return try access.all(
                """
                SELECT \(DigestEntry.columnsOfD) FROM follows
                CROSS JOIN digests d ON d.user = follows.follower AND d.subject = ? AND d.due IS NULL
                WHERE follows.stream = ?
                """,
                [subject, stream.value],
                DigestEntry.init
            )
        }
        return try access.all(
            """
            \(DigestEntry.query) WHERE subject = ?1 AND due IS NULL AND (?2 = ?3 OR EXISTS
            (SELECT 1 FROM follows WHERE follows.follower = digests.user AND follows.stream = ?2))
            """,
            [subject, stream.value, StreamID.everyone.value],
            DigestEntry.init
        )
    }

    private func isFollowed(_ stream: StreamID, byFewerThanWaitFor subject: String) throws -> Bool {
        try access.number(
            """
            SELECT EXISTS (SELECT 1 FROM digests WHERE subject = ?1 AND due IS NULL
            LIMIT 1 OFFSET coalesce((SELECT followers FROM streams WHERE id = ?2), 0))
            """,
            [subject, stream.value]
        ) > 0
    }

    // MARK: What a look-back digest began with

    /// Whether the notification at a position began a digest of the user.
    package func isFirst(_ position: Position, of user: StreamID) throws -> Bool {
        try access.number(
            "SELECT count(*) FROM digest_firsts WHERE user = ? AND seq = ?",
            [user.value, position.value]
        ) > 0
    }
}

extension DigestTable where Access == WriteAccess {
    /// Writes a digest, over the one of its user and subject.
    package func put(_ row: DigestEntry) throws {
        try access.run(
            "INSERT OR REPLACE INTO digests(\(DigestEntry.columns)) VALUES (?, ?, ?, ?, ?)",
            [row.user.value, row.subject, row.due?.milliseconds, row.since.value, row.isLookBack ? 1 : 0]
        )
    }

    /// Ends a digest; harmless when there is none.
    package func delete(_ subject: String, of user: StreamID) throws {
        try access.run("DELETE FROM digests WHERE user = ? AND subject = ?", [user.value, subject])
    }

    /// The notification at a position begins a digest of the user, and is not collected by it.
    package func insertFirst(_ position: Position, of user: StreamID) throws {
        try access.run("INSERT OR IGNORE INTO digest_firsts(user, seq) VALUES (?, ?)", [user.value, position.value])
    }
}

extension DigestEntry {
    private enum Column: Int, ColumnName {
        case user, subject, due, since, lookBack
    }

    fileprivate static let columns = Column.list()
    fileprivate static let columnsOfD = Column.list("d.")
    fileprivate static let query = "SELECT \(columns) FROM digests"

    fileprivate init(_ row: Columns) throws {
        user = try row[Column.user]
        subject = try row[Column.subject]
        due = try row.optional(Column.due)
        since = try row[Column.since]
        isLookBack = try row[Column.lookBack]
    }
}
