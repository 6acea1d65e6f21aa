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
        case notification(NotificationEntry)
        /// A notification that has been removed since: a reader that never saw it need not hear of it.
        case nothing
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

    /// The oldest position from which everything is still kept.
    package func retainedFrom() throws -> Position {
        let text: String? = try database.first("SELECT value FROM meta WHERE name = 'retained_from'") { try $0[0] }
        return Position(text.flatMap { Int64($0) } ?? 0)
    }

    func insert(_ position: Position, stream: StreamID, second: StreamID?, body: String?) throws {
        try database.run(
            "INSERT INTO changes(seq, stream, second, body) VALUES (?, ?, ?, ?)",
            [position.value, stream.value, second?.value, body]
        )
    }

    /// The positions behind `position` of everything the user reads, ascending, at most `limit`.
    package func positions(of user: UserEntry, after position: Position, limit: Int) throws -> [Position] {
        var found: [Int64] = []
        let streams = try FollowTable(database: database).readableStreams(of: user, changedAfter: position)
        for (stream, since) in streams {
            let from = max(since, position).value
            found += try database.all(
                "SELECT seq FROM changes WHERE stream = ? AND seq > ? ORDER BY seq LIMIT ?",
                [stream.value, from, limit]
            ) { try $0[0] }
        }
        found += try database.all(
            "SELECT seq FROM changes WHERE second = ? AND seq > ? ORDER BY seq LIMIT ?",
            [user.id.value, position.value, limit]
        ) { try $0[0] }
        // A stream appears once, and an entry lies in one or two different streams of which a user reads one, so no
        // position comes twice.
        return found.sorted().prefix(limit).map(Position.init)
    }

    /// The entry at a position.
    package func entry(at position: Position) throws -> ChangeEntry {
        let body = try database.first("SELECT body FROM changes WHERE seq = ?", [position.value]) { row -> String? in
            try row.optional(0)
        }
        if let body = body ?? nil { return ChangeEntry(position: position, content: .event(body)) }
        guard let notification = try NotificationTable(database: database).find(position) else {
            return ChangeEntry(position: position, content: .nothing)
        }
        return ChangeEntry(position: position, content: .notification(notification))
    }

    /// Entries of the log.
    package func count() throws -> Int64 {
        try database.number("SELECT count(*) FROM changes")
    }
}
