import GRDB
package import Model

/// The bytes that keys take, by user and of all: added up now and then rather than with each write.
extension KeyTable {
    /// Number under which the bytes of all users' keys are added up.
    private static let everybody: Int64 = -1
    /// Bytes of a key's row, as ``Schema/bounds`` takes them off again; 64 are those of its numbers and indexes.
    private static let rowBytes = "64 + length(key) + length(CAST(reply AS BLOB))"

    /// Adds up at most `limit` keys that are not counted yet, the oldest first.
    ///
    /// - Returns: how many there were.
    package func countBytes(limit: Int) throws -> Int {
        let text: String? = try database.first("SELECT value FROM meta WHERE name = 'keys_counted'") { try $0[0] }
        guard let counted = text.flatMap({ Int64($0) }) else { throw StoredValueProblem(place: "meta.keys_counted") }
        let new = try database.all(
            "SELECT id, user, \(Self.rowBytes) FROM keys WHERE id > ? ORDER BY id LIMIT ?", [counted, limit]
        ) { row -> (id: Int64, user: Int64, bytes: Int64) in try (row[0], row[1], row[2]) }
        guard let last = new.last else { return 0 }
        var sums = Dictionary(new.map { ($0.user, $0.bytes) }, uniquingKeysWith: +)
        sums[Self.everybody] = new.reduce(0) { $0 + $1.bytes }
        for (user, bytes) in sums {
            try database.run(
                """
                INSERT INTO key_bytes(user, bytes) VALUES (?, ?)
                ON CONFLICT(user) DO UPDATE SET bytes = bytes + excluded.bytes
                """,
                [user, bytes]
            )
        }
        try database.run("UPDATE meta SET value = ? WHERE name = 'keys_counted'", [String(last.id)])
        return new.count
    }

    /// Forgets at most `limit` of the oldest counted keys of the user whose keys take most, where they take more than
    /// `userBytesMax`; else of all users, where all take more than `bytesMax`.
    ///
    /// - Returns: how many there were.
    package func deleteBeyond(userBytesMax: Int64, bytesMax: Int64, limit: Int) throws -> Int {
        let most = try database.first(
            "SELECT user, bytes FROM key_bytes WHERE user <> ? ORDER BY bytes DESC LIMIT 1", [Self.everybody]
        ) { row -> (user: Int64, bytes: Int64) in try (row[0], row[1]) }
        if let most, most.bytes > userBytesMax {
            return try deleteOldest("SELECT id FROM keys WHERE user = ? ORDER BY id LIMIT ?", [most.user, limit])
        }
        let all = try bytes(of: StreamID(Self.everybody))
        return all > bytesMax ? try deleteOldest("SELECT id FROM keys ORDER BY id LIMIT ?", [limit]) : 0
    }

    /// Bytes that a user's counted keys take.
    package func bytes(of user: StreamID) throws -> Int64 {
        try database.number("SELECT coalesce((SELECT bytes FROM key_bytes WHERE user = ?), 0)", [user.value])
    }

    private func deleteOldest(_ ids: String, _ arguments: [(any StatementArgument)?]) throws -> Int {
        try database.run("DELETE FROM keys WHERE id IN (\(ids))", arguments)
        return database.changesCount
    }
}
