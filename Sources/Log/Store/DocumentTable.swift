package import Log
package import Model

/// A document as stored.
///
/// - Confinement: any
package struct DocumentEntry: Sendable {
    package let path: DocumentPath
    /// Counts the writes of this path from 1, also across deletion.
    package let version: Int64
    /// Position of the write that made this version.
    package let position: Position
    /// Compact JSON of an object; nil when the document was deleted, and only its version is kept.
    package let body: String?

    static let findSQL = "SELECT version, seq, body FROM documents WHERE path = ?"
    static let putSQL = """
        INSERT INTO documents(path, collection, id, version, seq, body) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT(path) DO UPDATE SET version = excluded.version, seq = excluded.seq, body = excluded.body
        """
}

/// The documents that the application and the feeds write.
///
/// - Confinement: store
package struct DocumentTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// The document at a path, a deleted one without body; nil when there never was one.
    package func find(_ path: DocumentPath) throws -> DocumentEntry? {
        var input = StatementInput(try access.findDocument())
        input.add(path.text)
        return try input.first { row in
            try DocumentEntry(path: path, version: row[0], position: row[1], body: row.optional(2))
        }
    }

    /// A page of a collection, ids after `after`, in the order of ids.
    package func page(of collection: String, after: String, limit: Int) throws -> [DocumentEntry] {
        try access.all(
            """
            SELECT path, version, seq, body FROM documents
            WHERE collection = ? AND id > ? AND body IS NOT NULL ORDER BY id LIMIT ?
            """,
            [collection, after, limit]
        ) { row in
            do {
                let path = try DocumentPath(row[0])
                return try DocumentEntry(path: path, version: row[1], position: row[2], body: row.optional(3))
            } catch {
                throw StoredValueProblem(place: "documents.path")
            }
        }
    }

    /// Members of several documents, read at once: by path, the JSON of those that are there, in the order of their names.
    ///
    /// - Parameter names: of ASCII letters, digits and `_`.
    package func members(_ names: [String], of paths: [String]) throws -> [String: [(name: String, json: String)]] {
        guard !names.isEmpty, !paths.isEmpty else { return [:] }
        let columns = names.map { "body -> '$.\($0)'" }.joined(separator: ", ")
        // No path has a character that JSON escapes.
        let list = "[" + paths.map { "\"\($0)\"" }.joined(separator: ",") + "]"
        let found = try access.all(
            "SELECT path, \(columns) FROM documents WHERE path IN (SELECT value FROM json_each(?)) AND body IS NOT NULL",
            [list]
        ) { row -> (path: String, members: [(name: String, json: String)]) in
            var members: [(name: String, json: String)] = []
            for (place, name) in names.enumerated() {
                if let json: String = try row.optional(place + 1), json != "null" { members.append((name, json)) }
            }
            return (try row[0], members)
        }
        return Dictionary(found.map { ($0.path, $0.members) }) { first, _ in first }
    }

    /// Documents stored.
    package func count() throws -> Int64 {
        try access.number("SELECT count(*) FROM documents WHERE body IS NOT NULL")
    }
}

extension DocumentTable where Access == WriteAccess {
    /// Writes the document, new or over the old one.
    ///
    /// - Parameter body: compact JSON of an object; nil deletes it.
    package func put(_ path: DocumentPath, version: Int64, at position: Position, body: [UInt8]?) throws {
        var input = StatementInput(access.subjects.statements.putDocument, noting: access.recorder)
        input.add(path.text)
        input.add(path.collection)
        input.add(path.id)
        input.add(version)
        input.add(position.value)
        input.add(body)
        try input.run()
    }
}
