import Log
import Model

/// The bytes of large versions: bounded for each path, for each user who wrote them, and in all. A small version takes
/// no more than the command that replaced it.
extension DocumentHistoryTable {
    /// Bytes of the large versions that are kept.
    package func keptBytes() throws -> Int64 { try bytes(of: "all") }

    private func bytes(of owner: String) throws -> Int64 {
        try access.number("SELECT coalesce((SELECT bytes FROM version_bytes WHERE owner = ?), 0)", [owner])
    }
}

extension DocumentHistoryTable where Access == WriteAccess {
    /// Adds up what a large version takes, and forgets the oldest ones beyond the bounds.
    func count(_ bytes: Int, of path: DocumentPath, by: String) throws {
        let owners = ["all", "by " + by, "path " + path.text]
        for owner in owners {
            try access.run(
                """
                INSERT INTO version_bytes(owner, bytes) VALUES (?, ?)
                ON CONFLICT(owner) DO UPDATE SET bytes = bytes + excluded.bytes
                """,
                [owner, bytes]
            )
        }
        try trim(owners[2], max: bounds.path, "path = ?", [path.text])
        if by.hasPrefix("user ") { try trim(owners[1], max: bounds.user, "by = ?", [by]) }
        try trim(owners[0], max: bounds.all, "TRUE", [])
    }

    /// Forgets the oldest of an owner's large versions until the others take no more than `max`.
    private func trim(
        _ owner: String,
        max: Int64,
        _ condition: String,
        _ arguments: [(any StatementArgument)?]
    ) throws {
        while try bytes(of: owner) > max {
            let oldest = try access.first(
                "SELECT path, seq FROM document_versions WHERE bytes IS NOT NULL AND \(condition) ORDER BY seq LIMIT 1",
                arguments
            ) { row -> (path: String, seq: Int64) in try (row[0], row[1]) }
            guard let oldest else { return }
            // The version that a change left is in the path's next row: so a path's versions go from the oldest on.
            try access.run(
                """
                DELETE FROM document_versions WHERE seq IN
                (SELECT seq FROM document_versions WHERE path = ? AND seq <= ? ORDER BY seq LIMIT ?)
                """,
                [oldest.path, oldest.seq, Limits.trimmedRowsMax]
            )
        }
    }
}
