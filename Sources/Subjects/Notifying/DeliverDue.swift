import ClientProtocol
package import Execution
import Model
import Store
import Triggers

/// Writes the digests that are due, writes digests again that list something that was taken back, brings back snoozed
/// notifications, and sends broadcasts whose time has come. The server asks for it every second while something is due.
///
/// The same transaction also sets the next time of each. So nothing is sent twice or left out, whatever happens to the
/// process.
///
/// - Confinement: any
package struct DeliverDue: WriteUseCase {
    package init() {}

    package func perform(in context: WriteContext) throws -> AnswerFact {
        let transaction = context.transaction
        let digests = try transaction.digests.due(at: context.now, limit: PreferenceLimits.dueBatch)
        var notifier = Notifier(in: context)
        var isCut = false
        for row in digests {
            try deliver(row, in: context, &notifier)
            isCut = context.engine.meter.isSpent
            if isCut { break }
        }
        if !isCut { isCut = try !reviseDigests(in: context, &notifier) }
        let snoozes = try transaction.snoozes.due(at: context.now, limit: PreferenceLimits.dueBatch)
        for snoozed in snoozes {
            try transaction.snoozes.cancel(snoozed.position, of: snoozed.user)
            guard snoozed.isWanted else { continue }
            try bringBack(snoozed, in: context)
        }
        let isMoreToSend = try BroadcastSending(in: context).sendDue(&notifier)
        let batch = PreferenceLimits.dueBatch
        return .due(isMore: isCut || isMoreToSend || digests.count == batch || snoozes.count == batch)
    }

    private func deliver(_ row: DigestEntry, in context: WriteContext, _ notifier: inout Notifier) throws {
        let transaction = context.transaction
        let subject = DigestSubject(row.subject)
        guard let user = try transaction.users.find(row.user),
            let preferences = DeliveryPreferences.stored(user.preferences)
        else { return try transaction.digests.delete(row.subject, of: row.user) }
        var next = row
        next.due = row.isLookBack ? nil : preferences.nextDue(of: subject, after: context.now)
        next.since = transaction.head
        try transaction.digests.put(next)
        notifier.digests.forget()
        do {
            try transaction.savepoint {
                let digest = try Digest(
                    subject,
                    of: user,
                    since: row.since,
                    preferences: preferences,
                    in: context
                )
                guard !digest.entries.isEmpty else { return }
                _ = try notifier.notify(.user(user.name), digest.draft(for: user, in: context))
                context.engine.meter.charge(digest.entries.count * TriggerLimits.rowWork / 2)
                try transaction.digests.setEntries(digest.entries.map(\.position), of: user.id, row.subject)
                // It has just interrupted, so notifications within the next period are collected, too.
                guard let every = preferences.lookBack(of: subject) else { return }
                next.due = context.now.adding(milliseconds: every)
                try transaction.digests.put(next)
            }
        } catch let problem as StoredValueProblem {
            try setAside("digest", of: user, problem, in: context)
        }
    }

    /// Writes digests again that list notifications that were taken back or replaced since.
    ///
    /// - Returns: whether none is left.
    private func reviseDigests(in context: WriteContext, _ notifier: inout Notifier) throws -> Bool {
        let digests = context.transaction.digests
        var left = PreferenceLimits.dueBatch
        while let gone = try digests.nextRevision() {
            let telling = try digests.telling(of: gone, limit: left)
            for (user, subject) in telling {
                try revise(DigestSubject(subject), of: user, in: context, &notifier)
                if context.engine.meter.isSpent { return false }
            }
            left -= telling.count
            guard left > 0 else { return false }
            try digests.endRevision(without: gone)
        }
        return true
    }

    private func revise(
        _ subject: DigestSubject, of id: StreamID, in context: WriteContext, _ notifier: inout Notifier
    ) throws {
        guard let user = try context.transaction.users.find(id) else { return }
        do {
            try context.transaction.savepoint { try Digest.revise(subject, of: user, in: context, &notifier) }
        } catch let problem as StoredValueProblem {
            try context.transaction.digests.setEntries([], of: id, subject.name)
            try setAside("digest", of: user, problem, in: context)
        }
    }

    /// Brings a notification back at the time that the user chose. So it interrupts, whatever the preferences say.
    private func bringBack(_ snoozed: DueSnooze, in context: WriteContext) throws {
        let transaction = context.transaction
        guard let entry = try transaction.notifications.findWritten(at: snoozed.position),
            entry.expires.map({ $0 > context.now }) ?? true,
            let user = try transaction.users.find(snoozed.user)
        else { return }
        do {
            try transaction.savepoint { try repeatNotification(entry, for: user, in: context) }
        } catch let problem as StoredValueProblem {
            try setAside("snooze", of: user, problem, in: context)
        }
    }

    /// Writes what a notification says into a user's inbox, as a new one.
    ///
    /// The copy keeps the document and the trigger, by which it can be withdrawn. It does not keep the change, because the
    /// trigger has notified the user of this change already.
    private func repeatNotification(
        _ entry: NotificationEntry, for user: UserEntry, in context: WriteContext
    ) throws {
        let transaction = context.transaction
        var copy = NotificationEntry(
            position: transaction.nextPosition,
            stream: user.id,
            topic: entry.topic,
            kind: entry.kind,
            level: entry.level,
            texts: entry.texts,
            data: entry.data,
            at: context.now,
            expires: entry.expires,
            collapse: entry.collapse
        )
        copy.trigger = entry.trigger
        copy.path = entry.pathOfCopies
        let payload = try DeliveredNotification(copy).payload
        guard try transaction.notifications.insert(copy) else { return }
        let facts = try NotificationFacts(copy, isPersonal: true, in: transaction.reading)
        try transaction.append(copy, payload: payload, isFollowed: false, facts: facts)
        try transaction.users.addUnreadInbox(1, to: user.id)
        context.countsChanged(of: user.id)
        try PushQueue(in: context).add(copy, isInbox: true)
    }

    /// Lists what cannot be read among the dead letters, so that it does not stop the ones after it for ever.
    private func setAside(
        _ what: String, of user: UserEntry, _ problem: StoredValueProblem, in context: WriteContext
    ) throws {
        try context.transaction.triggers.insertDead(
            trigger: what,
            path: "users/\(user.name.text)",
            change: context.transaction.head,
            reason: problem.description,
            at: context.now
        )
    }
}
