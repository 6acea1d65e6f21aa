package import Model

/// A stream that has a name.
///
/// - Confinement: any
package struct StreamEntry: Sendable {
    package let id: StreamID
    /// Position of its newest event; zero when it has none.
    package let last: Position
    package let followers: Int64

    static let advanceSQL = "UPDATE streams SET last = ? WHERE id = ?"
}

/// The names of streams: `@alice` is alice's inbox, `user:alice` what alice's followers read, `room:…` a group.
///
/// - Confinement: store
package struct StreamTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    package init(access: Access) { self.access = access }

    /// The stream of a topic; nil when nobody followed it and nothing was published there.
    package func find(_ topic: Topic) throws -> StreamEntry? {
        try find(named: topic.text)
    }

    /// The name of a stream: the text of a topic, `@USER`, or `everyone`.
    package func name(of id: StreamID) throws -> String? {
        try access.value("SELECT name FROM streams WHERE id = ?", [id.value])
    }

    /// The stream of a name: that of a topic, `@USER`, or `everyone`; nil when nobody ever read or wrote it.
    package func find(named name: String) throws -> StreamEntry? {
        try access.first("SELECT id, last, followers FROM streams WHERE name = ?", [name]) { row in
            try StreamEntry(id: row[0], last: row[1], followers: row[2])
        }
    }
}

extension StreamTable where Access == WriteAccess {
    /// The stream of a topic, made if there is none.
    package func findOrMake(_ topic: Topic) throws -> StreamID {
        try findOrMake(named: topic.text)
    }

    /// The stream for a topic's readers in some time zones, made if there is none. Nobody follows it: its
    /// entries lie in the topic's stream, too.
    ///
    /// - Parameters:
    ///   - topic: its text, or `everyone`.
    ///   - zone: the first of the zones.
    package func findOrMake(_ topic: String, inZone zone: String) throws -> StreamID {
        try findOrMake(named: "\(topic) \(zone)")
    }

    /// The stream of a name, made if there is none.
    package func findOrMake(named name: String) throws -> StreamID {
        if let id: StreamID = try access.value("SELECT id FROM streams WHERE name = ?", [name]) { return id }
        try access.run("INSERT INTO streams(name) VALUES (?)", [name])
        return StreamID(stored: access.lastInsertedRowID)
    }

    /// Adds to the number of a topic's followers and returns the new one.
    package func addFollowers(_ difference: Int64, to id: StreamID) throws -> Int64 {
        try access.number(
            "UPDATE streams SET followers = followers + ? WHERE id = ? RETURNING followers",
            [difference, id.value]
        )
    }

    /// Remembers that a followed stream has an event at `position`.
    ///
    /// Inboxes are not kept up to date here: they are always read, so nobody asks, and a row less is written.
    package func advance(_ id: StreamID, to position: Position) throws {
        var input = StatementInput(access.statements.advanceStream, noting: access.recorder)
        input.add(position.value)
        input.add(id.value)
        try input.run()
    }
}
