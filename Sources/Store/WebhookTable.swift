import GRDB
package import Model

/// Jobs of webhooks and the endpoints that they go to.
///
/// - Confinement: store
package struct WebhookTable {
    let database: Database

    /// An address that webhooks go to.
    package struct Endpoint: Sendable, Hashable {
        package let id: Int64
        package let url: String
        /// Since when nothing goes there any more; nil when it does.
        package let disabledAt: Timestamp?
        /// Attempts that failed since the last one that did not.
        package let failures: Int64
        /// Of the last attempt: when, and what was answered.
        package let triedAt: Timestamp?
        package let status: Int64?
        package let answer: String?
    }

    /// One event on its way to an endpoint.
    package struct Job: Sendable, Hashable {
        package let id: Int64
        package let trigger: String
        package let change: Position
        package let endpoint: Int64
        /// By which the receiver knows it again, the same for every attempt.
        package let name: String
        package let path: String
        /// `create`, `update`, `delete`.
        package let event: String
        package let chain: String
        package let at: Timestamp
        /// `pending`, `delivered`, `dead`.
        package let state: String
        package let due: Timestamp
        package let attempts: Int64
        package let tries: Int64
        package let triedAt: Timestamp?
        package let status: Int64?
        package let answer: String?
    }

    /// All endpoints, in the order in which they were first used.
    package func endpoints() throws -> [Endpoint] {
        try database.all(Self.endpointQuery + " ORDER BY id", [], Self.endpoint)
    }

    /// One endpoint; nil when there is none of the number.
    package func endpoint(_ id: Int64) throws -> Endpoint? {
        try database.first(Self.endpointQuery + " WHERE id = ?", [id], Self.endpoint)
    }

    /// The next jobs of an endpoint, due or not, the earliest first.
    package func waiting(for endpoint: Int64, limit: Int) throws -> [Job] {
        try database.all(
            Self.jobQuery + " WHERE endpoint = ? AND state = 'pending' ORDER BY due, id LIMIT ?",
            [endpoint, limit],
            Self.job
        )
    }

    /// What a job's event says: the JSON of an object.
    package func data(of job: Int64) throws -> String? {
        try database.first("SELECT data FROM webhook_jobs WHERE id = ?", [job]) { try $0[0] }
    }

    /// One job; nil when there is none of the number.
    package func job(_ id: Int64) throws -> Job? {
        try database.first(Self.jobQuery + " WHERE id = ?", [id], Self.job)
    }

    /// What `tries` a job has that waits; nil when it does not, or there is none of the number.
    package func triesOfWaiting(_ job: Int64) throws -> Int64? {
        try database.first("SELECT tries FROM webhook_jobs WHERE id = ? AND state = 'pending'", [job]) { try $0[0] }
    }

    /// Jobs that wait, of all endpoints or of one.
    package func countPending(of endpoint: Int64? = nil) throws -> Int64 {
        guard let endpoint else {
            return try database.number("SELECT count(*) FROM webhook_jobs WHERE state = 'pending'")
        }
        return try database.number(
            "SELECT count(*) FROM webhook_jobs WHERE state = 'pending' AND endpoint = ?",
            [endpoint]
        )
    }

    /// Endpoints that are disabled.
    package func countDisabled() throws -> Int64 {
        try database.number("SELECT count(*) FROM webhook_endpoints WHERE disabled IS NOT NULL")
    }

    /// The newest jobs behind `before`, at most `limit`.
    ///
    /// - Parameters: nil stands for any.
    package func list(
        endpoint: Int64?,
        trigger: String?,
        state: String?,
        before: Int64,
        limit: Int
    ) throws -> [Job] {
        try database.all(
            Self.jobQuery + """
                 WHERE id < ? AND (? IS NULL OR endpoint = ?) AND (? IS NULL OR trigger = ?)
                AND (? IS NULL OR state = ?) ORDER BY id DESC LIMIT ?
                """,
            [before, endpoint, endpoint, trigger, trigger, state, state, limit],
            Self.job
        )
    }

    /// Forgets at most `limit` jobs that were delivered before a time, or are not among the newest.
    ///
    /// - Returns: how many went.
    package func trimDelivered(before time: Timestamp, kept: Int64, limit: Int) throws -> Int {
        try database.run(
            """
            DELETE FROM webhook_jobs WHERE id IN
            (SELECT id FROM webhook_jobs WHERE state = 'delivered' AND tried <= ? ORDER BY tried LIMIT ?)
            """,
            [time.milliseconds, limit]
        )
        let old = database.changesCount
        let span = try database.number(
            "SELECT coalesce((SELECT max(id) FROM webhook_jobs) - (SELECT min(id) FROM webhook_jobs), 0)"
        )
        guard span >= kept, old < limit else { return old }
        try database.run(
            """
            DELETE FROM webhook_jobs WHERE id IN
            (SELECT id FROM webhook_jobs WHERE state = 'delivered' ORDER BY tried DESC LIMIT ? OFFSET ?)
            """,
            [limit - old, kept]
        )
        return old + database.changesCount
    }

    private static let endpointQuery =
        "SELECT id, url, disabled, failures, tried, status, answer FROM webhook_endpoints"

    private static func endpoint(_ row: Columns) throws -> Endpoint {
        let disabled: Int64? = try row.optional(2)
        let tried: Int64? = try row.optional(4)
        return Endpoint(
            id: try row[0],
            url: try row[1],
            disabledAt: disabled.map(Timestamp.init(milliseconds:)),
            failures: try row[3],
            triedAt: tried.map(Timestamp.init(milliseconds:)),
            status: try row.optional(5),
            answer: try row.optional(6)
        )
    }

    private static let jobQuery = """
        SELECT id, trigger, change, endpoint, name, path, event, chain, at, state, due, attempts, tries, tried, status,
        answer FROM webhook_jobs
        """

    private static func job(_ row: Columns) throws -> Job {
        let tried: Int64? = try row.optional(13)
        return Job(
            id: try row[0],
            trigger: try row[1],
            change: try Position(row[2]),
            endpoint: try row[3],
            name: try row[4],
            path: try row[5],
            event: try row[6],
            chain: try row[7],
            at: try Timestamp(milliseconds: row[8]),
            state: try row[9],
            due: try Timestamp(milliseconds: row[10]),
            attempts: try row[11],
            tries: try row[12],
            triedAt: tried.map(Timestamp.init(milliseconds:)),
            status: try row.optional(14),
            answer: try row.optional(15)
        )
    }
}
