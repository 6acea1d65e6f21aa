import ClientProtocol
package import Execution
import Model
import Notifying
import Store
import Triggers

/// Sends scheduled notifications that are due, and takes away expired ones. The server asks for it when the next one is
/// due.
///
/// - Confinement: any
package struct FireDueTriggers: WriteUseCase {
    /// The most notifications to send, and to take away, in one transaction, so that chats do not wait.
    package static let batch = 100

    package init() {}

    package func perform(in context: WriteContext) throws -> AnswerFact {
        let transaction = context.transaction
        let due = try transaction.triggers.due(at: context.now, limit: Self.batch)
        var notifier = Notifier(in: context)
        var isCut = false
        for schedule in due {
            // Texts in many languages are long.
            context.engine.meter.charge(
                TriggerLimits.rowWork
                    + (schedule.wanted.utf8.count + (schedule.webhook?.utf8.count ?? 0)) / TriggerLimits.bytesPerWork)
            try transaction.triggers.unschedule(schedule.trigger, path: schedule.path)
            try fire(schedule, in: context, &notifier)
            isCut = context.engine.meter.isSpent
            if isCut { break }
        }
        let expired = try transaction.notifications.expired(at: context.now, limit: Self.batch)
        for entry in expired {
            try NotificationRemoval(in: context).remove(entry, reason: .expired)
        }
        return .due(isMore: isCut || due.count == Self.batch || expired.count == Self.batch)
    }

    /// Sends one. If it cannot be read, it becomes a dead letter, so that it does not stop the ones after it for ever.
    /// If the server comes too late, because it was off, nobody gets it.
    private func fire(
        _ schedule: ScheduleEntry, in context: WriteContext, _ notifier: inout Notifier
    ) throws {
        do {
            let scheduled = try ScheduledNotification(parsing: schedule.wanted, trigger: schedule.trigger)
            let trigger = context.engine.trigger(named: schedule.trigger)
            var draft = scheduled.draft(change: schedule.change, path: schedule.path)
            // A repeated notification comes at a time of its own, so it is news.
            if trigger?.definition.repeats == true { draft.alertsOnce = false }
            if isTooLate(schedule, draft, scheduled, trigger, in: context) {
                guard let trigger else { return }
                return try context.transaction.savepoint {
                    _ = try TriggerRepetition(in: context, by: scheduled.writer).goOn(trigger, path: schedule.path)
                }
            }
            let written = try context.transaction.savepoint {
                let turn = try scheduled.wall.map { wall in
                    try ZoneTurn(
                        showing: wall, after: scheduled.toldUpTo, setAt: scheduled.setAt,
                        late: trigger?.definition.late ?? .tell, at: context.now, in: context.transaction.reading)
                }
                draft.zones = turn?.zones ?? []
                let written = turn?.isNobodys == true ? 0 : try notifier.notify(scheduled.audience, draft)
                if turn?.isNobodys != true { try WebhookQueue(in: context).add(schedule, written: written) }
                if let turn, let next = turn.next {
                    try TriggerSchedule(in: context).goOn(with: schedule, scheduled, after: turn, at: next)
                } else if let trigger {
                    try TriggerRepetition(in: context, by: scheduled.writer)
                        .goOnOrDisarm(trigger, path: schedule.path)
                }
                return written
            }
            context.engine.tally.noteDue(schedule.trigger, written: written)
        } catch let problem as StoredValueProblem {
            // The stream of a new topic is undone, too.
            notifier.forgetStreams()
            try setAside(schedule, problem.description, in: context)
        } catch let problem as TriggerProblem {
            notifier.forgetStreams()
            try setAside(schedule, "schedules.wanted: \(problem)", in: context)
        }
    }

    /// Whether it is too late for a scheduled notification. Counts it then.
    private func isTooLate(
        _ schedule: ScheduleEntry,
        _ draft: NotificationDraft,
        _ scheduled: ScheduledNotification,
        _ trigger: CompiledTrigger?,
        in context: WriteContext
    ) -> Bool {
        if let expires = draft.expires, expires <= context.now {
            context.engine.tally.noteExpired(schedule.trigger)
            return true
        }
        // By the recipients' clocks, each zone has a time of its own.
        guard scheduled.wall == nil, trigger?.definition.late.isOver(schedule.due, at: context.now) == true else {
            return false
        }
        context.engine.tally.noteLate(schedule.trigger)
        return true
    }

    private func setAside(_ schedule: ScheduleEntry, _ reason: String, in context: WriteContext) throws {
        let transaction = context.transaction
        // The change may be older than the log: then the letter needs a new position, or it would be trimmed at once.
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
