import ClientProtocol
package import JSON
import Model
import Store
import Triggers

/// Fires what is scheduled and due, and takes away the notifications that have expired. The server asks for it when the
/// time of the next one has come.
///
/// - Confinement: any
package struct FireDueTriggers: WriteUseCase {
    /// Schedules fired, and notifications taken away, in one go, so that the chats between them do not wait.
    package static let batch = 100

    package init() {}

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        let transaction = context.transaction
        let due = try transaction.triggers.due(at: context.now, limit: Self.batch)
        var isCut = false
        for schedule in due {
            // The texts of one in many languages are long.
            context.engine.meter.charge(
                TriggerLimits.rowWork
                    + (schedule.wanted.utf8.count + (schedule.webhook?.utf8.count ?? 0)) / TriggerLimits.bytesPerWork)
            try transaction.triggers.unschedule(schedule.trigger, path: schedule.path)
            try fire(schedule, in: context)
            isCut = context.engine.meter.isSpent
            if isCut { break }
        }
        let expired = try transaction.notifications.expired(at: context.now, limit: Self.batch)
        for entry in expired {
            let isInbox = try transaction.users.find(entry.stream) != nil
            try context.remove(entry, reason: .expired, isInbox: isInbox)
        }
        if let next = try transaction.triggers.nextDue() { reply.member("next", next.milliseconds) }
        if isCut || due.count == Self.batch || expired.count == Self.batch { reply.member(DueBatch.isMoreDue, true) }
    }

    /// One that cannot be read is set aside among the dead: it must not hold up those behind it for ever. One that came
    /// too late (the server was off) tells nobody.
    private func fire(_ schedule: TriggerSchedule, in context: WriteContext) throws {
        do {
            let scheduled = try ScheduledNotification(parsing: schedule.wanted, trigger: schedule.trigger)
            let trigger = context.engine.trigger(named: schedule.trigger)
            var draft = scheduled.draft(change: schedule.change, path: schedule.path)
            // What comes at a time of its own brings nothing up to date.
            if trigger?.definition.repeats == true { draft.alertsOnce = false }
            if isTooLate(schedule, draft, scheduled, trigger, in: context) {
                guard let trigger else { return }
                return try context.transaction.savepoint {
                    _ = try context.goOnRepeating(trigger, path: schedule.path)
                }
            }
            let written = try context.transaction.savepoint {
                let turn = try ZoneTurn(
                    scheduled, late: trigger?.definition.late ?? .tell, at: context.now, in: context.transaction)
                draft.zones = turn?.zones ?? []
                let written = turn?.isNobodys == true ? 0 : try context.notify(scheduled.audience, draft)
                if turn?.isNobodys != true { try context.queueWebhook(of: schedule, written: written) }
                if let turn, let next = turn.next {
                    try context.goOn(with: schedule, scheduled, after: turn, at: next)
                } else if let trigger, try !context.goOnRepeating(trigger, path: schedule.path) {
                    try context.disarm(trigger, path: schedule.path)
                }
                return written
            }
            context.engine.tally.noteDue(schedule.trigger, written: written)
        } catch let problem as StoredValueProblem {
            // The stream of a topic that was new here is undone, too.
            context.streamsOfTopics.removeAll()
            try setAside(schedule, problem.description, in: context)
        } catch let problem as TriggerProblem {
            context.streamsOfTopics.removeAll()
            try setAside(schedule, "schedules.wanted: \(problem)", in: context)
        }
    }

    /// Whether what was scheduled tells nobody any more, which is counted.
    private func isTooLate(
        _ schedule: TriggerSchedule,
        _ draft: NotificationDraft,
        _ scheduled: ScheduledNotification,
        _ trigger: CompiledTrigger?,
        in context: WriteContext
    ) -> Bool {
        if let expires = draft.expires, expires <= context.now {
            context.engine.tally.noteExpired(schedule.trigger)
            return true
        }
        // By the recipients' clocks each zone is late by itself.
        guard scheduled.wall == nil, trigger?.definition.late.isOver(schedule.due, at: context.now) == true else {
            return false
        }
        context.engine.tally.noteLate(schedule.trigger)
        return true
    }

    private func setAside(_ schedule: TriggerSchedule, _ reason: String, in context: WriteContext) throws {
        let transaction = context.transaction
        // What is scheduled may be older than the log: under its own change the letter would be trimmed at once, and under
        // that of the newest, which may be as old, soon after.
        let isKnown = try schedule.change > transaction.retention.from()
        try transaction.triggers.insertDead(
            trigger: schedule.trigger,
            path: schedule.path,
            change: isKnown ? schedule.change : transaction.appendSilently(),
            reason: reason,
            at: context.now
        )
    }
}
