import GRDB
package import Model

/// Dead letters: triggers that failed on a change, and webhooks that gave up.
///
/// - Confinement: store
package struct DeadTable {
    let database: Database

    /// One letter.
    package struct Letter: Sendable {
        package let id: Int64
        package let trigger: String
        package let path: String
        package let change: Position
        package let reason: String
        package let at: Timestamp
        /// Of a webhook; nil when it is a trigger that failed.
        package let webhook: Webhook?
    }

    /// What a letter tells of a webhook.
    package struct Webhook: Sendable {
        package let job: Int64
        /// The event's name to its receiver.
        package let name: String
        package let url: String
        package let attempts: Int64
        /// Of the last answer; nil when there was none.
        package let status: Int64?
        /// What was answered last, or why there was no answer.
        package let answer: String?
    }

    /// The newest letters behind `before`, at most `limit`.
    ///
    /// - Parameter trigger: nil for those of all.
    package func list(trigger: String?, before: Int64, limit: Int) throws -> [Letter] {
        try database.all(
            Self.query + " WHERE d.id < ? AND (? IS NULL OR d.trigger = ?) ORDER BY d.id DESC LIMIT ?",
            [before, trigger, trigger, limit],
            Self.letter
        )
    }

    /// One letter; nil when there is none of the number.
    package func find(_ id: Int64) throws -> Letter? {
        try database.first(Self.query + " WHERE d.id = ?", [id], Self.letter)
    }

    /// False when there is no such letter. A job that is dead goes with it.
    package func delete(_ id: Int64) throws -> Bool {
        try database.run("DELETE FROM dead WHERE id = ?", [id])
        return database.changesCount > 0
    }

    /// Forgets at most `limit` of webhooks' letters from before a time, and of those that are not among the newest.
    ///
    /// - Returns: how many went.
    package func trim(before time: Timestamp, kept: Int64, limit: Int) throws -> Int {
        try database.run(
            "DELETE FROM dead WHERE id IN (SELECT id FROM dead WHERE job IS NOT NULL AND at <= ? ORDER BY at LIMIT ?)",
            [time.milliseconds, limit]
        )
        let old = database.changesCount
        try database.run(
            """
            DELETE FROM dead WHERE id IN
            (SELECT id FROM dead WHERE id <= (SELECT max(id) FROM dead) - ? ORDER BY id LIMIT ?)
            """,
            [kept, limit - old]
        )
        return old + database.changesCount
    }

    private static let query = """
        SELECT d.id, d.trigger, d.path, d.change, d.reason, d.at, j.id, j.name, e.url, j.attempts, j.status, j.answer
        FROM dead d LEFT JOIN webhook_jobs j ON j.id = d.job LEFT JOIN webhook_endpoints e ON e.id = j.endpoint
        """

    private static func letter(_ row: Columns) throws -> Letter {
        let job: Int64? = try row.optional(6)
        let webhook = try job.map { job in
            Webhook(
                job: job,
                name: try row[7],
                url: try row[8],
                attempts: try row[9],
                status: try row.optional(10),
                answer: try row.optional(11)
            )
        }
        return Letter(
            id: try row[0],
            trigger: try row[1],
            path: try row[2],
            change: try Position(row[3]),
            reason: try row[4],
            at: try Timestamp(milliseconds: row[5]),
            webhook: webhook
        )
    }
}
