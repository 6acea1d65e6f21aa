import GRDB
package import Model

/// One entry of the log as a reader gets it.
///
/// - Confinement: any
package struct ChangeEntry: Sendable {
    package let position: Position
    package let content: Content

    /// An event is stored as its bytes, or as a notification, whose bytes depend on the reader's language.
    package enum Content: Sendable {
        case event(String)
        /// Also one that has been taken away since: who was connected got it, too, and then its removal.
        case notification(NotificationEntry)
    }
}

/// The log: one position for everything that any user can see.
///
/// - Confinement: store
package struct ChangeLog {
    let database: Database

    /// Position of the newest entry; zero when there is none.
    package func head() throws -> Position {
        Position(try database.number("SELECT coalesce(max(seq), 0) FROM changes"))
    }

    func insert(_ position: Position, stream: StreamID, second: StreamID?, body: [UInt8]?) throws {
        try database.run(
            "INSERT INTO changes(seq, stream, second, body) VALUES (?, ?, ?, ?)",
            [position.value, stream.value, second?.value, body.map(EncodedText.init)]
        )
    }

    /// The positions behind `position` of everything the user reads, ascending, at most `limit`.
    ///
    /// Reads little more than it returns, in however many streams the entries lie.
    package func positions(of user: UserEntry, after position: Position, limit: Int) throws -> [Position] {
        let parts = try parts(of: user, after: position)
        // A user reads each stream in ranges that do not touch, and an entry lies in one or two different streams of
        // which a user reads one, so no position comes twice.
        return try PositionMerge.merge(after: parts.map(\.after), limit: limit) { index, after, limit in
            try positions(in: parts[index], after: after, limit: limit)
        }
    }

    /// Whether the user reads more than `count` entries behind `position`; looks at one more than that, at most.
    package func isMore(than count: Int, of user: UserEntry, after position: Position) throws -> Bool {
        var left = count + 1
        for part in try parts(of: user, after: position) {
            left -= Int(
                try database.number(
                    """
                    SELECT count(*) FROM (SELECT 1 FROM changes
                    WHERE \(part.column) = ? AND seq > ? AND seq <= ? LIMIT ?)
                    """,
                    [part.stream.value, part.after.value, part.upTo.value, left]
                )
            )
            if left <= 0 { return true }
        }
        return false
    }

    /// The entry at a position.
    ///
    /// - Throws: `StoredValueProblem` when there is none, or its notification is not there.
    package func entry(at position: Position) throws -> ChangeEntry {
        let body = try database.first("SELECT body FROM changes WHERE seq = ?", [position.value]) { row -> String? in
            try row.optional(0)
        }
        if let body = body ?? nil { return ChangeEntry(position: position, content: .event(body)) }
        guard let entry = try NotificationTable(database: database).findWritten(at: position) else {
            throw StoredValueProblem(place: "changes.body, seq \(position)")
        }
        return ChangeEntry(position: position, content: .notification(entry))
    }

    /// An event as the log holds it, with the stream it lies in: of a follow that is the follower's inbox.
    package struct LoggedEvent: Sendable {
        package let position: Position
        package let stream: StreamID
        package let json: String
    }

    /// The events in a range of positions, ascending, without notifications and entries that tell nothing.
    package func events(in range: ClosedRange<Int64>) throws -> [LoggedEvent] {
        try database.all(
            "SELECT seq, stream, body FROM changes WHERE seq BETWEEN ? AND ? AND body IS NOT NULL ORDER BY seq",
            [range.lowerBound, range.upperBound]
        ) { row in
            LoggedEvent(position: try Position(row[0]), stream: try StreamID(row[1]), json: try row[2])
        }
    }

    /// At most `limit` events of a stream behind a position, ascending.
    package func events(of stream: StreamID, after position: Position, limit: Int) throws -> [LoggedEvent] {
        try database.all(
            """
            SELECT seq, stream, body FROM changes
            WHERE stream = ? AND seq > ? AND body IS NOT NULL ORDER BY seq LIMIT ?
            """,
            [stream.value, position.value, limit]
        ) { row in
            LoggedEvent(position: try Position(row[0]), stream: try StreamID(row[1]), json: try row[2])
        }
    }

    /// Entries of the log.
    package func count() throws -> Int64 {
        try database.number("SELECT count(*) FROM changes")
    }

    // MARK: What a user reads

    /// A part of a stream that a user reads: what lies behind `after` and not behind `upTo`.
    private struct Part {
        let column: String
        let stream: StreamID
        let after: Position
        var upTo = Position(Position.bound)
    }

    /// The parts of streams that hold, or held, something for the user behind `position`.
    private func parts(of user: UserEntry, after position: Position) throws -> [Part] {
        let follows = FollowTable(database: database)
        var parts = [Part(column: "second", stream: user.id, after: position)]
        for (stream, since) in try follows.readableStreams(of: user, changedAfter: position) {
            parts.append(Part(column: "stream", stream: stream, after: max(since, position)))
        }
        for chat in try ChatTable(database: database).streams(of: user.id, changedAfter: position) {
            parts.append(Part(column: "stream", stream: chat, after: position))
        }
        for past in try follows.ended(of: user.id, after: position) {
            parts.append(
                Part(column: "stream", stream: past.stream, after: max(past.since, position), upTo: past.until)
            )
        }
        return parts
    }

    private func positions(in part: Part, after: Position, limit: Int) throws -> [Position] {
        try database.all(
            "SELECT seq FROM changes WHERE \(part.column) = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
            [part.stream.value, after.value, part.upTo.value, limit]
        ) { try Position($0[0]) }
    }
}
