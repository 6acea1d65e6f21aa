import GRDB
package import Model

/// The idempotency keys: which write a key stood for, and what it was answered.
///
/// - Confinement: store
package struct KeyTable {
    let database: Database
    /// The writer's; nil on the connections that read.
    var statements: WriterStatements?

    static let findSQL = "SELECT fingerprint, reply FROM keys WHERE user = ? AND key = ?"
    static let insertSQL = "INSERT INTO keys(user, key, fingerprint, at, reply) VALUES (?, ?, ?, ?, ?)"

    /// What is kept of a write.
    package struct Entry: Sendable {
        /// A digest of the write's content, to tell a repetition from a reuse.
        package let fingerprint: Int64
        /// The body of the `ok`.
        package let reply: String
    }

    /// What a user's key stood for; nil when it is new, or was forgotten.
    package func find(_ key: String, of user: StreamID) throws -> Entry? {
        var input = StatementInput(try statements?.findKey ?? database.cachedStatement(sql: Self.findSQL))
        input.add(user.value)
        input.add(key)
        return try input.first { row in try Entry(fingerprint: row[0], reply: row[1]) }
    }

    /// Remembers what a user's key stood for and was answered; it must be new.
    ///
    /// - Parameter reply: the JSON of the answer.
    package func insert(
        _ key: String, of user: StreamID, fingerprint: Int64, reply: [UInt8], at: Timestamp
    ) throws {
        var input = StatementInput(try statements?.insertKey ?? database.cachedStatement(sql: Self.insertSQL))
        input.add(user.value)
        input.add(key)
        input.add(fingerprint)
        input.add(at.milliseconds)
        input.add(reply)
        try input.run()
    }

    /// When the newest key was written; nil when there is none.
    package func newestTime() throws -> Timestamp? {
        try database.first("SELECT at FROM keys ORDER BY id DESC LIMIT 1") { row in
            Timestamp(milliseconds: try row[0])
        }
    }

    /// The newest time among the newest keys; nil when there is none. The newest key may bear an older one: the clock was
    /// behind when it was written.
    ///
    /// - Parameter count: how many keys are looked at.
    package func newestTime(among count: Int) throws -> Timestamp? {
        let time = try database.first(
            "SELECT max(at) FROM (SELECT at FROM keys ORDER BY id DESC LIMIT ?)", [count]
        ) { row -> Int64? in try row.optional(0) }
        return (time ?? nil).map(Timestamp.init(milliseconds:))
    }

    /// Forgets those of the `limit` oldest keys that come before the first young one and are not among the `newest`.
    ///
    /// A key before a young one is younger than its time says, if that is older: the clock was behind.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package func deleteOlder(than kept: KeptTimes, limit: Int, newest: Int) throws -> Int {
        try database.run(
            """
            DELETE FROM keys WHERE id IN (SELECT id FROM keys ORDER BY id LIMIT ?)
            AND id <= (SELECT max(id) FROM keys) - ?
            AND id < coalesce(
                (SELECT min(id) FROM (SELECT id, at FROM keys ORDER BY id LIMIT ?) WHERE \(KeptTimes.condition)),
                9223372036854775807)
            """,
            [limit, newest, limit] + kept.arguments
        )
        return database.changesCount
    }
}
