package import Log
package import Model

/// A stream of documents' changes, and from which position on the log holds them.
///
/// - Confinement: any
package struct DocumentStreamEntry: Sendable {
    package let id: StreamID
    package let opened: Position
}

/// The streams under which changes of documents are logged for those who watch them: one for each collection that was
/// ever watched, one for each single document that was. All other documents are in no stream, and their writes log
/// nothing.
///
/// - Confinement: store
package struct DocumentStreamTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// The stream of a collection; nil when nobody ever watched it.
    package func find(collection: String) throws -> DocumentStreamEntry? {
        try find(named: Self.name(collection: collection))
    }

    /// The stream of one document; nil when nobody ever watched it alone.
    package func find(document: DocumentPath) throws -> DocumentStreamEntry? {
        try find(named: Self.name(document: document))
    }

    /// Whether a single document in a collection was ever watched; or one in a collection below it, which counts as
    /// well.
    package func hasDocuments(in collection: String) throws -> Bool {
        let prefix = "document/" + collection
        // The character after '/' is '0'.
        return try access.number(
            "SELECT EXISTS(SELECT 1 FROM streams WHERE name > ? AND name < ?)",
            [prefix + "/", prefix + "0"]
        ) == 1
    }

    /// Positions of a collection's changes after `position`, ascending.
    package func changes(ofCollection stream: StreamID, after position: Position, limit: Int) throws -> [Position] {
        try changes(LoggedEvent.isOfStream, stream, position, limit)
    }

    /// Positions of one document's changes after `position`, ascending.
    package func changes(ofDocument stream: StreamID, after position: Position, limit: Int) throws -> [Position] {
        try changes("second = ?", stream, position, limit)
    }

    private func changes(
        _ condition: String,
        _ stream: StreamID,
        _ position: Position,
        _ limit: Int
    ) throws -> [Position] {
        try access.all(
            "SELECT seq FROM changes WHERE \(condition) AND seq > ? ORDER BY seq LIMIT ?",
            [stream.value, position.value, limit]
        ) { try $0[0] }
    }

    private static func name(collection: String) -> String { "documents/" + collection }
    private static func name(document: DocumentPath) -> String { "document/" + document.text }

    private func find(named name: String) throws -> DocumentStreamEntry? {
        guard let entry = try StreamTable(access: access).find(named: name) else { return nil }
        // Nobody follows it by name, so the column of the newest event holds the position where it began.
        return DocumentStreamEntry(id: entry.id, opened: entry.last)
    }
}

extension DocumentStreamTable where Access == WriteAccess {
    /// Begins to log a collection's changes; harmless when it is logged already.
    package func open(collection: String, at head: Position) throws {
        try open(named: Self.name(collection: collection), at: head)
    }

    /// Begins to log one document's changes; harmless when it is logged already.
    package func open(document: DocumentPath, at head: Position) throws {
        try open(named: Self.name(document: document), at: head)
    }

    private func open(named name: String, at head: Position) throws {
        let streams = StreamTable(access: access)
        guard try streams.find(named: name) == nil else { return }
        try streams.advance(streams.findOrMake(named: name), to: head)
    }
}
