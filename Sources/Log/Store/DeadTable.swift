package import Log
package import Model

/// A trigger that failed on a change, or a webhook or a push that gave up.
///
/// - Confinement: any
package struct DeadLetter: Sendable {
    package let id: Int64
    package let trigger: String
    package let path: String
    package let change: Position
    package let reason: String
    package let at: Timestamp
    /// Of a webhook; nil for all others.
    package let webhook: Webhook?
    /// Of a push; nil for all others.
    package let push: Push?

    /// The push of a letter.
    package struct Push: Sendable {
        package let job: Int64
        /// The number of the device, which may have been removed since.
        package let device: Int64
        package let attempts: Int64
        /// Of the last answer; nil when there was none.
        package let status: Int64?
        /// The last answer, or why there was none.
        package let answer: String?
    }

    /// The webhook of a letter.
    package struct Webhook: Sendable {
        package let job: Int64
        /// The event's name to its receiver.
        package let name: String
        package let url: String
        package let attempts: Int64
        /// Of the last answer; nil when there was none.
        package let status: Int64?
        /// The last answer, or why there was none.
        package let answer: String?
    }
}

/// Dead letters: triggers that failed on a change, and webhooks and pushes that gave up.
///
/// - Confinement: store
package struct DeadTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// The newest letters before `before`, at most `limit`.
    ///
    /// - Parameter trigger: nil for those of all.
    package func list(trigger: String?, before: Int64, limit: Int) throws -> [DeadLetter] {
        try access.all(
            DeadLetter.query + " WHERE d.id < ? AND (? IS NULL OR d.trigger = ?) ORDER BY d.id DESC LIMIT ?",
            [before, trigger, trigger, limit],
            DeadLetter.init
        )
    }

    /// One letter; nil when no row has the number.
    package func find(_ id: Int64) throws -> DeadLetter? {
        try access.first(DeadLetter.query + " WHERE d.id = ?", [id], DeadLetter.init)
    }
}

extension DeadTable where Access == WriteAccess {
    /// False when there is no such letter. A job that is dead goes with it.
    package func delete(_ id: Int64) throws -> Bool {
        try access.change("DELETE FROM dead WHERE id = ?", [id]) > 0
    }

    /// Forgets at most `limit` letters: those of webhooks from before a time, and those that are not among the newest.
    ///
    /// - Returns: how many went.
    package func trim(before time: Timestamp, kept: Int64, limit: Int) throws -> Int {
        let old = try access.change(
            """
            DELETE FROM dead WHERE id IN
            (SELECT id FROM dead WHERE job IS NOT NULL AND at <= ? ORDER BY at, id LIMIT ?)
            """,
            [time.milliseconds, limit]
        )
        return try old
            + access.change(
                """
                DELETE FROM dead WHERE id IN
                (SELECT id FROM dead WHERE id <= (SELECT max(id) FROM dead) - ? ORDER BY id LIMIT ?)
                """,
                [kept, limit - old]
            )
    }
}

extension DeadLetter {
    private enum Column: Int, ColumnName {
        case id, trigger, path, change, reason, at
        // Of the job and its endpoint.
        case job, name, url, attempts, status, answer
        // Of the push and its try.
        case pushJob, device, pushAttempts, pushStatus, pushAnswer
    }

    fileprivate static let query = """
        SELECT d.id, d.trigger, d.path, d.change, d.reason, d.at, j.id, j.name, e.url, j.attempts, j.status, j.answer,
        d.push_job, d.device, t.attempts, t.status, t.answer
        FROM dead d LEFT JOIN webhook_jobs j ON j.id = d.job LEFT JOIN webhook_endpoints e ON e.id = j.endpoint
        LEFT JOIN push_tries t ON t.job = d.push_job AND t.device = d.device
        """

    fileprivate init(_ row: Columns) throws {
        let job: Int64? = try row.optional(Column.job)
        let webhook = try job.map { job in
            try Webhook(
                job: job,
                name: row[Column.name],
                url: row[Column.url],
                attempts: row[Column.attempts],
                status: row.optional(Column.status),
                answer: row.optional(Column.answer)
            )
        }
        id = try row[Column.id]
        trigger = try row[Column.trigger]
        path = try row[Column.path]
        change = try row[Column.change]
        reason = try row[Column.reason]
        at = try row[Column.at]
        self.webhook = webhook
        let pushJob: Int64? = try row.optional(Column.pushJob)
        push = try pushJob.map { job in
            try Push(
                job: job,
                device: row[Column.device],
                attempts: row.optional(Column.pushAttempts) ?? 0,
                status: row.optional(Column.pushStatus),
                answer: row.optional(Column.pushAnswer)
            )
        }
    }
}
