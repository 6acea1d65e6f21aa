import GRDB
package import Model

/// A change of a document as the history keeps it: what was there behind it, when, and who wrote it.
///
/// - Confinement: any
package struct DocumentVersion: Sendable, Hashable {
    /// Place of the change in the log.
    package let position: Position
    package let path: String
    /// Compact JSON of the document after the change; nil when it was deleted. Also nil for a recommendation, which stands
    /// in a table of its own: there it says that it was seen.
    package let body: String?
    /// Nil for what was written before the history was kept.
    package let at: Timestamp?
    /// Who wrote it: `user alice`, `admin operator`, `server`; nil for what was written before the history was kept.
    package let by: String?

    package init(position: Position, path: String, body: String?, at: Timestamp?, by: String?) {
        self.position = position
        self.path = path
        self.body = body
        self.at = at
        self.by = by
    }
}

/// The versions of documents, as long as the log is kept: what a trigger needs to be run again on a past change.
///
/// A change's document before it is the version before; the newest version at or before the beginning of the log stays
/// for that. Messages, recommendations and follows are not here: the log itself holds them.
///
/// - Confinement: store
package struct DocumentHistoryTable {
    let database: Database

    private static let columns = "seq, path, body, at, by"

    /// Keeps a change, in its transaction.
    package func insert(_ version: DocumentVersion) throws {
        try database.run(
            "INSERT INTO document_versions(\(Self.columns)) VALUES (?, ?, ?, ?, ?)",
            [
                version.position.value, version.path, version.body, version.at?.milliseconds, version.by,
            ]
        )
    }

    /// The change at a position; nil when it is no document's, or not kept any more.
    package func find(_ position: Position) throws -> DocumentVersion? {
        try database.first(
            "SELECT \(Self.columns) FROM document_versions WHERE seq = ?",
            [position.value],
            Self.version
        )
    }

    /// The version that a path had before a position; nil when there was none.
    package func newest(of path: String, before position: Position) throws -> DocumentVersion? {
        try database.first(
            "SELECT \(Self.columns) FROM document_versions WHERE path = ? AND seq < ? ORDER BY seq DESC LIMIT 1",
            [path, position.value],
            Self.version
        )
    }

    /// The changes of a path before a position, newest first.
    package func versions(of path: String, before position: Position, limit: Int) throws -> [DocumentVersion] {
        try database.all(
            "SELECT \(Self.columns) FROM document_versions WHERE path = ? AND seq < ? ORDER BY seq DESC LIMIT ?",
            [path, position.value, limit],
            Self.version
        )
    }

    /// Which paths changed in a range, ascending, without their bodies.
    package func changed(
        in range: ClosedRange<Int64>,
        limit: Int
    ) throws -> [(position: Position, path: String)] {
        try database.all(
            "SELECT seq, path FROM document_versions WHERE seq BETWEEN ? AND ? ORDER BY seq LIMIT ?",
            [range.lowerBound, range.upperBound, limit]
        ) { try (Position($0[0]), $0[1]) }
    }

    /// Versions kept.
    package func count() throws -> Int64 {
        try database.number("SELECT count(*) FROM document_versions")
    }

    /// Forgets what lies behind the beginning of the log, which moves: of each path changed in between the newest version
    /// stays, since it is what the next change finds before it; of a deleted document nothing does.
    ///
    /// - Parameters:
    ///   - before: where the log began; what lies behind it was trimmed in an earlier step.
    ///   - from: where it begins now.
    package func trim(from before: Position, upTo from: Position) throws {
        try database.run(
            """
            DELETE FROM document_versions WHERE seq IN (
                SELECT earlier.seq FROM document_versions AS later
                JOIN document_versions AS earlier ON earlier.path = later.path AND earlier.seq < later.seq
                WHERE later.seq > ? AND later.seq <= ?)
            """,
            [before.value, from.value]
        )
        try database.run(
            "DELETE FROM document_versions WHERE seq > ? AND seq <= ? AND body IS NULL",
            [before.value, from.value]
        )
    }

    private static func version(_ row: Columns) throws -> DocumentVersion {
        let at: Int64? = try row.optional(3)
        return DocumentVersion(
            position: try Position(row[0]),
            path: try row[1],
            body: try row.optional(2),
            at: at.map(Timestamp.init(milliseconds:)),
            by: try row.optional(4)
        )
    }
}
