import Execution
import Model
import Store
import Triggers

/// The digests of users, which wait until they are due, or for a notification with which they begin.
///
/// - Confinement: store (the writer's thread)
struct WaitingDigests {
    private let context: WriteContext
    /// Whether no digest waits for a notification with which it begins; nil when that has to be asked (again). It is asked
    /// once in a command, because a batch may notify hundreds of times and hardly anybody has such a digest.
    private var isNoneWaiting: Bool?

    init(in context: WriteContext) { self.context = context }

    private var transaction: WriteTransaction { context.transaction }

    /// Forgets whether one waits: the caller has written rows of digests.
    mutating func forget() { isNoneWaiting = nil }

    /// Why a notification that is about to be written into an inbox does not interrupt the owner of the inbox; nil when it
    /// interrupts.
    ///
    /// A notification that begins a look-back digest begins it here.
    func reason(against facts: NotificationFacts, of user: StreamID) throws -> Silence? {
        guard let preferences = DeliveryPreferences.stored(try transaction.preferences.current(of: user)) else {
            return nil
        }
        var beginsDigest = false
        // A notification in an inbox has one topic: the owner.
        if let digest = preferences.lookBack(of: facts, follows: { _ in false }),
            let row = try transaction.digests.find(digest.subject.name, of: user), row.due == nil
        {
            try begin(row, after: digest.milliseconds)
            beginsDigest = true
        }
        return preferences.reason(against: facts, beginsDigest: beginsDigest, follows: { _ in false })
    }

    /// Begins the look-back digests of readers of a stream that wait for such a notification, which is about to be appended
    /// to the log.
    ///
    /// It costs a look at each waiting look-back digest of the kind or topic, and a row for each that begins; nothing for
    /// followers without such a digest.
    ///
    /// - Parameters:
    ///   - zones: the names of the time zones that the notification is for; empty for all.
    ///   - notified: streams whose readers got an earlier one, and do not get this one.
    mutating func begin(
        with facts: NotificationFacts, readersOf stream: StreamID, in zones: [String], notified: [StreamID]
    ) throws {
        guard facts.level == .active, try !askWhetherNoneWaits() else { return }
        for subject in facts.digestSubjects {
            for row in try transaction.digests.waiting(for: subject.name, readersOf: stream) {
                guard
                    let preferences = DeliveryPreferences.stored(try transaction.preferences.current(of: row.user)),
                    let digest = try preferences.lookBack(
                        of: facts, follows: { try transaction.reading.isFollowed($0, by: row.user) }),
                    digest.subject == subject,
                    zones.isEmpty || zones.contains(preferences.clock.name),
                    try !notified.contains(where: { try transaction.reading.isFollowed($0, by: row.user) })
                else { continue }
                context.engine.meter.charge(TriggerLimits.rowWork)
                try begin(row, after: digest.milliseconds)
                try transaction.digests.insertFirst(transaction.nextPosition, of: row.user)
                transaction.note(.digestBegins(user: row.user, with: transaction.nextPosition))
            }
        }
    }

    /// Begins a digest with the notification that is about to be appended.
    private func begin(_ row: DigestEntry, after milliseconds: Int64) throws {
        var row = row
        row.due = context.now.adding(milliseconds: milliseconds)
        row.since = transaction.nextPosition
        try transaction.digests.put(row)
    }

    private mutating func askWhetherNoneWaits() throws -> Bool {
        if let isNoneWaiting { return isNoneWaiting }
        let isNone = try !transaction.digests.isAnyWaiting()
        isNoneWaiting = isNone
        return isNone
    }

    /// Makes the rows of a user's digests those of the preferences. A digest that goes on as before keeps what it has
    /// collected, and its time if that is over.
    ///
    /// - Parameter before: the stored preferences that were in force until now.
    mutating func arrange(of user: StreamID, _ preferences: DeliveryPreferences, before: String?) throws {
        isNoneWaiting = nil
        var wanted: [DigestSubject: Bool] = [:]
        for (subject, rule) in preferences.digests {
            if case .lookBack = rule { wanted[subject] = true } else { wanted[subject] = false }
        }
        if preferences.quietHours?.hasSummary == true { wanted[.quietHours] = false }
        let standing = try transaction.digests.all(of: user)
        // Read only where a digest may be due: hardly anybody has one.
        let before = standing.isEmpty ? nil : DeliveryPreferences.stored(before)
        for row in standing where wanted[DigestSubject(row.subject)] == nil {
            try transaction.digests.delete(row.subject, of: user)
        }
        for (subject, isLookBack) in wanted {
            let row = standing.first { $0.subject == subject.name }
            var due = preferences.nextDue(of: subject, after: context.now)
            if isLookBack {
                // A digest that has begun keeps its end.
                due = row?.isLookBack == true ? row?.due : nil
            } else if let row, let overdue = row.due, overdue <= context.now,
                due != nil, before?.nextDue(of: subject, after: context.now) == due
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
