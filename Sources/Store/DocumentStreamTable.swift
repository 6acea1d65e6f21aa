import GRDB
package import Model

/// The streams under which changes of documents are logged for those who watch them: one for a collection that was ever
/// watched, one for a single document that was. What nobody ever watched is in no stream, and its writes log nothing.
///
/// - Confinement: store
package struct DocumentStreamTable {
    let database: Database

    /// A stream, and from which position on the log holds its changes.
    package struct Entry: Sendable {
        package let id: StreamID
        package let opened: Position
    }

    /// The stream of a collection; nil when nobody ever watched it.
    package func find(collection: String) throws -> Entry? { try find(named: Self.name(collection: collection)) }

    /// The stream of one document; nil when nobody ever watched it alone.
    package func find(document: DocumentPath) throws -> Entry? { try find(named: Self.name(document: document)) }

    /// Begins to log a collection's changes; harmless when they are.
    package func open(collection: String, at head: Position) throws {
        try open(named: Self.name(collection: collection), at: head)
    }

    /// Begins to log one document's changes; harmless when they are.
    package func open(document: DocumentPath, at head: Position) throws {
        try open(named: Self.name(document: document), at: head)
    }

    /// Whether a single document in a collection was ever watched; or one in a collection below, which is not told apart.
    package func hasDocuments(in collection: String) throws -> Bool {
        let prefix = "document/" + collection
        // The character behind '/' is '0'.
        return try database.number(
            "SELECT EXISTS(SELECT 1 FROM streams WHERE name > ? AND name < ?)",
            [prefix + "/", prefix + "0"]
        ) == 1
    }

    /// Positions of a collection's changes behind `position`, ascending.
    package func changes(ofCollection stream: StreamID, after position: Position, limit: Int) throws -> [Position] {
        try changes(ChangeLog.ofStream, stream, position, limit)
    }

    /// Positions of one document's changes behind `position`, ascending.
    package func changes(ofDocument stream: StreamID, after position: Position, limit: Int) throws -> [Position] {
        try changes("second = ?", stream, position, limit)
    }

    private func changes(
        _ condition: String,
        _ stream: StreamID,
        _ position: Position,
        _ limit: Int
    ) throws -> [Position] {
        try database.all(
            "SELECT seq FROM changes WHERE \(condition) AND seq > ? ORDER BY seq LIMIT ?",
            [stream.value, position.value, limit]
        ) { try Position($0[0]) }
    }

    private static func name(collection: String) -> String { "documents/" + collection }
    private static func name(document: DocumentPath) -> String { "document/" + document.text }

    private func find(named name: String) throws -> Entry? {
        guard let entry = try StreamTable(database: database).find(named: name) else { return nil }
        // Nobody follows it by name: the column that holds the newest event of what is followed says here where it began.
        return Entry(id: entry.id, opened: entry.last)
    }

    private func open(named name: String, at head: Position) throws {
        let streams = StreamTable(database: database)
        guard try streams.find(named: name) == nil else { return }
        try streams.advance(streams.findOrMake(named: name), to: head)
    }
}
