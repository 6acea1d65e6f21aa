package import Model

/// A write that had an idempotency key, as it is remembered.
///
/// - Confinement: any
package struct KeyEntry: Sendable {
    /// A digest of the write's content, to tell a repetition from a reuse.
    package let fingerprint: Int64
    /// The body of the `ok`; of a refusal its code, as JSON.
    package let reply: String
    /// Whether the write was refused for good.
    package let isRefused: Bool

    static let findSQL = "SELECT fingerprint, reply, refused FROM keys WHERE user = ? AND key = ?"
    static let insertSQL = "INSERT INTO keys(user, key, fingerprint, at, reply) VALUES (?, ?, ?, ?, ?)"
}

/// The idempotency keys: which write a key stood for, and how it was answered.
///
/// - Confinement: store
package struct KeyTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    package init(access: Access) { self.access = access }

    /// The write that a user's key stood for; nil when the key is new, or was forgotten.
    package func find(_ key: String, of user: StreamID) throws -> KeyEntry? {
        var input = StatementInput(try access.findKey())
        input.add(user.value)
        input.add(key)
        return try input.first { row in try KeyEntry(fingerprint: row[0], reply: row[1], isRefused: row[2]) }
    }

    /// When the newest key was written; nil when there is none.
    package func newestTime() throws -> Timestamp? {
        try access.value("SELECT at FROM keys ORDER BY id DESC LIMIT 1")
    }

    /// The newest time among the newest keys; nil when there is none. The newest key may have an older one: the clock
    /// was slow when it was written.
    ///
    /// - Parameter count: how many keys are looked at.
    package func newestTime(among count: Int) throws -> Timestamp? {
        try access.value("SELECT max(at) FROM (SELECT at FROM keys ORDER BY id DESC LIMIT ?)", [count])
    }

    /// Bytes that a user's counted keys take.
    package func bytes(of user: StreamID) throws -> Int64 { try bytes(ofOwner: user.value) }

    fileprivate func bytes(ofOwner owner: Int64) throws -> Int64 {
        try access.number("SELECT coalesce((SELECT bytes FROM key_bytes WHERE user = ?), 0)", [owner])
    }
}

extension KeyTable where Access == WriteAccess {
    /// Remembers what a user's key stood for and how it was answered; the key must be new.
    ///
    /// - Parameter reply: the JSON of the answer.
    package func insert(
        _ key: String, of user: StreamID, fingerprint: Int64, reply: [UInt8], at: Timestamp
    ) throws {
        var input = StatementInput(access.statements.insertKey, noting: access.recorder)
        input.add(user.value)
        input.add(key)
        input.add(fingerprint)
        input.add(at.milliseconds)
        input.add(reply)
        try input.run()
    }

    /// Remembers that a user's write with a new key was refused for good.
    ///
    /// - Parameter code: of the refusal, as JSON.
    package func insertRefused(
        _ key: String, of user: StreamID, fingerprint: Int64, code: [UInt8], at: Timestamp
    ) throws {
        try access.run(
            "INSERT INTO keys(user, key, fingerprint, at, reply, refused) VALUES (?, ?, ?, ?, ?, 1)",
            [user.value, key, fingerprint, at.milliseconds, String(decoding: code, as: UTF8.self)])
    }

    /// Forgets a key.
    package func delete(_ key: String, of user: StreamID) throws {
        try access.run("DELETE FROM keys WHERE user = ? AND key = ?", [user.value, key])
    }

    /// Forgets those of the `limit` oldest keys that come before the first young one and are not among the `newest`.
    ///
    /// A key before a young one is younger than its time says, if that time is older: the clock was slow.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package func deleteOlder(than kept: KeptTimes, limit: Int, newest: Int) throws -> Int {
        try access.change(
            """
            DELETE FROM keys WHERE id IN (SELECT id FROM keys ORDER BY id LIMIT ?)
            AND id <= (SELECT max(id) FROM keys) - ?
            AND id < coalesce(
                (SELECT min(id) FROM (SELECT id, at FROM keys ORDER BY id LIMIT ?) WHERE \(KeptTimes.condition)),
                9223372036854775807)
            """,
            [limit, newest, limit] + kept.arguments
        )
    }
}

// MARK: - The bytes that keys take

// By user and of all; added up now and then rather than with each write.
extension KeyTable where Access == WriteAccess {
    /// The number under which the bytes of all users' keys are added up.
    private var everybody: Int64 { -1 }

    /// Adds up at most `limit` keys that are not counted yet, the oldest first.
    ///
    /// - Returns: how many there were.
    package func countBytes(limit: Int) throws -> Int {
        guard let counted = try access.metaNumber(.countedKeys) else { throw MetaText.countedKeys.problem }
        // Bytes of a key's row, as `Schema.bounds` takes them off again; 64 are those of its numbers and indexes.
        let new = try access.all(
            """
            SELECT user, sum(bytes), max(id), count(*) FROM (SELECT id, user, 64 + length(key) + length(CAST(reply AS BLOB))
            AS bytes FROM keys WHERE id > ? ORDER BY id LIMIT ?) GROUP BY user
            """,
            [counted, limit]
        ) { row -> (user: Int64, bytes: Int64, last: Int64, keys: Int64) in try (row[0], row[1], row[2], row[3]) }
        guard let last = new.map(\.last).max() else { return 0 }
        let sums = new.map { ($0.user, $0.bytes) } + [(everybody, new.reduce(0) { $0 + $1.bytes })]
        for (user, bytes) in sums {
            try access.run(
                """
                INSERT INTO key_bytes(user, bytes) VALUES (?, ?)
                ON CONFLICT(user) DO UPDATE SET bytes = bytes + excluded.bytes
                """,
                [user, bytes]
            )
        }
        try access.setMeta(.countedKeys, String(last))
        return Int(new.reduce(0) { $0 + $1.keys })
    }

    /// Forgets at most `limit` of the oldest counted keys of the user whose keys take most, where they take more than
    /// `userBytesMax`; else of all users, where all take more than `bytesMax`.
    ///
    /// - Returns: how many there were.
    package func deleteBeyond(userBytesMax: Int64, bytesMax: Int64, limit: Int) throws -> Int {
        let most = try access.first(
            "SELECT user, bytes FROM key_bytes WHERE user <> ? ORDER BY bytes DESC LIMIT 1", [everybody]
        ) { row -> (user: Int64, bytes: Int64) in try (row[0], row[1]) }
        if let most, most.bytes > userBytesMax {
            return try deleteOldest("SELECT id FROM keys WHERE user = ? ORDER BY id LIMIT ?", [most.user, limit])
        }
        guard try bytes(ofOwner: everybody) > bytesMax else { return 0 }
        return try deleteOldest("SELECT id FROM keys ORDER BY id LIMIT ?", [limit])
    }

    private func deleteOldest(_ ids: String, _ arguments: [(any StatementArgument)?]) throws -> Int {
        try access.change("DELETE FROM keys WHERE id IN (\(ids))", arguments)
    }
}
