package import Log
package import Model

/// The events for other servers as a transaction that writes has them.
package typealias WrittenWebhooks = WebhookTable<WriteAccess>

// Changes of jobs go into the tally of the transaction, which wakes the sender.
extension WrittenWebhooks {
    /// Queues an event; harmless when the trigger queued one for this change before.
    ///
    /// Its name contains the epoch, because positions come again after a restored backup. It has no full stop: full
    /// stops separate the parts that are signed.
    package func queue(_ draft: WebhookDraft, at now: Timestamp) throws {
        let endpoint = try findOrMakeEndpoint(draft.url)
        let changed = try access.change(
            """
            INSERT INTO webhook_jobs(trigger, change, endpoint, name, path, event, chain, data, at, due)
            SELECT ?, ?, ?, replace(value, '.', '-') || '_' || ? || '_' || ?, ?, ?, ?, ?, ?, ?
            FROM meta WHERE name = 'epoch' ON CONFLICT(trigger, change) DO NOTHING
            """,
            [
                draft.trigger, draft.change.value, endpoint, draft.change.value, draft.trigger, draft.path, draft.event,
                draft.chain, draft.data, now.milliseconds, now.milliseconds,
            ]
        )
        guard changed > 0 else { return }
        access.webhookTally.queued += 1
        access.webhookTally.isTouched = true
    }

    /// Notes the result of an attempt; harmless when it was noted before.
    package func note(_ attempt: WebhookAttempt) throws {
        access.webhookTally.isTouched = true
        let (state, due): (String, Timestamp) =
            switch attempt.outcome {
            case .delivered: ("delivered", attempt.at)
            case .retry(let time): ("pending", time)
            case .dead, .gone: ("dead", attempt.at)
            }
        let changed = try access.change(
            """
            UPDATE webhook_jobs SET state = ?, due = ?, attempts = attempts + 1, tries = ?, tried = ?, status = ?, answer = ?
            WHERE id = ? AND state = 'pending' AND tries = ?
            """,
            [
                state, due.milliseconds, attempt.number, attempt.at.milliseconds, attempt.status, attempt.answer,
                attempt.job, attempt.number - 1,
            ]
        )
        guard changed > 0 else { return }
        let isDelivered = attempt.outcome == .delivered
        try access.run(
            """
            UPDATE webhook_endpoints SET tried = ?, status = ?, answer = ?, failures = CASE WHEN ? THEN 0 ELSE failures + 1 END
            WHERE id = (SELECT endpoint FROM webhook_jobs WHERE id = ?)
            """,
            [attempt.at.milliseconds, attempt.status, attempt.answer, isDelivered, attempt.job]
        )
        if isDelivered { access.webhookTally.delivered += 1 } else { access.webhookTally.failed += 1 }
        switch attempt.outcome {
        case .delivered, .retry: return
        case .dead(let reason): try bury("id = ?", [attempt.job], limit: 1, reason: reason, at: attempt.at)
        case .gone:
            try bury("id = ?", [attempt.job], limit: 1, reason: Self.goneReason, at: attempt.at)
            access.webhookTally.disabled += try access.change(
                """
                UPDATE webhook_endpoints SET disabled = ? WHERE disabled IS NULL
                AND id = (SELECT endpoint FROM webhook_jobs WHERE id = ?)
                """,
                [attempt.at.milliseconds, attempt.job]
            )
        }
    }

    /// Makes dead letters of jobs that nobody will send: those of disabled endpoints, and the oldest of too many.
    ///
    /// - Returns: how many went; as many as `limit` when there may be more.
    package func burySurplus(pendingMax: Int64, limit: Int, at now: Timestamp) throws -> Int {
        let ofDisabled = try bury(
            "state = 'pending' AND endpoint IN (SELECT id FROM webhook_endpoints WHERE disabled IS NOT NULL)",
            [],
            limit: limit,
            reason: Self.goneReason,
            at: now
        )
        let surplus = try countPending() - pendingMax
        guard surplus > 0, ofDisabled < limit else { return ofDisabled }
        let ofMany = try bury(
            "state = 'pending'",
            [],
            limit: min(limit - ofDisabled, Int(surplus)),
            reason: "more than \(pendingMax) webhooks wait, and this was the oldest",
            at: now
        )
        return ofDisabled + ofMany
    }

    /// Sends a job again that was delivered, or is dead. The result of an attempt that was under way does not count for
    /// the next one, since `tries` goes on.
    ///
    /// - Parameter url: where to; nil for where it went before.
    /// - Returns: false when it waits already, or there is none.
    package func requeue(job: Int64, url: String?, at now: Timestamp) throws -> Bool {
        let endpoint = try url.map(findOrMakeEndpoint)
        let changed = try access.change(
            """
            UPDATE webhook_jobs SET state = 'pending', due = ?, attempts = 0, tries = tries + 1, endpoint = coalesce(?, endpoint)
            WHERE id = ? AND state <> 'pending'
            """,
            [now.milliseconds, endpoint, job]
        )
        guard changed > 0 else { return false }
        try access.run("DELETE FROM dead WHERE job = ?", [job])
        access.webhookTally.queued += 1
        access.webhookTally.isTouched = true
        return true
    }

