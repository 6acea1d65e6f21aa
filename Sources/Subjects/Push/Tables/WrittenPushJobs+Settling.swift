import Log
package import Model

// The results of the sender.
extension WrittenPushJobs {
    /// Notes that users of a job are settled.
    ///
    /// - Returns: the job as it was before; nil when its cursor is another by now, or it is gone: then nothing is noted.
    package func note(_ progress: PushSettlement.Progress) throws -> PushJobEntry? {
        guard let job = try job(progress.job), job.cursor == progress.from else { return nil }
        let isEnded = progress.isEnded || job.state == .ended
        guard job.state != .ended || progress.to != job.cursor else { return nil }
        try access.run(
            """
            UPDATE push_jobs SET cursor = ?, state = ?, pushed = pushed + ?, skipped = skipped + ?, failed = failed + ?,
            judged = coalesce(?, judged), large = max(large, ?) WHERE id = ?
            """,
            [
                progress.to.value, (isEnded ? PushJobEntry.State.ended : .begun).rawValue, progress.pushed,
                progress.skipped, progress.failed, progress.judged, progress.isLarge, job.id,
            ])
        access.pushTally.pushed += progress.pushed
        access.pushTally.skipped += progress.skipped
        access.pushTally.failed += progress.failed
        access.pushTally.isTouched = true
        return job
    }

    /// Notes the result of a try.
    ///
    /// - Returns: false when it was noted before, or the job or the try is over; then nothing is noted.
    package func note(_ result: PushSettlement.Try) throws -> Bool {
        access.pushTally.isTouched = true
        let (state, due, variant) = Self.stored(result.outcome)
        let noted = try access.change(
            """
            INSERT INTO push_tries(job, device, attempts, due, variant, status, answer, state, at)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 WHERE CASE WHEN ?3 = 1
             THEN EXISTS (SELECT 1 FROM push_jobs WHERE id = ?1) AND NOT EXISTS (SELECT 1 FROM push_tries WHERE job = ?1 AND device = ?2)
             ELSE EXISTS (SELECT 1 FROM push_tries WHERE job = ?1 AND device = ?2 AND attempts = ?3 - 1 AND state = 'open') END
            ON CONFLICT(job, device) DO UPDATE SET attempts = excluded.attempts, due = excluded.due,
             variant = excluded.variant, status = excluded.status, answer = excluded.answer, state = excluded.state,
             at = excluded.at
            """,
            [
                result.job, result.device, result.number, due?.milliseconds, variant, result.status, result.answer,
                state.rawValue, result.at.milliseconds,
            ])
        guard noted > 0 else { return false }
        if result.number > 1 { try count(state, of: result.job) }
        if state == .dead { try bury(result) }
        return true
    }

    private static func stored(
        _ outcome: PushSettlement.Try.Outcome
    ) -> (state: PushTryEntry.State, due: Timestamp?, variant: String?) {
        switch outcome {
        case .sent: (.sent, nil, nil)
        case .again(let due, let variant): (.open, due, variant)
        case .skipped: (.skipped, nil, nil)
        case .dropped: (.dropped, nil, nil)
        case .dead: (.dead, nil, nil)
        case .expired: (.expired, nil, nil)
        }
    }

    /// Counts a later try in its job.
    private func count(_ state: PushTryEntry.State, of job: Int64) throws {
        let (pushed, skipped, failed) =
            switch state {
            case .open, .withdrawn: (0, 0, 0)
            case .sent: (1, 0, 0)
            case .skipped: (0, 1, 0)
            case .dropped, .dead, .expired: (0, 0, 1)
            }
        guard pushed + skipped + failed > 0 else { return }
        try access.run(
            "UPDATE push_jobs SET pushed = pushed + ?, skipped = skipped + ?, failed = failed + ? WHERE id = ?",
            [pushed, skipped, failed, job])
        access.pushTally.pushed += pushed
        access.pushTally.skipped += skipped
        access.pushTally.failed += failed
    }

    private func bury(_ result: PushSettlement.Try) throws {
        try access.run(
            """
            INSERT INTO dead(trigger, path, change, reason, at, push_job, device)
            SELECT 'push', CASE WHEN chat_from IS NULL THEN 'notifications/n' || seq ELSE
             'chats/' || (SELECT name FROM chats WHERE id = -stream) || '/messages/' || chat_from END, seq, ?, ?, id, ?
            FROM push_jobs WHERE id = ?
            """,
            [result.answer, result.at.milliseconds, result.device, result.job])
        access.pushTally.dead += 1
    }

    /// Tries again what became a dead letter.
    ///
    /// - Parameter variant: as it is sent, a name of `PushVariant`.
    /// - Returns: false when the try is not dead any more, its job is gone, or its device.
    package func reopen(job: Int64, device: Int64, variant: String, at now: Timestamp) throws -> Bool {
        let changed = try access.change(
            """
            UPDATE push_tries SET state = 'open', due = ?, variant = ? WHERE job = ? AND device = ? AND state = 'dead'
            AND EXISTS (SELECT 1 FROM push_devices WHERE id = push_tries.device)
            """,
            [now.milliseconds, variant, job, device])
        guard changed > 0 else { return false }
        try access.run("UPDATE push_jobs SET failed = failed - 1 WHERE id = ?", [job])
        access.pushTally.isTouched = true
        return true
    }

    /// Forgets at most `limit` rows: jobs that have ended, with their tries and dead letters, when the log has trimmed their
    /// entries, or they are from before a time; and jobs that were over at that time and that nobody has ended.
    ///
    /// - Parameter position: everything up to it is trimmed.
    /// - Returns: how many rows went.
    package func trim(upTo position: Position, before time: Timestamp, limit: Int) throws -> Int {
        let jobs: [Int64] = try access.all(
            """
            SELECT id FROM (SELECT id FROM push_jobs WHERE state = 'ended' AND at < ?1 ORDER BY at LIMIT ?3)
            UNION SELECT id FROM (SELECT id FROM push_jobs WHERE state <> 'ended' AND ends < ?1 ORDER BY ends LIMIT ?3)
            UNION SELECT id FROM (SELECT id FROM push_jobs WHERE seq <= ?2 AND state = 'ended' ORDER BY seq LIMIT ?3)
            LIMIT ?3
            """,
            [time.milliseconds, position.value, limit]
        ) { try $0[0] }
        var left = limit
        for job in jobs where left > 0 {
            left -= try access.change(
                """
                DELETE FROM push_tries WHERE job = ?1 AND device IN
                 (SELECT device FROM push_tries WHERE job = ?1 ORDER BY device LIMIT ?2)
                """,
                [job, left])
            guard left > 0 else { break }
            try access.run("DELETE FROM dead WHERE push_job = ?", [job])
            try access.run("DELETE FROM push_jobs WHERE id = ?", [job])
            left -= 1
        }
        return limit - left
    }
}
