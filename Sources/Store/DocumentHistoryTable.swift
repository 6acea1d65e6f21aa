import GRDB
package import Model

/// A change of a document as the history knows it: what was there before it and behind it, when, and who wrote it.
///
/// - Confinement: any
package struct DocumentVersion: Sendable, Hashable {
    /// Place of the change in the log.
    package let position: Position
    package let path: String
    /// Compact JSON of the document before the change; nil when there was none.
    package let before: String?
    /// The same behind it; nil when it was deleted.
    package let after: String?
    package let at: Timestamp
    /// Who wrote it: `user alice`, `admin operator`, `server`.
    package let by: String
    /// Whether it was there before anybody asked for it: a feed's first answer.
    package let isBackfill: Bool
    /// The triggers through which it came about.
    package let chain: TriggerChain
}

/// The changes of documents, as long as the log is kept: what a trigger needs to be run again on a past one.
///
/// A row keeps what the change put aside. What it left is what the next change of the path put aside, or the document as it
/// stands: so a new document is not written twice, and each row can go by itself. Messages, recommendations and follows
/// are not here (the log itself holds them), but for a row without body where a recommendation was seen.
///
/// - Confinement: store
package struct DocumentHistoryTable {
    let database: Database
    /// The writer's; nil on the connections that read.
    var statements: WriterStatements?
    /// How many bytes of large versions are kept.
    package var bounds = HistoryBounds()

    static let insertSQL = """
        INSERT INTO document_versions(seq, path, before, at, by, quiet, chain, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// Keeps a change, in its transaction; the oldest large versions go where they take more than their bounds.
    ///
    /// - Parameters:
    ///   - path: of the document.
    ///   - position: place of the change in the log.
    ///   - before: compact JSON of what was there; nil when there was nothing.
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
        var input = StatementInput(try statements?.insertVersion ?? database.cachedStatement(sql: Self.insertSQL))
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

    /// The change at a position; nil when it is no document's, or not kept any more.
    package func find(_ position: Position) throws -> DocumentVersion? {
        let row = try database.first(
            "SELECT path, before, at, by, quiet, chain FROM document_versions WHERE seq = ?",
            [position.value]
        ) { row in
            (
                path: try row[0] as String, before: try row.optional(1) as String?, at: try row[2] as Int64,
                by: try row[3] as String, quiet: try row[4] as Int64, chain: try row.optional(5) as String?
            )
        }
        guard let row else { return nil }
        return DocumentVersion(
            position: position,
            path: row.path,
            before: row.before,
            after: try body(of: row.path, asOf: position),
            at: Timestamp(milliseconds: row.at),
            by: row.by,
            isBackfill: row.quiet != 0,
            chain: row.chain.flatMap { TriggerChain($0) } ?? .none
        )
    }

    /// Compact JSON of a document as it stood behind a position: what the next change put aside, or what is there.
    package func body(of path: String, asOf position: Position) throws -> String? {
        let next = try database.first(
            "SELECT before FROM document_versions WHERE path = ? AND seq > ? ORDER BY seq LIMIT 1",
            [path, position.value]
        ) { row -> String? in try row.optional(0) }
        if let next { return next }
        let standing = try database.first("SELECT body FROM documents WHERE path = ?", [path]) { row -> String? in
            try row.optional(0)
        }
        return standing ?? nil
    }

    /// Where a path changed before a position, newest first.
    package func positions(of path: String, before position: Position, limit: Int) throws -> [Position] {
        try database.all(
            "SELECT seq FROM document_versions WHERE path = ? AND seq < ? ORDER BY seq DESC LIMIT ?",
            [path, position.value, limit]
        ) { try Position($0[0]) }
    }

    /// Where a path changed behind a position, ascending.
    package func positions(of path: String, after position: Position, limit: Int) throws -> [Position] {
        try database.all(
            "SELECT seq FROM document_versions WHERE path = ? AND seq > ? ORDER BY seq LIMIT ?",
            [path, position.value, limit]
        ) { try Position($0[0]) }
    }

    /// Which paths changed in a range, ascending.
    package func changed(in range: ClosedRange<Int64>) throws -> [(position: Position, path: String)] {
        try database.all(
            "SELECT seq, path FROM document_versions WHERE seq BETWEEN ? AND ? ORDER BY seq",
            [range.lowerBound, range.upperBound]
        ) { try (Position($0[0]), $0[1]) }
    }

    /// Changes kept.
    package func count() throws -> Int64 {
        try database.number("SELECT count(*) FROM document_versions")
    }

    /// Forgets what the log does not hold any more.
    package func trim(upTo position: Position) throws {
        try database.run("DELETE FROM document_versions WHERE seq <= ?", [position.value])
    }
}
