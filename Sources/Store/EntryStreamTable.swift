import GRDB
package import Model

/// The further streams in which an entry of the log lies: a notification whose audience is a list of topics, and its
/// removal.
///
/// The entry has one position, so whoever reads two of its streams meets it once: what merges streams drops a position
/// that it has just had.
///
/// - Confinement: store
package struct EntryStreamTable {
    let database: Database

    /// The condition that a notification `n` is for a user: for the user's time zone, and not for those who followed another
    /// topic by which they were told.
    ///
    /// - Parameter user: the parameter that is the user's number.
    static func isFor(user: String) -> String {
        "(\(UserTable.isInZones(user: user)) AND (n.others IS NULL OR NOT \(isTold(user: user))))"
    }

    /// What was true when it was written stays true: follows that have ended since count as well.
    private static func isTold(user: String) -> String {
        """
        EXISTS (SELECT 1 FROM told_streams told WHERE told.seq = n.seq AND (EXISTS
         (SELECT 1 FROM follows f WHERE f.follower = \(user) AND f.stream = told.stream AND f.since < n.seq)
         OR EXISTS (SELECT 1 FROM past_follows f WHERE f.follower = \(user) AND f.stream = told.stream
          AND f.since < n.seq AND f.until > n.seq)))
        """
    }

    /// Whether a user was told of a notification by another stream.
    func isTold(_ position: Position, to user: StreamID) throws -> Bool {
        try database.number(
            "SELECT EXISTS (SELECT 1 FROM notifications n WHERE n.seq = ?1 AND \(Self.isTold(user: "?2")))",
            [position.value, user.value]
        ) == 1
    }

    /// The streams whose readers were told of a notification by those.
    package func told(of position: Position) throws -> [StreamID] {
        try database.all("SELECT stream FROM told_streams WHERE seq = ? ORDER BY stream", [position.value]) {
            try StreamID($0[0])
        }
    }

    /// Has a notification be for those alone who do not read these streams.
    func insert(_ position: Position, told streams: [StreamID]) throws {
        for stream in streams {
            try database.run("INSERT INTO told_streams(seq, stream) VALUES (?, ?)", [position.value, stream.value])
        }
    }

    /// The streams beside its own in which an entry lies, in the order of their numbers.
    package func streams(of position: Position) throws -> [StreamID] {
        try database.all("SELECT stream FROM entry_streams WHERE seq = ? ORDER BY stream", [position.value]) {
            try StreamID($0[0])
        }
    }

    /// Whether there is any such entry: nearly no database has one, and then nobody looks further.
    func isEmpty() throws -> Bool {
        try database.number("SELECT EXISTS(SELECT 1 FROM entry_streams WHERE seq > 0)") == 0
    }

    /// Whether such an entry lies in a stream.
    func hasAny(in stream: StreamID) throws -> Bool {
        try database.number("SELECT EXISTS(SELECT 1 FROM entry_streams WHERE stream = ?)", [stream.value]) == 1
    }

    /// Has the entry at a position lie in these streams, too.
    func insert(_ position: Position, in streams: [StreamID]) throws {
        for stream in streams {
            try database.run(
                "INSERT INTO entry_streams(stream, seq) VALUES (?, ?)", [stream.value, position.value])
        }
    }

    /// The log is trimmed from one position up to another: what led to its entries goes, but for notifications, which
    /// are kept longer.
    func trim(from: Position, upTo position: Position) throws {
        try database.run(
            """
            DELETE FROM entry_streams WHERE seq > ? AND seq <= ?
            AND NOT EXISTS (SELECT 1 FROM notifications WHERE notifications.seq = entry_streams.seq)
            """,
            [from.value, position.value]
        )
    }

    /// Keeps what a notification of a trigger is about that tells each person once across topics.
    func insert(_ position: Position, across trigger: String, collapse: String) throws {
        try database.run(
            "INSERT INTO told_across(trigger, collapse, seq) VALUES (?, ?, ?)", [trigger, collapse, position.value])
    }

    /// A notification goes.
    ///
    /// - Precondition: its row is still there.
    func delete(_ position: Position) throws {
        try database.run(
            """
            DELETE FROM told_across WHERE (trigger, collapse, seq) IN
             (SELECT trigger, collapse, seq FROM notifications WHERE seq = ?)
            """,
            [position.value]
        )
        try database.run("DELETE FROM entry_streams WHERE seq = ?", [position.value])
        try database.run("DELETE FROM told_streams WHERE seq = ?", [position.value])
    }
}
