package import Model
package import Store

/// What goes with time: the log's entries behind the retention, and what is kept for their sake alone. Messages, chats,
/// documents, follows and notifications that stand are state, and stay.
///
/// It is done in steps of bounded size, each in a transaction of its own, so that no chat waits for it.
///
/// - Confinement: any; ``perform(in:at:)`` on the writer's thread
package struct TrimLog: Sendable {
    /// Milliseconds for which an entry of the log is kept; nil keeps all.
    let retentionMilliseconds: Int64?

    /// The newest keys of writes, which stay however old the clock says they are.
    let keysKept: Int

    package init(retentionMilliseconds: Int64?, keysKept: Int = Limits.keysKeptMin) {
        self.retentionMilliseconds = retentionMilliseconds
        self.keysKept = keysKept
    }

    /// What a step did.
    package struct Report: Sendable, Hashable {
        /// Entries of the log that went.
        package let trimmed: Int
        /// Everything behind this position is kept.
        package let retainedFrom: Position
        /// Whether another step has something to do at once.
        package let isMoreDue: Bool
    }

    /// Does one step.
    ///
    /// - Parameter now: a time that goes on evenly, whatever happens to the wall clock.
    package func perform(in transaction: WriteTransaction, at now: Timestamp) throws -> Report {
        let retention = transaction.retention
        let before = try retention.from()
        try mark(before, in: transaction, at: now)
        let goal = try goal(in: transaction, at: now)
        let from = max(before, min(goal, Position(before.value + Int64(Limits.trimmedRowsMax))))
        var isMoreDue = from < goal
        let trimmed = from > before ? try retention.trim(upTo: from) : 0
        if from > before { try transaction.history.trim(upTo: from) }
        let limit = Limits.trimmedRowsMax
        let others = [
            try retention.deleteRemovedNotifications(upTo: from, limit: limit),
            try retention.deletePastFollows(upTo: from, limit: limit),
            try retention.deleteDead(upTo: from, limit: limit),
            try transaction.preferences.deletePast(upTo: from, limit: limit),
            try transaction.digests.deleteFirsts(upTo: from, limit: limit),
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
                than: now.adding(milliseconds: -Limits.keyRetentionMilliseconds),
                limit: limit,
                kept: keysKept
            ),
            try transaction.keys.deleteBeyond(
                userBytesMax: Limits.keyBytesPerUserMax,
                bytesMax: Limits.keyBytesMax,
                limit: limit
            ),
        ]
        isMoreDue = try transaction.keys.countBytes(limit: Limits.keysCounted) == Limits.keysCounted || isMoreDue
        try transaction.topicCounts.refresh(at: transaction.head, limit: Limits.topicCountsRefreshed)
        isMoreDue = isMoreDue || others.contains(limit)
        return Report(trimmed: trimmed, retainedFrom: from, isMoreDue: isMoreDue)
    }

    /// Notes the log's head now and then: a hundredth of the retention is fine enough.
    private func mark(_ from: Position, in transaction: WriteTransaction, at now: Timestamp) throws {
        let newest = try transaction.retention.newestMark()
        guard transaction.head > newest?.head ?? from else { return }
        let distance = (retentionMilliseconds ?? .max) / 100
        let least = max(Limits.logMarkMilliseconds.lowerBound, min(distance, Limits.logMarkMilliseconds.upperBound))
        // A mark from a future that was none must not stop those behind it.
        if let newest, newest.at <= now, now.milliseconds < newest.at.milliseconds + least { return }
        try transaction.retention.insert(LogRetention.Mark(head: transaction.head, at: now))
    }

    /// The position up to which everything is too old. The newest entry stays: the log's head is read from it.
    private func goal(in transaction: WriteTransaction, at now: Timestamp) throws -> Position {
        guard let retentionMilliseconds else { return .zero }
        let time = now.adding(milliseconds: -retentionMilliseconds)
        guard let mark = try transaction.retention.newestMark(notAfter: time) else { return .zero }
        return min(mark.head, Position(transaction.head.value - 1))
    }
}
