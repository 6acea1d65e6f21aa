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
    /// The writer's; nil on the connections that read.
    var statements: WriterStatements?
    var chatMemory: ChatMemory?

    /// Position of the newest entry; zero when there is none.
    package func head() throws -> Position {
        Position(try database.number("SELECT coalesce(max(seq), 0) FROM changes"))
    }

    static let insertSQL = "INSERT INTO changes(seq, stream, second, n, body) VALUES (?, ?, ?, ?, ?)"

    /// - Parameter number: of the message that the entry is, which is found by it in its chat; nil for all else.
    func insert(
        _ position: Position,
        stream: StreamID,
        second: StreamID?,
        number: MessageNumber? = nil,
        body: [UInt8]?
    ) throws {
        var input = StatementInput(try statements?.insertChange ?? database.cachedStatement(sql: Self.insertSQL))
        input.add(position.value)
        input.add(stream.value)
        input.add(second?.value)
        input.add(number)
        input.add(body)
        try input.run()
    }

    /// The positions behind `position` of everything the user reads, ascending, at most `limit`.
    ///
    /// Reads little more than it returns, in however many streams the entries lie.
    package func positions(of user: UserEntry, after position: Position, limit: Int) throws -> [Position] {
        var parts = try parts(of: user, after: position)
        // A user reads each stream in ranges that do not touch, and nearly all entries lie in streams of which a user
        // reads one; what is for several topics comes from each that is followed, and is taken once.
        return try PositionMerge.merge(after: parts.map(\.after), limit: limit) { index, after, limit in
            try positions(in: &parts[index], after: after, limit: limit)
        }
    }

    /// Whether the user reads more than `count` entries behind `position`; looks at one more than that, at most.
    package func isMore(than count: Int, of user: UserEntry, after position: Position) throws -> Bool {
        var left = count + 1
        for part in try parts(of: user, after: position) {
            if case .messages(let first, let last) = part.place {
                left -= Int(min(Int64(left), last - first + 1))
            } else {
                left -= Int(
                    try database.number(
                        part.query.count,
                        [part.stream.value, part.after.value, part.upTo.value, left]
                    )
                )
            }
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

    /// At most `limit` events of a stream behind a position, ascending; of a chat's, without messages.
    package func events(of stream: StreamID, after position: Position, limit: Int) throws -> [LoggedEvent] {
        try database.all(
            """
            SELECT seq, stream, body FROM changes
            WHERE \(Self.ofStream) AND seq > ?2 AND body IS NOT NULL ORDER BY seq LIMIT ?3
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

    /// The entries of a stream, which are in an index by it; messages are not, since `messages` leads to them.
    static let ofStream = "stream = ?1 AND n IS NULL"

    /// A part of a stream that a user reads: what lies behind `after` and not behind `upTo`.
    private struct Part {
        enum Place {
            case stream
            /// Entries of documents and of the time before migration 11 lie in two.
            case second
            /// The messages of a chat with these numbers; `next` is yet to be read.
            case messages(next: MessageNumber, last: MessageNumber)
        }

        var place = Place.stream
        let stream: StreamID
        let after: Position
        var upTo = Position(Position.bound)
        /// Whether entries may lie in it that have another stream of their own.
        var isShared = false

        /// What gives the positions of its entries behind ?2, and not behind ?3.
        var query: Query {
            if case .second = place { return .ofSecond }
            return isShared ? .ofShared : .ofStream
        }
    }

    /// Statements that are written once: a resume runs one for each stream.
    private struct Query {
        let positions: String
        /// The first ?4 of them, ascending.
        let first: String
        /// How many they are, counted up to ?4.
        let count: String

        private init(_ positions: String) {
            self.positions = positions
            first = positions + " ORDER BY seq LIMIT ?4"
            count = "SELECT count(*) FROM (SELECT 1 FROM (\(positions)) LIMIT ?4)"
        }

        static let ofSecond = Query("SELECT seq FROM changes WHERE second = ?1 AND seq > ?2 AND seq <= ?3")
        static let ofStream = Query("SELECT seq FROM changes WHERE \(ChangeLog.ofStream) AND seq > ?2 AND seq <= ?3")
        static let ofShared = Query(
            ofStream.positions
                + " UNION ALL SELECT seq FROM entry_streams WHERE stream = ?1 AND seq > ?2 AND seq <= ?3")
    }

    /// The parts of streams that hold, or held, something for the user behind `position`.
    private func parts(of user: UserEntry, after position: Position) throws -> [Part] {
        let follows = FollowTable(database: database)
        let isAnyShared = try !EntryStreamTable(database: database).isEmpty()
        var parts = [Part(place: .second, stream: user.id, after: position)]
        for (stream, since, _) in try follows.readableStreams(of: user, changedAfter: position) {
            parts.append(Part(stream: stream, after: max(since, position), isShared: isAnyShared))
        }
        try addChats(of: user.id, after: position, to: &parts)
        for past in try follows.ended(of: user.id, after: position) {
            parts.append(
                Part(
                    stream: past.stream, after: max(past.since, position), upTo: past.until, isShared: isAnyShared))
        }
        return parts
    }

    /// A chat's messages are found by their numbers, its other events (and messages from before migration 14) by its
    /// stream.
    private func addChats(of user: StreamID, after position: Position, to parts: inout [Part]) throws {
        let chats = try ChatTable(database: database, memory: chatMemory).changed(of: user, after: position)
        guard !chats.isEmpty else { return }
        let messages = MessageTable(database: database)
        let behind = max(position, try numberedFrom())
        for chat in chats {
            let stream = StreamID(chat: chat.id)
            parts.append(Part(stream: stream, after: position))
            guard chat.at > behind else { continue }
            let first = try messages.firstNumber(of: chat.id, after: behind, last: chat.last)
            parts.append(Part(place: .messages(next: first, last: chat.last), stream: stream, after: behind))
        }
    }

    /// Entries behind this position bear the numbers of their messages.
    private func numberedFrom() throws -> Position {
        let text: String? = try database.first("SELECT value FROM meta WHERE name = 'numbered_from'") { try $0[0] }
        guard let value = text.flatMap({ Int64($0) }) else { throw StoredValueProblem(place: "meta.numbered_from") }
        return Position(value)
    }

    private func positions(in part: inout Part, after: Position, limit: Int) throws -> [Position] {
        if case .messages(let next, let last) = part.place {
            let found = try MessageTable(database: database)
                .positions(of: -part.stream.value, from: next, limit: limit)
            part.place = .messages(next: next + Int64(found.count), last: last)
            return found
        }
        return try database.all(
            part.query.first,
            [part.stream.value, after.value, part.upTo.value, limit]
        ) { try Position($0[0]) }
    }
}
