import ClientProtocol
package import JSON
import Model
import Store
import Triggers

/// Writes the digests whose time has come, writes those anew that tell of something that is no more, and brings back what
/// was put off until now. The server asks for it every second while something is due.
///
/// Each is one step of the transaction that also sets when it is next due: whatever happens to the process, nothing is
/// told twice or not at all.
///
/// - Confinement: any
package struct DeliverDue: WriteUseCase {
    package init() {}

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        let transaction = context.transaction
        let digests = try transaction.digests.due(at: context.now, limit: PreferenceLimits.dueBatch)
        var isCut = false
        for row in digests {
            try deliver(row, in: context)
            isCut = context.engine.meter.isSpent
            if isCut { break }
        }
        if !isCut { isCut = try !reviseDigests(in: context) }
        let snoozes = try transaction.snoozes.due(at: context.now, limit: PreferenceLimits.dueBatch)
        for snoozed in snoozes {
            try transaction.snoozes.cancel(snoozed.position, of: snoozed.user)
            guard snoozed.isWanted else { continue }
            try bringBack(snoozed, in: context)
        }
        if isCut || digests.count == PreferenceLimits.dueBatch || snoozes.count == PreferenceLimits.dueBatch {
            reply.member(DueBatch.isMoreDue, true)
        }
    }

    private func deliver(_ row: DigestEntry, in context: WriteContext) throws {
        let transaction = context.transaction
        let subject = DigestSubject(row.subject)
        guard let user = try transaction.users.find(row.user),
            let preferences = DeliveryPreferences.stored(user.preferences)
        else { return try transaction.digests.delete(row.subject, of: row.user) }
        var next = row
        next.due = row.isLookBack ? nil : preferences.nextDue(of: subject, after: context.now)
        next.since = transaction.head
        try transaction.digests.put(next)
        context.isNoDigestWaiting = nil
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
                _ = try context.notify(.user(user.name), digest.draft(for: user, in: context))
                context.engine.meter.charge(digest.entries.count * TriggerLimits.rowWork / 2)
                try transaction.digests.setEntries(digest.entries.map(\.position), of: user.id, row.subject)
                // It has just interrupted: what comes within the same time again is collected, too.
                guard let every = preferences.lookBack(of: subject) else { return }
                next.due = context.now.adding(milliseconds: every)
                try transaction.digests.put(next)
            }
        } catch let problem as StoredValueProblem {
            try context.setAside("digest", of: user, problem)
        }
    }

    /// Writes digests anew that tell of what was taken back or replaced since.
    ///
    /// - Returns: whether there is none left.
    private func reviseDigests(in context: WriteContext) throws -> Bool {
        let digests = context.transaction.digests
        var left = PreferenceLimits.dueBatch
        while let gone = try digests.nextRevision() {
            let telling = try digests.telling(of: gone, limit: left)
            for (user, subject) in telling {
                try revise(DigestSubject(subject), of: user, in: context)
                if context.engine.meter.isSpent { return false }
            }
            left -= telling.count
            guard left > 0 else { return false }
            try digests.endRevision(without: gone)
        }
        return true
    }

    private func revise(_ subject: DigestSubject, of id: StreamID, in context: WriteContext) throws {
        guard let user = try context.transaction.users.find(id) else { return }
        do {
            try context.transaction.savepoint { try Digest.revise(subject, of: user, in: context) }
        } catch let problem as StoredValueProblem {
            try context.transaction.digests.setEntries([], of: id, subject.name)
            try context.setAside("digest", of: user, problem)
        }
    }

    /// The same again, at the time its owner chose: so it interrupts, whatever else he prefers.
    private func bringBack(_ snoozed: DueSnooze, in context: WriteContext) throws {
        let transaction = context.transaction
        guard let entry = try transaction.notifications.findWritten(at: snoozed.position),
            entry.expires.map({ $0 > context.now }) ?? true,
            let user = try transaction.users.find(snoozed.user)
        else { return }
        do {
            try transaction.savepoint { try context.repeatNotification(entry, for: user) }
        } catch let problem as StoredValueProblem {
            try context.setAside("snooze", of: user, problem)
        }
    }
}

extension WriteContext {
    /// Writes what a notification says into a user's inbox, as a new one.
    ///
    /// It keeps its document and its trigger, by which it is withdrawn; without the change, for which its trigger has
    /// notified him already.
    fileprivate func repeatNotification(_ entry: NotificationEntry, for user: UserEntry) throws {
        let copy = NotificationEntry(
            position: transaction.nextPosition,
            stream: user.id,
            topic: entry.topic,
            kind: entry.kind,
            level: entry.level,
            texts: entry.texts,
            data: entry.data,
            at: now,
            expires: entry.expires,
            collapse: entry.collapse,
            trigger: entry.trigger,
            path: entry.pathOfCopies
        )
        let payload = try DeliveredNotification(copy).payload
        guard try transaction.notifications.insert(copy) else { return }
        let facts = try NotificationFacts(copy, isPersonal: true, in: transaction)
        try transaction.append(copy, payload: payload, isFollowed: false, facts: facts)
        try transaction.users.addUnreadInbox(1, to: user.id)
        countsChanged(of: user.id)
    }

    /// Takes the copies that came back of a notification from every device, as itself.
    func removeCopies(of entry: NotificationEntry, reason: RemovalReason) throws {
        guard let path = entry.pathOfCopies else { return }
        try transaction.snoozes.cancelCopies(from: path, by: entry.trigger, about: entry.topic)
        for copy in try transaction.notifications.live(from: path, by: entry.trigger)
        where copy.change == nil && copy.broadcast == nil && copy.trigger == entry.trigger && copy.topic == entry.topic
        {
            try remove(copy, reason: reason, isInbox: true)
        }
    }

    /// What cannot be read is set aside among the dead: it must not hold up those behind it for ever.
    fileprivate func setAside(_ what: String, of user: UserEntry, _ problem: StoredValueProblem) throws {
        try transaction.triggers.insertDead(
            trigger: what,
            path: "users/\(user.name.text)",
            change: transaction.head,
            reason: problem.description,
            at: now
        )
    }
}

extension NotificationEntry {
    /// The path by which copies of it are found: that of its document, or of its broadcast.
    fileprivate var pathOfCopies: String? { path ?? broadcast.map { "broadcasts/\($0)" } }
}
