package import Log
package import Model

/// The follows: a user, a stream, and the position since which the user follows it.
///
/// - Confinement: store
package struct FollowTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// Position at which the follow began; nil when there is none.
    package func since(follower: StreamID, stream: StreamID) throws -> Position? {
        try access.value(
            "SELECT since FROM follows WHERE follower = ? AND stream = ?",
            [follower.value, stream.value]
        )
    }

    /// The positions between which follows stood that have ended, the newest first; only while the log holds their
    /// ends.
    package func past(
        follower: StreamID,
        stream: StreamID
    ) throws -> [(since: Position, until: Position)] {
        try access.all(
            "SELECT since, until FROM past_follows WHERE follower = ? AND stream = ? ORDER BY until DESC",
            [follower.value, stream.value]
        ) { try ($0[0], $0[1]) }
    }

    /// Every stream the user follows: what a session subscribes to.
    package func streams(of follower: StreamID) throws -> [StreamID] {
        try access.all("SELECT stream FROM follows WHERE follower = ?", [follower.value]) { try $0[0] }
    }

    /// The names of followed topics after `name`, in the order of names.
    package func topics(of follower: StreamID, after name: String, limit: Int) throws -> [Topic] {
        try access.all(
            """
            SELECT name FROM follows JOIN streams ON streams.id = follows.stream
            WHERE follower = ? AND name > ? ORDER BY name LIMIT ?
            """,
            [follower.value, name, limit]
        ) { row in
            guard let topic = try Topic(row[0] as String) else { throw StoredValueProblem(place: "streams.name") }
            return topic
        }
    }

    /// How many topics the user follows.
    package func count(of follower: StreamID) throws -> Int64 {
        try access.number("SELECT coalesce((SELECT follows FROM users WHERE id = ?), 0)", [follower.value])
    }

    /// How many different people follow any of some streams, or have one of the inboxes.
    package func size(ofFollowersOf streams: [StreamID], and inboxes: [StreamID]) throws -> Int64 {
        func list(_ streams: [StreamID]) -> String { streams.map { String($0.value) }.joined(separator: ",") }
        return try access.number(
            """
            SELECT count(*) FROM (SELECT follower AS id FROM follows WHERE stream IN (\(list(streams)))
            UNION SELECT id FROM users WHERE id IN (\(list(inboxes))))
            """
        )
    }

    /// A page of followers: users with numbers above `after`, in the order of numbers.
    package func followers(
        of stream: StreamID,
        after: StreamID,
        limit: Int
    ) throws -> [(id: StreamID, name: UserID)] {
        try access.people(
            """
            SELECT users.id, users.name FROM follows JOIN users ON users.id = follows.follower
            WHERE follows.stream = ? AND follows.follower > ? ORDER BY follows.follower LIMIT ?
            """,
            [stream.value, after.value, limit]
        )
    }

    /// The streams that the user reads and that have events after `position`: each with the position since which the
    /// user reads it, and one beyond which it has no entry.
    func readableStreams(
        of user: UserEntry,
        changedAfter position: Position
    ) throws -> [(stream: StreamID, since: Position, last: Position)] {
        let followed: [(stream: StreamID, since: Position, last: Position)] = try access.all(
            """
            SELECT follows.stream, follows.since, streams.last
            FROM follows JOIN streams ON streams.id = follows.stream
            WHERE follows.follower = ? AND streams.last > ? AND streams.last > follows.since
            """,
            [user.id.value, position.value]
        ) { try ($0[0], $0[1], $0[2]) }
        let end = Position(Position.bound - 1)
        return [(user.id, .zero, end), (.everyone, user.since, end)] + followed
    }

    /// How many follows have ended after a position, counted up to a limit: the cost of merging them.
    package func endedCount(of follower: StreamID, after position: Position, limit: Int) throws -> Int {
        Int(
            try access.number(
                "SELECT count(*) FROM (SELECT 1 FROM past_follows WHERE follower = ? AND until > ? LIMIT ?)",
                [follower.value, position.value, limit]
            )
        )
    }

    /// The follows that ended after `position` and brought something after it.
    func ended(
        of follower: StreamID,
        after position: Position
    ) throws -> [(stream: StreamID, since: Position, until: Position)] {
        try access.all(
            """
            SELECT past_follows.stream, past_follows.since, past_follows.until
            FROM past_follows JOIN streams ON streams.id = past_follows.stream
            WHERE past_follows.follower = ?1 AND past_follows.until > ?2
            AND streams.last > ?2 AND streams.last > past_follows.since
            """,
            [follower.value, position.value]
        ) { try ($0[0], $0[1], $0[2]) }
    }
}

extension FollowTable where Access == WriteAccess {
    /// Begins a follow at a position; there must be none.
    package func insert(follower: StreamID, stream: StreamID, since: Position) throws {
        try access.run(
            "INSERT INTO follows(follower, stream, since) VALUES (?, ?, ?)",
            [follower.value, stream.value, since.value]
        )
        try addFollows(1, to: follower)
    }

    /// Ends a follow at a position; harmless when there is none. The entries until then stay readable in the log.
    package func end(follower: StreamID, stream: StreamID, at position: Position) throws {
        try access.run(
            """
            INSERT INTO past_follows(follower, until, stream, since)
            SELECT follower, ?, stream, since FROM follows WHERE follower = ? AND stream = ?
            """,
            [position.value, follower.value, stream.value]
        )
        let ended = try access.change(
            "DELETE FROM follows WHERE follower = ? AND stream = ?", [follower.value, stream.value])
        try addFollows(-Int64(ended), to: follower)
    }

    /// Keeps the number of a user's follows in the user's row.
    private func addFollows(_ difference: Int64, to follower: StreamID) throws {
        try access.run("UPDATE users SET follows = follows + ? WHERE id = ?", [difference, follower.value])
    }
}
