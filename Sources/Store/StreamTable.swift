import GRDB
package import Model

/// The names of streams: `@alice` is alice's inbox, `user:alice` what her followers read, `room:…` a group.
///
/// - Confinement: store
package struct StreamTable {
    let database: Database
    /// The writer's; nil on the connections that read.
    var statements: WriterStatements?

    static let advanceSQL = "UPDATE streams SET last = ? WHERE id = ?"

    /// What is known of a stream.
    package struct Entry: Sendable {
        package let id: StreamID
        /// Position of its newest event; zero when it has none.
        package let last: Position
        package let followers: Int64
    }

    /// The stream of a topic; nil when nobody followed it and nothing was published there.
    package func find(_ topic: Topic) throws -> Entry? {
        try find(named: topic.text)
    }

    /// The stream of a topic, made if there is none.
    package func findOrMake(_ topic: Topic) throws -> StreamID {
        try findOrMake(named: topic.text)
    }

    /// The stream of what is for those in some time zones among the readers of a topic, made if there is none. Nobody
    /// follows it: what lies in it lies in the topic's, too.
    ///
    /// - Parameters:
    ///   - topic: its text, or `everyone`.
    ///   - zone: the first of the zones.
    package func findOrMake(_ topic: String, inZone zone: String) throws -> StreamID {
        try findOrMake(named: "\(topic) \(zone)")
    }

    /// The name of a stream: the text of a topic, `@USER`, or `everyone`.
    package func name(of id: StreamID) throws -> String? {
        try database.first("SELECT name FROM streams WHERE id = ?", [id.value]) { try $0[0] }
    }

    /// Adds to the number of a topic's followers and returns the new one.
    package func addFollowers(_ difference: Int64, to id: StreamID) throws -> Int64 {
        try database.number(
            "UPDATE streams SET followers = followers + ? WHERE id = ? RETURNING followers",
            [difference, id.value]
        )
    }

    /// The stream of a name: that of a topic, `@USER`, or `everyone`; nil when nobody ever read or wrote it.
    package func find(named name: String) throws -> Entry? {
        try database.first("SELECT id, last, followers FROM streams WHERE name = ?", [name]) { row in
            try Entry(id: StreamID(row[0]), last: Position(row[1]), followers: row[2])
        }
    }

    func findOrMake(named name: String) throws -> StreamID {
        if let id: Int64 = try database.first("SELECT id FROM streams WHERE name = ?", [name], { try $0[0] }) {
            return StreamID(id)
        }
        try database.run("INSERT INTO streams(name) VALUES (?)", [name])
        return StreamID(database.lastInsertedRowID)
    }

    /// Remembers that a followed stream has an event at `position`.
    ///
    /// Inboxes are not kept up to date here: they are always read, so nobody asks, and a row less is written.
    func advance(_ id: StreamID, to position: Position) throws {
        var input = StatementInput(try statements?.advanceStream ?? database.cachedStatement(sql: Self.advanceSQL))
        input.add(position.value)
        input.add(id.value)
        try input.run()
    }
}
