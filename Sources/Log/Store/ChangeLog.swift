package import Model

/// One entry of the log as a reader gets it.
///
/// - Confinement: any
package struct ChangeEntry: Sendable {
    package let position: Position
    package let content: Content

    /// An event is stored as its bytes, or as a notification, whose bytes depend on the reader's language, or as a message
    /// that was changed since.
    package enum Content: Sendable {
        case event(String)
        /// Also one that was taken away since: a connected session got it as well, and then its removal.
        case notification(NotificationEntry)
        /// A message that has been edited, deleted or reacted to: its reader gets it as it is now.
        case message(MessageNumber, chat: Int64)
    }

    /// The condition that an entry is found by its stream ?1, in an index. Messages are not: `messages` leads to them.
    static let isOfStream = "stream = ?1 AND n IS NULL"

    static let insertSQL = "INSERT INTO changes(seq, stream, second, n, body) VALUES (?, ?, ?, ?, ?)"
}

/// An event as the log holds it, with its stream; the stream of a follow is the follower's inbox.
///
/// - Confinement: any
package struct LoggedEvent: Sendable {
    package let position: Position
    package let stream: StreamID
    /// Nil for a message that has been changed since.
    package let json: String?
    /// The number of the message that it is; nil for every other event.
    package let number: MessageNumber?
}

/// The log: one position for everything that any user can see.
///
/// - Confinement: store
package struct ChangeLog<Access: ReadAccess>: StoredTable {
    let access: Access

    /// Position of the newest entry; zero when there is none.
    package func head() throws -> Position {
        Position(try access.number("SELECT coalesce(max(seq), 0) FROM changes"))
    }

    /// The entry at a position.
    ///
    /// - Throws: `StoredValueProblem` when there is none, or its notification is not there.
    package func entry(at position: Position) throws -> ChangeEntry {
        if let body: String = try access.value("SELECT body FROM changes WHERE seq = ?", [position.value]) {
            return ChangeEntry(position: position, content: .event(body))
        }
        if let entry = try NotificationTable(access: access).findWritten(at: position) {
            return ChangeEntry(position: position, content: .notification(entry))
        }
        let message = try access.first(
            "SELECT stream, n FROM changes WHERE seq = ? AND n IS NOT NULL", [position.value]
        ) { row -> (stream: StreamID, n: MessageNumber) in try (row[0], row[1]) }
        guard let message, case .chat(let chat) = message.stream.kind else {
            throw StoredValueProblem(place: "changes.body, seq \(position)")
        }
        return ChangeEntry(position: position, content: .message(message.n, chat: chat))
    }

    /// The events in a range of positions, ascending, without notifications and entries that have no event.
    package func events(in range: ClosedRange<Int64>) throws -> [LoggedEvent] {
        try access.all(
            """
            SELECT seq, stream, body, n FROM changes WHERE seq BETWEEN ? AND ? AND (body IS NOT NULL OR n IS NOT NULL)
            ORDER BY seq
            """,
            [range.lowerBound, range.upperBound],
            LoggedEvent.init
        )
    }

    /// Entries of the log.
    package func count() throws -> Int64 {
        try access.number("SELECT count(*) FROM changes")
    }
}

extension ChangeLog where Access == WriteAccess {
    /// - Parameter number: of the message that the entry is, by which it is found in its chat; nil for all other
    ///   entries.
    func insert(
        _ position: Position,
        stream: StreamID,
        second: StreamID?,
        number: MessageNumber? = nil,
        body: [UInt8]?
    ) throws {
        var input = StatementInput(access.statements.insertChange, noting: access.recorder)
        input.add(position.value)
        input.add(stream.value)
        input.add(second?.value)
        input.add(number)
        input.add(body)
        try input.run()
    }
}

extension LoggedEvent {
    fileprivate init(_ row: Columns) throws {
        try self.init(position: row[0], stream: row[1], json: row.optional(2), number: row.optional(3))
    }
}
