package import Log
package import Model

/// The further streams in which an entry of the log lies: a notification whose audience is a list of topics, and its
/// removal.
///
/// The entry has one position, so a reader of two of its streams gets it once: the merge of streams drops a position
/// that it has just had.
///
/// - Confinement: store
package struct EntryStreamTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    package init(access: Access) { self.access = access }

    /// Whether another stream has notified a user instead of a notification.
    func isTold(_ position: Position, to user: StreamID) throws -> Bool {
        try access.number(
            "SELECT EXISTS (SELECT 1 FROM notifications n WHERE n.seq = ?1 AND \(NotificationEntry.isTold(user: "?2")))",
            [position.value, user.value]
        ) == 1
    }

    /// The streams that have notified their readers instead of a notification.
    package func told(of position: Position) throws -> [StreamID] {
        try access.all("SELECT stream FROM told_streams WHERE seq = ? ORDER BY stream", [position.value]) {
            try $0[0]
        }
    }

    /// The streams beside its own in which an entry lies, in the order of their numbers.
    package func streams(of position: Position) throws -> [StreamID] {
        try access.all("SELECT stream FROM entry_streams WHERE seq = ? ORDER BY stream", [position.value]) {
            try $0[0]
        }
    }

    /// Whether there is any such entry: nearly no database has one, and then nobody looks further.
    func isEmpty() throws -> Bool {
        try access.number("SELECT EXISTS(SELECT 1 FROM entry_streams WHERE seq > 0)") == 0
    }

    /// Whether such an entry lies in a stream.
    func hasAny(in stream: StreamID) throws -> Bool {
        try access.number("SELECT EXISTS(SELECT 1 FROM entry_streams WHERE stream = ?)", [stream.value]) == 1
    }
}

extension EntryStreamTable where Access == WriteAccess {
    /// Limits a notification to those who do not read these streams.
    func insert(_ position: Position, told streams: [StreamID]) throws {
        for stream in streams {
            try access.run("INSERT INTO told_streams(seq, stream) VALUES (?, ?)", [position.value, stream.value])
        }
    }

    /// Puts the entry at a position into these streams, too.
    func insert(_ position: Position, in streams: [StreamID]) throws {
        for stream in streams {
            try access.run(
                "INSERT INTO entry_streams(stream, seq) VALUES (?, ?)", [stream.value, position.value])
        }
    }

    /// The log is trimmed from one position up to another: the ways to its entries go, but those to notifications stay,
    /// which are kept longer.
    func trim(from: Position, upTo position: Position) throws {
        try access.run(
            """
            DELETE FROM entry_streams WHERE seq > ? AND seq <= ?
            AND NOT EXISTS (SELECT 1 FROM notifications WHERE notifications.seq = entry_streams.seq)
            """,
            [from.value, position.value]
        )
    }

    /// Keeps the subject of a notification whose trigger notifies each person once across topics.
    func insert(_ position: Position, across trigger: String, collapse: String) throws {
        try access.run(
            "INSERT INTO told_across(trigger, collapse, seq) VALUES (?, ?, ?)", [trigger, collapse, position.value])
    }

    /// A notification goes.
    ///
    /// - Precondition: its row is still there.
    package func delete(_ position: Position) throws {
        try access.run(
            """
            DELETE FROM told_across WHERE (trigger, collapse, seq) IN
             (SELECT trigger, collapse, seq FROM notifications WHERE seq = ?)
            """,
            [position.value]
        )
        try access.run("DELETE FROM entry_streams WHERE seq = ?", [position.value])
        try access.run("DELETE FROM told_streams WHERE seq = ?", [position.value])
        try access.run("DELETE FROM withheld WHERE seq = ?", [position.value])
    }
}

extension NotificationEntry {
    /// The condition that a notification `n` is for a user: for the user's time zone, and not for those whom another
    /// topic that they followed has notified.
    ///
    /// - Parameter user: the parameter that is the user's number.
    static func isFor(user: String) -> String {
        "(\(UserEntry.isInZones(user: user)) AND (n.others IS NULL OR NOT \(isTold(user: user))))"
    }

    /// The condition that a notification `n` in a stream that many read is not for a user, who blocks its writer.
    ///
    /// - Parameter user: the parameter that is the user's number.
    static func isWithheld(user: String) -> String {
        "EXISTS (SELECT 1 FROM withheld WHERE withheld.seq = n.seq AND withheld.user = \(user))"
    }

    /// As it was when the notification was written: follows that have ended since count as well.
    fileprivate static func isTold(user: String) -> String {
        """
        (EXISTS (SELECT 1 FROM told_streams told WHERE told.seq = n.seq AND (EXISTS
         (SELECT 1 FROM follows f WHERE f.follower = \(user) AND f.stream = told.stream AND f.since < n.seq)
         OR EXISTS (SELECT 1 FROM past_follows f WHERE f.follower = \(user) AND f.stream = told.stream
          AND f.since < n.seq AND f.until > n.seq)))
         OR \(isWithheld(user: user)))
        """
    }
}
