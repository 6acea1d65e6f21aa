import GRDB
package import Model

/// Who follows which topic, and since which position.
///
/// - Confinement: store
package struct FollowTable {
    let database: Database

    /// Position at which the follow began; nil when there is none.
    package func since(follower: StreamID, stream: StreamID) throws -> Position? {
        try database.first(
            "SELECT since FROM follows WHERE follower = ? AND stream = ?",
            [follower.value, stream.value]
        ) { try Position($0[0]) }
    }

    /// From which position to which a follow stood that has ended, the newest first; only while the log holds its end.
    package func past(
        follower: StreamID,
        stream: StreamID
    ) throws -> [(since: Position, until: Position)] {
        try database.all(
            "SELECT since, until FROM past_follows WHERE follower = ? AND stream = ? ORDER BY until DESC",
            [follower.value, stream.value]
        ) { try (Position($0[0]), Position($0[1])) }
    }

    /// Begins a follow at a position; there must be none.
    package func insert(follower: StreamID, stream: StreamID, since: Position) throws {
        try database.run(
            "INSERT INTO follows(follower, stream, since) VALUES (?, ?, ?)",
            [follower.value, stream.value, since.value]
        )
        try addFollows(1, to: follower)
    }

    /// Ends a follow at a position; harmless when there is none. What it brought until then stays readable in the log.
    package func end(follower: StreamID, stream: StreamID, at position: Position) throws {
        try database.run(
            """
            INSERT INTO past_follows(follower, until, stream, since)
            SELECT follower, ?, stream, since FROM follows WHERE follower = ? AND stream = ?
            """,
            [position.value, follower.value, stream.value]
        )
        try database.run("DELETE FROM follows WHERE follower = ? AND stream = ?", [follower.value, stream.value])
        try addFollows(-Int64(database.changesCount), to: follower)
    }

    /// Keeps the number of a user's follows in the user's row.
    private func addFollows(_ difference: Int64, to follower: StreamID) throws {
        try database.run("UPDATE users SET follows = follows + ? WHERE id = ?", [difference, follower.value])
    }

    /// Every stream the user follows: what a session subscribes to.
    package func streams(of follower: StreamID) throws -> [StreamID] {
        try database.all("SELECT stream FROM follows WHERE follower = ?", [follower.value]) { try StreamID($0[0]) }
    }

    /// The names of followed topics behind `name`, in the order of names.
    package func topics(of follower: StreamID, after name: String, limit: Int) throws -> [Topic] {
        try database.all(
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
        try database.number("SELECT coalesce((SELECT follows FROM users WHERE id = ?), 0)", [follower.value])
    }

    /// How many different people follow any of some streams, or have one of the inboxes.
    package func size(ofFollowersOf streams: [StreamID], and inboxes: [StreamID]) throws -> Int64 {
        func list(_ streams: [StreamID]) -> String { streams.map { String($0.value) }.joined(separator: ",") }
        return try database.number(
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
        try database.all(
            """
            SELECT users.id, users.name FROM follows JOIN users ON users.id = follows.follower
            WHERE follows.stream = ? AND follows.follower > ? ORDER BY follows.follower LIMIT ?
            """,
            [stream.value, after.value, limit]
        ) { row in
            guard let name = try UserID(row[1] as String) else { throw StoredValueProblem(place: "users.name") }
            return try (StreamID(row[0]), name)
        }
    }
}
