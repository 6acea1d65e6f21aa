import GRDB
package import Model

// Changes of jobs go into the tally of the transaction, which wakes the sender.
extension PushJobTable where Access == WriteAccess {
    /// Queues a job. A chat has one job at most that waits: while there is one, another for messages changes nothing.
    ///
    /// - Returns: whether it is new.
    @discardableResult
    package func insert(_ draft: PushJobDraft) throws -> Bool {
        let changed = try database.change(
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
        try database.run(
            "UPDATE push_jobs SET seq = ?, level = ?, ends = ? WHERE id = ?",
            [position.value, level.rawValue, ends.milliseconds, job])
        access.pushTally.isTouched = true
    }

    /// Nobody gets more of a job. Its open tries are skipped, for a reason in one word.
    package func end(_ job: Int64, reason: String) throws {
        try database.run("UPDATE push_jobs SET state = 'ended' WHERE id = ?", [job])
        let skipped = try database.change(
            "UPDATE push_tries SET state = 'skipped', due = NULL, answer = ? WHERE job = ? AND state = 'open'",
            [reason, job])
        try database.run("UPDATE push_jobs SET skipped = skipped + ? WHERE id = ?", [skipped, job])
        access.pushTally.skipped += skipped
        access.pushTally.isTouched = true
    }

    // MARK: What is taken back

    /// Takes a notification back from those devices of a user to which it was sent.
    package func takeBack(_ position: Position, from user: StreamID, at now: Timestamp) throws {
        for job in try jobs(about: position) where job.kind != .withdrawal {
            try takeBack(job.id, from: user, seq: position, chat: nil, at: now)
        }
    }

    /// Takes all notifications up to a position back from the devices of a user to which they were sent.
    package func takeBack(upTo position: Position, from user: StreamID, at now: Timestamp) throws {
        let sent: [(job: Int64, seq: Position)] = try database.all(
            """
            SELECT DISTINCT j.id, j.seq FROM push_devices d JOIN push_tries t ON t.device = d.id AND t.state = 'sent'
            JOIN push_jobs j ON j.id = t.job WHERE d.user = ? AND j.kind <> 'message' AND j.seq <= ?
            """,
            [user.value, position.value]
        ) { (try $0[0], try $0[1]) }
        for (job, seq) in sent { try takeBack(job, from: user, seq: seq, chat: nil, at: now) }
    }

    /// Takes the messages of a chat back from the devices of a user who has read some.
    ///
    /// A device shows one push of a chat, with the newest message that its job has decided about. So a push whose message is
    /// not read yet stays.
    package func takeBack(
        messagesOf chat: Int64, readAfter before: MessageNumber, upTo n: MessageNumber, from user: StreamID,
        at now: Timestamp
    ) throws {
        let jobs: [Int64] = try database.all(
            """
            SELECT id FROM push_jobs WHERE kind = 'message' AND stream = ?1 AND chat_from <= ?3
            AND chat_from >= coalesce((SELECT max(chat_from) FROM push_jobs
             WHERE kind = 'message' AND stream = ?1 AND chat_from <= ?2), 0)
            AND judged > ?2 AND judged <= ?3
            """,
            [StreamID(chat: chat).value, before, n]
        ) { try $0[0] }
        for job in jobs { try takeBack(job, from: user, seq: nil, chat: chat, at: now) }
    }

    private func takeBack(
        _ job: Int64, from user: StreamID, seq: Position?, chat: Int64?, at now: Timestamp
    ) throws {
        let devices: [Int64] = try database.all(
            """
            SELECT d.id FROM push_devices d JOIN push_tries t ON t.job = ? AND t.device = d.id AND t.state = 'sent'
            WHERE d.user = ?
            """,
            [job, user.value]
        ) { try $0[0] }
        try withdraw(devices, of: job, seq: seq, chat: chat, at: now)
    }

    /// Notes that devices which a job has reached are to take it back.
    func withdraw(_ devices: [Int64], of job: Int64, seq: Position?, chat: Int64?, at now: Timestamp) throws {
        for device in devices {
            try database.run(
                "UPDATE push_tries SET state = 'withdrawn' WHERE job = ? AND device = ?", [job, device])
            try database.run(
                "DELETE FROM push_gone WHERE device = ? AND seq IS ? AND chat IS ?", [device, seq?.value, chat])
            try database.run(
                "INSERT INTO push_gone(device, seq, chat, at) VALUES (?, ?, ?, ?)",
                [device, seq?.value, chat, now.milliseconds])
            try database.run(
                """
                DELETE FROM push_gone WHERE device = ?1 AND id <=
                (SELECT id FROM push_gone WHERE device = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
                """,
                [device, PushLimits.goneKeptMax])
        }
        guard !devices.isEmpty else { return }
        access.pushTally.gone += devices.count
        access.pushTally.isTouched = true
    }
}
