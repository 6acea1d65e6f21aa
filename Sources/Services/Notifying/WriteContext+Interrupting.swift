import Model
import Store
import Triggers

extension WriteContext {
    /// Why a notification that is about to be written into an inbox does not interrupt its owner; nil when it does.
    ///
    /// One that begins a look-back digest begins it here.
    func personalReason(against facts: NotificationFacts, of user: StreamID) throws -> Silence? {
        guard let preferences = DeliveryPreferences.stored(try transaction.preferences.current(of: user)) else {
            return nil
        }
        var beginsDigest = false
        // What lies in an inbox has one topic: its owner's.
        if let digest = preferences.lookBack(of: facts, follows: { _ in false }),
            var row = try transaction.digests.find(digest.subject.name, of: user), row.due == nil
        {
            row.due = now.adding(milliseconds: digest.milliseconds)
            row.since = transaction.nextPosition
            try transaction.digests.put(row)
            beginsDigest = true
        }
        return preferences.reason(against: facts, beginsDigest: beginsDigest, follows: { _ in false })
    }

    /// Begins the look-back digests of those who read a stream and wait for such a notification, which is about to be
    /// appended to the log.
    ///
    /// Costs a look at each look-back digest of its kind or topic that waits, and a row for each that begins: nothing for
    /// followers who want none.
    ///
    /// - Parameters:
    ///   - zones: the time zones of those it is for, by their names; empty for all.
    ///   - told: streams whose readers were told by them, and are not told again.
    func beginDigests(
        with facts: NotificationFacts, readersOf stream: StreamID, in zones: [String], told: [StreamID]
    ) throws {
        guard facts.level == .active, try !isNoDigestKept() else { return }
        for subject in facts.digestSubjects {
            for var row in try transaction.digests.waiting(for: subject.name, readersOf: stream) {
                guard
                    let preferences = DeliveryPreferences.stored(try transaction.preferences.current(of: row.user)),
                    let digest = try preferences.lookBack(
                        of: facts, follows: { try transaction.isFollowed($0, by: row.user) }),
                    digest.subject == subject,
                    zones.isEmpty || zones.contains(preferences.clock.name),
                    try !told.contains(where: { try transaction.isFollowed($0, by: row.user) })
                else { continue }
                engine.meter.charge(TriggerLimits.rowWork)
                row.due = now.adding(milliseconds: digest.milliseconds)
                row.since = transaction.nextPosition
                try transaction.digests.put(row)
                try transaction.digests.insertFirst(transaction.nextPosition, of: row.user)
                transaction.note(.digestBegins(user: row.user, with: transaction.nextPosition))
            }
        }
    }

    /// Whether no digest waits for a notification to begin with, asked once in a command: a batch may notify hundreds of
    /// times, and nearly nobody wants one.
    private func isNoDigestKept() throws -> Bool {
        if let known = isNoDigestWaiting { return known }
        let isNone = try !transaction.digests.isAnyWaiting()
        isNoDigestWaiting = isNone
        return isNone
    }

    /// Makes the rows of a user's digests those of his preferences; what goes on as before keeps what it has collected,
    /// and when it was due if that is over.
    ///
    /// - Parameter before: what was in force until now, as it was stored.
    func arrangeDigests(of user: StreamID, _ preferences: DeliveryPreferences, before: String?) throws {
        isNoDigestWaiting = nil
        var wanted: [DigestSubject: Bool] = [:]
        for (subject, rule) in preferences.digests {
            if case .lookBack = rule { wanted[subject] = true } else { wanted[subject] = false }
        }
        if preferences.quietHours?.hasSummary == true { wanted[.quietHours] = false }
        let standing = try transaction.digests.all(of: user)
        // Read where there is a digest that may be due: nearly nobody has one.
        let before = standing.isEmpty ? nil : DeliveryPreferences.stored(before)
        for row in standing where wanted[DigestSubject(row.subject)] == nil {
            try transaction.digests.delete(row.subject, of: user)
        }
        for (subject, isLookBack) in wanted {
            let row = standing.first { $0.subject == subject.name }
            var due = preferences.nextDue(of: subject, after: now)
            if isLookBack {
                // One under way ends when it was to end.
                due = row?.isLookBack == true ? row?.due : nil
            } else if let row, let overdue = row.due, overdue <= now,
                due != nil, before?.nextDue(of: subject, after: now) == due
            {
                due = overdue
            }
            try transaction.digests.put(
                DigestEntry(
                    user: user,
                    subject: subject.name,
                    due: due,
                    since: row?.since ?? transaction.head,
                    isLookBack: isLookBack
                )
            )
        }
    }
}

extension Transaction {
    /// Whether a user reads a stream that many read.
    func isFollowed(_ stream: StreamID, by user: StreamID) throws -> Bool {
        try stream == .everyone || follows.since(follower: user, stream: stream) != nil
    }
}
