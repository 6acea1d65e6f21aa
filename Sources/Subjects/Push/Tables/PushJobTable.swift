package import Log
package import Model
import Store

/// Pushes that are to be sent, what became of them for each device, and what is to be taken back.
///
/// - Confinement: store
package struct PushJobTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    // MARK: Jobs

    /// One job; nil when no row has the number.
    package func job(_ id: Int64) throws -> PushJobEntry? {
        try access.first(PushJobEntry.query + " WHERE id = ?", [id], PushJobEntry.init)
    }

    /// Jobs that are not ended and that are due, in the order in which they became due.
    ///
    /// - Parameters:
    ///   - isShared: Those of topics and of everyone; or else the personal ones and those of chats, which go first.
    ///   - last: The last job of the page before; nil for the first page.
    package func open(
        isShared: Bool, at now: Timestamp, after last: PushJobEntry? = nil, limit: Int
    ) throws -> [PushJobEntry] {
        try access.all(
            PushJobEntry.query + """
                 WHERE state <> 'ended' AND shared = ? AND due <= ? AND (due, id) > (?, ?) ORDER BY due, id LIMIT ?
                """,
            [isShared, now.milliseconds, last?.due.milliseconds ?? .min, last?.id ?? 0, limit],
            PushJobEntry.init
        )
    }

    /// When the next job that is not due yet is due; nil when there is none.
    package func nextDue(after now: Timestamp) throws -> Timestamp? {
        let next = try [false, true].compactMap { isShared -> Timestamp? in
            try access.value(
                "SELECT min(due) FROM push_jobs WHERE state <> 'ended' AND shared = ? AND due > ?",
                [isShared, now.milliseconds])
        }
        return next.min()
    }

    /// Jobs that are not ended.
    package func countOpen() throws -> Int64 {
        try access.number("SELECT count(*) FROM push_jobs WHERE state <> 'ended'")
    }

    /// The newest jobs before a number, at most `limit`.
    ///
    /// - Parameter state: nil for any.
    package func list(state: PushJobEntry.State?, before: Int64, limit: Int) throws -> [PushJobEntry] {
        try access.all(
            PushJobEntry.query + " WHERE id < ? AND (? IS NULL OR state = ?) ORDER BY id DESC LIMIT ?",
            [before, state?.rawValue, state?.rawValue, limit],
            PushJobEntry.init
        )
    }

    /// The jobs about a notification, the oldest first.
    package func jobs(about position: Position) throws -> [PushJobEntry] {
        try access.all(
            PushJobEntry.query + " WHERE seq = ? AND kind <> 'message' ORDER BY id", [position.value],
            PushJobEntry.init)
    }

    /// The jobs of a stream about notifications after a position, which must be among the newest.
    package func jobs(in stream: StreamID, after position: Position) throws -> [PushJobEntry] {
        try access.all(
            PushJobEntry.query + " WHERE seq > ? AND stream = ? ORDER BY seq", [position.value, stream.value],
            PushJobEntry.init)
    }

    /// The first message of a chat after a number that is for somebody who has a device.
    package func firstMessage(
        after n: MessageNumber, in chat: Int64
    ) throws -> (n: MessageNumber, position: Position, at: Timestamp)? {
        try access.first(
            """
            SELECT n, seq, at FROM messages WHERE chat = ?1 AND n > ?2 AND EXISTS (SELECT 1 FROM members m
            JOIN push_devices d ON d.user = m.user WHERE m.chat = ?1 AND m.user <> messages.author)
            ORDER BY n LIMIT 1
            """,
            [chat, n]
        ) { (try $0[0], try $0[1], try $0[2]) }
    }

    /// The job that a message belongs to; nil when no job is about it.
    package func job(aboutMessage n: MessageNumber, in chat: Int64) throws -> PushJobEntry? {
        let job = try access.first(
            PushJobEntry.query + """
                 WHERE kind = 'message' AND stream = ? AND chat_from <= ? ORDER BY chat_from DESC, id DESC LIMIT 1
                """,
            [StreamID(chat: chat).value, n],
            PushJobEntry.init
        )
        return job.flatMap { job in job.judged.map { n <= $0 } ?? true ? job : nil }
    }

    /// Sums of the jobs about a notification: devices that were pushed, that were skipped, and that were given up.
    package func counts(about position: Position) throws -> (pushed: Int64, skipped: Int64, failed: Int64) {
        try access.first(
            """
            SELECT coalesce(sum(pushed), 0), coalesce(sum(skipped), 0), coalesce(sum(failed), 0) FROM push_jobs
            WHERE seq = ? AND kind IN ('notification', 'digest')
            """,
            [position.value]
        ) { (try $0[0], try $0[1], try $0[2]) } ?? (0, 0, 0)
    }

    // MARK: Tries

    /// The tries that are open and due, the earliest first.
    package func openTries(at now: Timestamp, limit: Int) throws -> [PushTryEntry] {
        try access.all(
            PushTryEntry.query + " WHERE state = 'open' AND due <= ? ORDER BY due LIMIT ?", [now.milliseconds, limit],
            PushTryEntry.init)
    }

    /// When the next open try is due that is not due yet; nil when there is none.
    package func nextTryDue(after now: Timestamp) throws -> Timestamp? {
        try access.value("SELECT min(due) FROM push_tries WHERE state = 'open' AND due > ?", [now.milliseconds])
    }

    /// The result of a job for a device; nil when nothing is kept about it.
    package func find(job: Int64, device: Int64) throws -> PushTryEntry? {
        try access.first(
            PushTryEntry.query + " WHERE job = ? AND device = ?", [job, device], PushTryEntry.init)
    }

    /// The tries of a job, by the numbers of their devices.
    ///
    /// - Parameter device: The last device of the page before.
    package func tries(of job: Int64, after device: Int64 = 0, limit: Int) throws -> [PushTryEntry] {
        try access.all(
            PushTryEntry.query + " WHERE job = ? AND device > ? ORDER BY device LIMIT ?", [job, device, limit],
            PushTryEntry.init)
    }

    /// The tries of a device in one state.
    package func tries(
        ofDevice device: Int64, in state: PushTryEntry.State, limit: Int
    ) throws -> [PushTryEntry] {
        try access.all(
            PushTryEntry.query + " WHERE device = ? AND state = ? ORDER BY job DESC LIMIT ?",
            [device, state.rawValue, limit],
            PushTryEntry.init)
    }

    // MARK: Taken back

    /// The pushes that are to be taken back from a device, the oldest first.
    package func gone(ofDevice device: Int64) throws -> [PushGoneEntry] {
        try PushGoneTable(access: access).all(ofDevice: device)
    }

    /// Devices from which something is to be taken back, in the order of numbers.
    package func devicesWithGone(after device: Int64 = 0, limit: Int) throws -> [Int64] {
        try PushGoneTable(access: access).devices(after: device, limit: limit)
    }
}
