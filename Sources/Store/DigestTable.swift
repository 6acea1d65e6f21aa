import GRDB
package import Model

/// The digests that users want: when each is next due, and from where on it collects.
///
/// A row for each, so that none is lost or told twice whatever happens to the process: what is collected are
/// notifications that lie in the inbox anyway.
///
/// - Confinement: store
package struct DigestTable {
    let database: Database

    /// One digest of one user.
    package struct Row: Sendable, Hashable {
        package let user: StreamID
        /// Which notifications it collects.
        package let subject: String
        /// Nil while a look-back digest waits for a notification to begin with.
        package var due: Timestamp?
        /// It collects what lies behind this position.
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

    private static let columns = "user, subject, due, since, look_back"

    /// Writes a digest, over the one of its user and subject.
    package func put(_ row: Row) throws {
        try database.run(
            "INSERT OR REPLACE INTO digests(\(Self.columns)) VALUES (?, ?, ?, ?, ?)",
            [row.user.value, row.subject, row.due?.milliseconds, row.since.value, row.isLookBack ? 1 : 0]
        )
    }

    /// Ends a digest; harmless when there is none.
    package func delete(_ subject: String, of user: StreamID) throws {
        try database.run("DELETE FROM digests WHERE user = ? AND subject = ?", [user.value, subject])
    }

    /// A user's digests.
    package func all(of user: StreamID) throws -> [Row] {
        try database.all("SELECT \(Self.columns) FROM digests WHERE user = ?", [user.value], Self.row)
    }

    /// A user's digest of a subject.
    package func find(_ subject: String, of user: StreamID) throws -> Row? {
        try database.first(
            "SELECT \(Self.columns) FROM digests WHERE user = ? AND subject = ?",
            [user.value, subject],
            Self.row
        )
    }

    /// At most `limit` digests whose time has come, the earliest first.
    package func due(at now: Timestamp, limit: Int) throws -> [Row] {
        try database.all(
            "SELECT \(Self.columns) FROM digests WHERE due IS NOT NULL AND due <= ? ORDER BY due LIMIT ?",
            [now.milliseconds, limit],
            Self.row
        )
    }

    /// When the next one is due; long ago where one that stands is to be written anew.
    package func nextDue() throws -> Timestamp? {
        if try nextRevision() != nil { return Timestamp(milliseconds: 0) }
        let due = try database.first("SELECT min(due) FROM digests WHERE due IS NOT NULL") { row -> Int64? in
            try row.optional(0)
        }
        return (due ?? nil).map(Timestamp.init(milliseconds:))
    }

    /// Whether any look-back digest waits for a notification.
    package func isAnyWaiting() throws -> Bool {
        try database.number("SELECT EXISTS (SELECT 1 FROM digests WHERE due IS NULL)") > 0
    }

    /// The look-back digests of a subject that wait for a notification, of those users who read a stream.
    ///
    /// Costs a few steps for each such digest or for each follower, whichever are fewer; who has one under way is never
    /// looked at.
    package func waiting(for subject: String, readersOf stream: StreamID) throws -> [Row] {
        if stream != .everyone, try isFollowed(stream, byFewerThanWaitFor: subject) {
            return try database.all(
                """
                SELECT d.user, d.subject, d.due, d.since, d.look_back FROM follows
                CROSS JOIN digests d ON d.user = follows.follower AND d.subject = ? AND d.due IS NULL
                WHERE follows.stream = ?
                """,
                [subject, stream.value],
                Self.row
            )
        }
        return try database.all(
            """
            SELECT \(Self.columns) FROM digests WHERE subject = ?1 AND due IS NULL AND (?2 = ?3 OR EXISTS
            (SELECT 1 FROM follows WHERE follows.follower = digests.user AND follows.stream = ?2))
            """,
            [subject, stream.value, StreamID.everyone.value],
            Self.row
        )
    }

    private func isFollowed(_ stream: StreamID, byFewerThanWaitFor subject: String) throws -> Bool {
        try database.number(
            """
            SELECT EXISTS (SELECT 1 FROM digests WHERE subject = ?1 AND due IS NULL
            LIMIT 1 OFFSET coalesce((SELECT followers FROM streams WHERE id = ?2), 0))
            """,
            [subject, stream.value]
        ) > 0
    }

    // MARK: What a look-back digest began with

    /// The notification at a position begins a digest of the user, and is not collected by it.
    package func insertFirst(_ position: Position, of user: StreamID) throws {
        try database.run("INSERT OR IGNORE INTO digest_firsts(user, seq) VALUES (?, ?)", [user.value, position.value])
    }

    /// Whether the notification at a position began a digest of the user.
    package func isFirst(_ position: Position, of user: StreamID) throws -> Bool {
        try database.number(
            "SELECT count(*) FROM digest_firsts WHERE user = ? AND seq = ?",
            [user.value, position.value]
        ) > 0
    }

    /// Forgets at most `limit` of them, up to a position.
    ///
    /// - Returns: how many there were.
    package func deleteFirsts(upTo position: Position, limit: Int) throws -> Int {
        try database.run(
            """
            DELETE FROM digest_firsts WHERE (user, seq) IN
            (SELECT user, seq FROM digest_firsts WHERE seq <= ? ORDER BY seq LIMIT ?)
            """,
            [position.value, limit]
        )
        return database.changesCount
    }

    private static func row(_ row: Columns) throws -> Row {
        let due: Int64? = try row.optional(2)
        return Row(
            user: try StreamID(row[0]),
            subject: try row[1],
            due: due.map(Timestamp.init(milliseconds:)),
            since: try Position(row[3]),
            isLookBack: try row[4] as Int64 != 0
        )
    }
}