    /// Sends again all that a trigger's webhook delivered after a position, and from a time on.
    ///
    /// - Returns: how many.
    package func requeue(
        trigger: String,
        after position: Position,
        from time: Timestamp,
        url: String?,
        at now: Timestamp
    ) throws -> Int {
        let endpoint = try url.map(findOrMakeEndpoint)
        let count = try access.change(
            """
            UPDATE webhook_jobs SET state = 'pending', due = ?, attempts = 0, tries = tries + 1, endpoint = coalesce(?, endpoint)
            WHERE trigger = ? AND state = 'delivered' AND change > ? AND at >= ?
            """,
            [now.milliseconds, endpoint, trigger, position.value, time.milliseconds]
        )
        access.webhookTally.queued += count
        if count > 0 { access.webhookTally.isTouched = true }
        return count
    }

    /// Takes these members of the document, before and after its change, from all events about it, whether they wait, are
    /// dead or were delivered: each may be sent again.
    ///
    /// - Parameter members: their names, of ASCII letters.
    package func redact(path: String, members: [String]) throws {
        let places = members.flatMap { ["'$.before.\($0)'", "'$.after.\($0)'"] } + ["'$.notification'"]
        try access.run(
            "UPDATE webhook_jobs SET data = json_remove(data, \(places.joined(separator: ", "))) WHERE path = ?", [path]
        )
    }

    /// Gives a job's event another content, the JSON of an object.
    package func rewrite(_ job: Int64, data: String) throws {
        try access.run("UPDATE webhook_jobs SET data = ? WHERE id = ?", [data, job])
    }

    /// Enables an endpoint again; harmless when it is not disabled, or was never used.
    ///
    /// - Returns: whether it was disabled.
    @discardableResult
    package func enableEndpoint(url: String) throws -> Bool {
        let changed = try access.change(
            "UPDATE webhook_endpoints SET disabled = NULL, failures = 0 WHERE url = ? AND disabled IS NOT NULL",
            [url]
        )
        guard changed > 0 else { return false }
        access.webhookTally.isTouched = true
        return true
    }

    /// Forgets at most `limit` jobs that were delivered before a time, or are not among the newest.
    ///
    /// - Returns: how many went.
    package func trimDelivered(before time: Timestamp, kept: Int64, limit: Int) throws -> Int {
        let old = try access.change(
            """
            DELETE FROM webhook_jobs WHERE id IN
            (SELECT id FROM webhook_jobs WHERE state = 'delivered' AND tried <= ? ORDER BY tried, id LIMIT ?)
            """,
            [time.milliseconds, limit]
        )
        let span = try access.number(
            "SELECT coalesce((SELECT max(id) FROM webhook_jobs) - (SELECT min(id) FROM webhook_jobs), 0)"
        )
        guard span >= kept, old < limit else { return old }
        return try old
            + access.change(
                """
                DELETE FROM webhook_jobs WHERE id IN
                (SELECT id FROM webhook_jobs WHERE state = 'delivered' ORDER BY tried DESC, id DESC LIMIT ? OFFSET ?)
                """,
                [limit - old, kept]
            )
    }

    private static var goneReason: String { "the endpoint is disabled: it answered 410" }

    private func findOrMakeEndpoint(_ url: String) throws -> Int64 {
        let id: Int64? = try access.value("SELECT id FROM webhook_endpoints WHERE url = ?", [url])
        if let id { return id }
        try access.run("INSERT INTO webhook_endpoints(url) VALUES (?)", [url])
        return access.lastInsertedRowID
    }

    /// Jobs that a condition names, the oldest first, become dead letters.
    @discardableResult
    private func bury(
        _ condition: String,
        _ arguments: [Int64],
        limit: Int,
        reason: String,
        at now: Timestamp
    ) throws -> Int {
        let ids: [Int64] = try access.all(
            "SELECT id FROM webhook_jobs WHERE \(condition) ORDER BY id LIMIT ?",
            arguments + [Int64(limit)]
        ) { try $0[0] }
        for id in ids {
            try access.run(
                """
                INSERT INTO dead(trigger, path, change, reason, at, job)
                SELECT trigger, path, change, ?, ?, id FROM webhook_jobs WHERE id = ?
                """,
                [reason, now.milliseconds, id]
            )
            try access.run("UPDATE webhook_jobs SET state = 'dead' WHERE id = ?", [id])
        }
        access.webhookTally.dead += ids.count
        if !ids.isEmpty { access.webhookTally.isTouched = true }
        return ids.count
    }
}
