package import Log
package import Model

/// A change of a document as the history knows it: what was there before it and after it, when, and who wrote it.
///
/// - Confinement: any
package struct DocumentVersion: Sendable, Hashable {
    /// Place of the change in the log.
    package let position: Position
    package let path: String
    /// Compact JSON of the document before the change; nil when there was none.
    package let before: String?
    /// The same after the change; nil when it was deleted.
    package fileprivate(set) var after: String?
    package let at: Timestamp
    /// The writer: `user alice`, `admin operator`, `server`.
    package let by: String
    /// Whether it was there before anybody asked for it: a feed's first answer.
    package let isBackfill: Bool
    /// The triggers through which it came about.
    package let chain: TriggerChain
}

/// The changes of documents, as long as the log is kept, so that a trigger can be run again on a past one.
///
/// A row keeps the document that the change replaced. The document that the change left is in the path's next row, or
/// is the one that stands: so a new document is not written twice, and each row can go by itself. Messages,
/// recommendations and follows are not here (the log itself holds them), but for a row without body where a
/// recommendation was seen.
///
/// - Confinement: store
package struct DocumentHistoryTable<Access: ReadAccess>: StoredTable {
    package let access: Access
    /// How many bytes of large versions are kept.
    package var bounds = HistoryBounds()

    /// The change at a position; nil when it is no document's, or not kept any more.
    package func find(_ position: Position) throws -> DocumentVersion? {
        guard
            var version = try access.first(
                DocumentVersion.query + " WHERE seq = ?", [position.value], DocumentVersion.init)
        else { return nil }
        version.after = try body(of: version.path, asOf: position)
        return version
    }

    /// Compact JSON of a document as it stood after a position: the one that the next change replaced, or the one that
    /// stands.
    package func body(of path: String, asOf position: Position) throws -> String? {
        let next = try access.first(
            "SELECT before FROM document_versions WHERE path = ? AND seq > ? ORDER BY seq LIMIT 1",
            [path, position.value]
        ) { row -> String? in try row.optional(0) }
        if let next { return next }
        return try access.value("SELECT body FROM documents WHERE path = ?", [path])
    }

    /// Where a path changed before a position, newest first.
    package func positions(of path: String, before position: Position, limit: Int) throws -> [Position] {
        try access.all(
            "SELECT seq FROM document_versions WHERE path = ? AND seq < ? ORDER BY seq DESC LIMIT ?",
            [path, position.value, limit]
        ) { try $0[0] }
    }

    /// Where a path changed after a position, ascending.
    package func positions(of path: String, after position: Position, limit: Int) throws -> [Position] {
        try access.all(
            "SELECT seq FROM document_versions WHERE path = ? AND seq > ? ORDER BY seq LIMIT ?",
            [path, position.value, limit]
        ) { try $0[0] }
    }

    /// Which paths changed in a range, ascending.
    package func changed(in range: ClosedRange<Int64>) throws -> [(position: Position, path: String)] {
        try access.all(
            "SELECT seq, path FROM document_versions WHERE seq BETWEEN ? AND ? ORDER BY seq",
            [range.lowerBound, range.upperBound]
        ) { try ($0[0], $0[1]) }
    }

    /// Changes kept.
    package func count() throws -> Int64 {
        try access.number("SELECT count(*) FROM document_versions")
    }
}

extension DocumentHistoryTable where Access == WriteAccess {
    /// Keeps a change, in its transaction; the oldest large versions go where they take more than their bounds.
    ///
    /// - Parameters:
    ///   - path: of the document.
    ///   - position: place of the change in the log.
    ///   - before: compact JSON of the document that was there; nil when there was none.
    ///   - time: when it was written.
    ///   - by: who wrote it.
    ///   - isBackfill: whether it was there before anybody asked for it.
    ///   - chain: the triggers through which it came about.
    package func insert(
        _ path: DocumentPath,
        at position: Position,
        before: [UInt8]?,
        time: Timestamp,
        by: String,
        isBackfill: Bool = false,
        chain: TriggerChain = .none
    ) throws {
        var input = StatementInput(access.subjects.statements.insertVersion, noting: access.recorder)
        input.add(position.value)
        input.add(path.text)
        input.add(before)
        input.add(time.milliseconds)
        input.add(by)
        input.add(isBackfill)
        input.add(chain.names.isEmpty ? nil : chain.text)
        let large = before.map(\.count).flatMap { $0 > HistoryBounds.smallBytesMax ? $0 : nil }
        input.add(large.map(Int64.init))
        try input.run()
        if let large { try count(large, of: path, by: by) }
    }

    /// Forgets the changes that the log does not hold any more.
    package func trim(upTo position: Position) throws {
        try access.run("DELETE FROM document_versions WHERE seq <= ?", [position.value])
    }
}

extension DocumentVersion {
    private enum Column: Int, ColumnName {
        case seq, path, before, at, by, quiet, chain
    }

    fileprivate static let query = "SELECT \(Column.list()) FROM document_versions"

    static let insertSQL = """
        INSERT INTO document_versions(\(Column.list()), bytes) VALUES (\(Column.parameters), ?)
        """

    /// All but the document that the change left.
    fileprivate init(_ row: Columns) throws {
        let chain: String? = try row.optional(Column.chain)
        position = try row[Column.seq]
        path = try row[Column.path]
        before = try row.optional(Column.before)
        after = nil
        at = try row[Column.at]
        by = try row[Column.by]
        isBackfill = try row[Column.quiet]
        self.chain = chain.flatMap { TriggerChain($0) } ?? .none
    }
}
