package import Model

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

    /// The condition that an entry is found by its stream ?1, in an index. Messages are not: they are found by their numbers.
    package static let isOfStream = "stream = ?1 AND n IS NULL"

    static let insertSQL = "INSERT INTO changes(seq, stream, second, n, body) VALUES (?, ?, ?, ?, ?)"
}

/// The log: one position for everything that any user can see.
///
/// - Confinement: store
package struct ChangeLog<Access: ReadAccess>: StoredTable {
    package let access: Access

    package init(access: Access) { self.access = access }

    /// Position of the newest entry; zero when there is none.
    package func head() throws -> Position {
        Position(try access.number("SELECT coalesce(max(seq), 0) FROM changes"))
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
