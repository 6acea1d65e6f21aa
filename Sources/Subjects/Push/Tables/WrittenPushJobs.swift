package import Log
package import Model

/// The jobs as a transaction that writes has them.
package typealias WrittenPushJobs = PushJobTable<WriteAccess>

// Changes of jobs go into the tally of the transaction, which wakes the sender.
extension WrittenPushJobs {
    /// Queues a job. A chat has one job at most that waits: while there is one, another for messages changes nothing.
    ///
    /// - Returns: whether it is new.
    @discardableResult
    package func insert(_ draft: PushJobDraft) throws -> Bool {
        let changed = try access.change(
            """
            INSERT INTO push_jobs(kind, seq, stream, shared, chat_from, level, at, due, ends, previous)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """,
            [
                draft.kind.rawValue, draft.position.value, draft.stream.value, draft.isShared, draft.chatFrom,
                draft.level.rawValue, draft.at.milliseconds, draft.due.milliseconds, draft.ends.milliseconds,
                draft.previous,
            ])
        guard changed > 0 else { return false }
        access.pushTally.queued += 1
        access.pushTally.isTouched = true
        return true
    }

    /// The job is about a later version of its notification from now on.
    package func move(_ job: Int64, to position: Position, _ level: InterruptionLevel, ends: Timestamp) throws {
        try access.run(
            "UPDATE push_jobs SET seq = ?, level = ?, ends = ? WHERE id = ?",
            [position.value, level.rawValue, ends.milliseconds, job])
        access.pushTally.isTouched = true
    }

    /// Nobody gets more of a job. Its open tries are skipped, for a reason in one word.
    package func end(_ job: Int64, reason: String) throws {
        try access.run("UPDATE push_jobs SET state = 'ended' WHERE id = ?", [job])
        let skipped = try access.change(
            "UPDATE push_tries SET state = 'skipped', due = NULL, answer = ? WHERE job = ? AND state = 'open'",
            [reason, job])
        try access.run("UPDATE push_jobs SET skipped = skipped + ? WHERE id = ?", [skipped, job])
        access.pushTally.skipped += skipped
        access.pushTally.isTouched = true
    }
}
