package import Model
import PersonalData
import Push
package import Store
import Webhooks

/// Deletes what is too old: entries of the log after the retention, and what is kept only for them. Messages, chats,
/// documents, follows and live notifications are state, and stay.
///
/// It works in steps of bounded size, each in a transaction of its own, so that no chat waits for it.
///
/// - Confinement: any; ``perform(in:at:)`` on the writer's thread
package struct TrimLog: Sendable {
    /// How long rows are kept. Reports go with their documents, in writes of their own.
    package let times: RetentionTimes

    /// The number of newest keys of writes that stay, however old they are.
    let keysKept: Int

    package init(_ times: RetentionTimes = RetentionTimes(), keysKept: Int = Limits.keysKeptMin) {
        self.times = times
        self.keysKept = keysKept
    }

    /// The work that a step did.
    package struct Report: Sendable, Hashable {
        /// The number of deleted entries of the log.
        package let trimmed: Int
        /// Rows of other kinds that went.
        package let removed: [RetentionKind: Int]
        /// The oldest row of each kind that was left; the age of entries of the log is that of a mark.
        package let oldest: [RetentionKind: Timestamp]
        /// The time by which ages were measured.
        package let at: Timestamp
        /// Everything after this position is kept.
        package let retainedFrom: Position
        /// Whether there is work for another step now.
        package let isMoreDue: Bool
    }

    /// The time by the two clocks of ``KeptTimes``.
    package struct Clocks: Sendable {
        /// A wall clock that runs evenly, also when the clock of the machine jumps.
        let now: Timestamp
        /// The clock of the log, which is never before the time of a mark.
        let log: Timestamp

        package init(now: Timestamp, log: Timestamp) {
            self.now = now
            self.log = max(now, log)
        }

        func kept(milliseconds: Int64, boundMilliseconds: Int64? = nil) -> KeptTimes {
            KeptTimes(milliseconds, at: now, log: log, boundMilliseconds: boundMilliseconds)
        }
    }

    /// Does one step.
    package func perform(in transaction: WriteTransaction, at clocks: Clocks) throws -> Report {
        let retention = transaction.retention
        let now = clocks.now
        let before = try retention.from()
        try mark(before, in: transaction, at: clocks.log)
        let goal = try goal(in: transaction, at: clocks)
        let from = max(before, min(goal, Position(before.value + Int64(Limits.trimmedRowsMax))))
        var isMoreDue = from < goal
        let trimmed = from > before ? try retention.trim(upTo: from) : 0
        if from > before { try transaction.history.trim(upTo: from) }
        let limit = Limits.trimmedRowsMax
        let swept = try sweep(in: transaction, upTo: from, at: now, limit: limit)
        let audit = try transaction.audit.deleteOlder(than: now.adding(milliseconds: -times.audit), limit: limit)
        let others = [
            swept.most, audit,
            try retention.deleteRemovedNotifications(upTo: from, limit: limit),
            try retention.deleteUnwrittenBroadcasts(upTo: from, limit: limit),
            try retention.deleteDead(upTo: from, limit: limit),
            try transaction.dead.trim(
                before: now.adding(milliseconds: -WebhookLimits.deadMilliseconds),
                kept: WebhookLimits.deadMax,
                limit: limit
            ),
            try transaction.webhooks.trimDelivered(
                before: now.adding(milliseconds: -WebhookLimits.deliveredMilliseconds),
                kept: WebhookLimits.deliveredMax,
                limit: limit
            ),
            try transaction.keys.deleteOlder(
                than: clocks.kept(
                    milliseconds: Limits.keyRetentionMilliseconds,
                    boundMilliseconds: Limits.keyRetentionMilliseconds
                ),
                limit: limit,
                newest: keysKept
            ),
            try transaction.keys.deleteBeyond(
                userBytesMax: Limits.keyBytesPerUserMax,
                bytesMax: Limits.keyBytesMax,
                limit: limit
            ),
            try transaction.pushJobs.trim(
                upTo: from, before: now.adding(milliseconds: -PushLimits.jobMilliseconds), limit: limit),
            try transaction.pushDevices.deleteUnused(
                since: now.adding(milliseconds: -times.registrations), limit: limit),
            // Long after, as tokens that are revoked.
            try transaction.invitations.deleteExpired(
                upTo: now.adding(milliseconds: -RoomLimits.invitationMilliseconds - Limits.clockGapMilliseconds),
                limit: limit),
        ]
        isMoreDue = try transaction.keys.countBytes(limit: Limits.keysCounted) == Limits.keysCounted || isMoreDue
        try transaction.topicCounts.refresh(at: transaction.head, limit: Limits.topicCountsRefreshed)
        isMoreDue = isMoreDue || others.contains(limit)
        return Report(
            trimmed: trimmed, removed: swept.removed.merging([.audit: audit], uniquingKeysWith: +),
            oldest: try oldest(in: transaction), at: now, retainedFrom: from, isMoreDue: isMoreDue)
    }

    /// The rows that go as their tables declare.
    ///
    /// - Returns: how many of each kind with an age went, and the most that went from one table.
    private func sweep(
        in transaction: WriteTransaction, upTo from: Position, at now: Timestamp, limit: Int
    ) throws -> (removed: [RetentionKind: Int], most: Int) {
        var (removed, most): ([RetentionKind: Int], Int) = ([:], 0)
        for rows in SweptRows.all {
            let bound: Int64? =
                switch rows.clock {
                case .log: from.value
                case .age(let kind): times[kind].map { now.milliseconds - $0 }
                // Long after: a token that is revoked stays revoked when a clock that was ahead goes back.
                case .over: now.milliseconds - Limits.clockGapMilliseconds
                }
            guard let bound else { continue }
            let count = try transaction.sweep(rows, upTo: bound, limit: limit)
            if case .age(let kind) = rows.clock { removed[kind, default: 0] += count }
            most = max(most, count)
        }
        return (removed, most)
    }

    private func oldest(in transaction: WriteTransaction) throws -> [RetentionKind: Timestamp] {
        var oldest: [RetentionKind: Timestamp] = [:]
        oldest[.log] = try transaction.retention.oldestTime()
        oldest[.edits] = try transaction.messages.oldestPast()
        oldest[.audit] = try transaction.audit.oldest()
        return oldest
    }

    /// Notes the head of the log at intervals of about a hundredth of the retention.
    ///
    /// The time comes from the clock of the log, so a mark is never before an earlier mark.
    private func mark(_ from: Position, in transaction: WriteTransaction, at time: Timestamp) throws {
        let newest = try transaction.retention.newestMark()
        guard transaction.head > newest?.head ?? from else { return }
        let distance = (times.log ?? .max) / 100
        let least = max(Limits.logMarkMilliseconds.lowerBound, min(distance, Limits.logMarkMilliseconds.upperBound))
        if let newest, time.milliseconds < newest.at.milliseconds + least { return }
        try transaction.retention.insert(LogMark(head: transaction.head, at: time))
    }

    /// The position up to which everything is too old. The newest entry stays, because the head of the log is read from
    /// it.
    private func goal(in transaction: WriteTransaction, at clocks: Clocks) throws -> Position {
        guard let milliseconds = times.log else { return .zero }
        let kept = clocks.kept(milliseconds: milliseconds)
        guard let mark = try transaction.retention.newestMark(before: kept) else { return .zero }
        return min(mark.head, Position(transaction.head.value - 1))
    }
}
