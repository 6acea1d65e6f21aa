package import Log
package import Model

/// An address that webhooks go to.
///
/// - Confinement: any
package struct WebhookEndpoint: Sendable, Hashable {
    package let id: Int64
    package let url: String
    /// Since when nothing is sent there; nil when it is not disabled.
    package let disabledAt: Timestamp?
    /// Attempts that failed since the last one that did not.
    package let failures: Int64
    /// When the last attempt was, and how it was answered.
    package let triedAt: Timestamp?
    package let status: Int64?
    package let answer: String?
}

/// One event on its way to an endpoint.
///
/// - Confinement: any
package struct WebhookJob: Sendable, Hashable {
    package let id: Int64
    package let trigger: String
    package let change: Position
    package let endpoint: Int64
    /// The receiver recognizes the event by it: it is the same for every attempt.
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

/// Jobs of webhooks and the endpoints that they go to.
///
/// - Confinement: store
package struct WebhookTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// All endpoints, in the order in which they were first used.
    package func endpoints() throws -> [WebhookEndpoint] {
        try access.all(WebhookEndpoint.query + " ORDER BY id", [], WebhookEndpoint.init)
    }

    /// One endpoint; nil when no row has the number.
    package func endpoint(_ id: Int64) throws -> WebhookEndpoint? {
        try access.first(WebhookEndpoint.query + " WHERE id = ?", [id], WebhookEndpoint.init)
    }

    /// The next jobs of an endpoint, due or not, the earliest first.
    package func waiting(for endpoint: Int64, limit: Int) throws -> [WebhookJob] {
        try access.all(
            WebhookJob.query + " WHERE endpoint = ? AND state = 'pending' ORDER BY due, id LIMIT ?",
            [endpoint, limit],
            WebhookJob.init
        )
    }

    /// The content of a job's event: the JSON of an object.
    package func data(of job: Int64) throws -> String? {
        try access.value("SELECT data FROM webhook_jobs WHERE id = ?", [job])
    }

    /// All jobs about changes of a document, whether they wait, are dead or were delivered: each may be sent again.
    package func jobs(about path: String) throws -> [WebhookJob] {
        try access.all(WebhookJob.query + " WHERE path = ? ORDER BY id", [path], WebhookJob.init)
    }

    /// One job; nil when no row has the number.
    package func job(_ id: Int64) throws -> WebhookJob? {
        try access.first(WebhookJob.query + " WHERE id = ?", [id], WebhookJob.init)
    }

    /// The `tries` of a job that waits; nil when it does not, or no row has the number.
    package func triesOfWaiting(_ job: Int64) throws -> Int64? {
        try access.value("SELECT tries FROM webhook_jobs WHERE id = ? AND state = 'pending'", [job])
    }

    /// Jobs that wait, of all endpoints or of one.
    package func countPending(of endpoint: Int64? = nil) throws -> Int64 {
        guard let endpoint else {
            return try access.number("SELECT count(*) FROM webhook_jobs WHERE state = 'pending'")
        }
        return try access.number(
            "SELECT count(*) FROM webhook_jobs WHERE state = 'pending' AND endpoint = ?",
            [endpoint]
        )
    }

    /// The newest jobs before `before`, at most `limit`.
    ///
    /// - Parameters: nil stands for any.
    package func list(
        endpoint: Int64?,
        trigger: String?,
        state: String?,
        before: Int64,
        limit: Int
    ) throws -> [WebhookJob] {
        try access.all(
            WebhookJob.query + """
                 WHERE id < ? AND (? IS NULL OR endpoint = ?) AND (? IS NULL OR trigger = ?)
                AND (? IS NULL OR state = ?) ORDER BY id DESC LIMIT ?
                """,
            [before, endpoint, endpoint, trigger, trigger, state, state, limit],
            WebhookJob.init
        )
    }
}

extension WebhookEndpoint {
    private enum Column: Int, ColumnName {
        case id, url, disabled, failures, tried, status, answer
    }

    fileprivate static let query = "SELECT \(Column.list()) FROM webhook_endpoints"

    fileprivate init(_ row: Columns) throws {
        id = try row[Column.id]
        url = try row[Column.url]
        disabledAt = try row.optional(Column.disabled)
        failures = try row[Column.failures]
        triedAt = try row.optional(Column.tried)
        status = try row.optional(Column.status)
        answer = try row.optional(Column.answer)
    }
}

extension WebhookJob {
    private enum Column: Int, ColumnName {
        case id, trigger, change, endpoint, name, path, event, chain, at, state, due, attempts, tries, tried, status
        case answer
    }

    fileprivate static let query = "SELECT \(Column.list()) FROM webhook_jobs"

    fileprivate init(_ row: Columns) throws {
        id = try row[Column.id]
        trigger = try row[Column.trigger]
        change = try row[Column.change]
        endpoint = try row[Column.endpoint]
        name = try row[Column.name]
        path = try row[Column.path]
        event = try row[Column.event]
        chain = try row[Column.chain]
        at = try row[Column.at]
        state = try row[Column.state]
        due = try row[Column.due]
        attempts = try row[Column.attempts]
        tries = try row[Column.tries]
        triedAt = try row.optional(Column.tried)
        status = try row.optional(Column.status)
        answer = try row.optional(Column.answer)
    }
}
