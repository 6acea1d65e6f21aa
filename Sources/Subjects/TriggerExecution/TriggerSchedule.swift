import Execution
import Log
import Model
import Notifying
import Store
import Triggers

/// The notifications of triggers that wait for their time.
///
/// - Confinement: store (the writer's thread)
struct TriggerSchedule {
    private let context: WriteContext

    init(in context: WriteContext) { self.context = context }

    /// The notification that a trigger that goes by the recipients' clocks has scheduled for the document.
    ///
    /// - Returns: nil when there is none, or it cannot be read.
    func find(_ trigger: CompiledTrigger, path: String) throws -> ScheduledNotification? {
        guard trigger.definition.clock == .recipient,
            let stored = try context.transaction.triggers.wanted(of: trigger.definition.name, path: path)
        else { return nil }
        return try? ScheduledNotification(parsing: stored, trigger: trigger.definition.name)
    }

    /// Schedules a notification, in place of the one that the trigger has scheduled for the document before.
    ///
    /// By the recipients' clocks, the first turn is due when the first of all clocks shows the time, even if that is
    /// over: the time of the write would keep everyone waiting if the server's clock were set back before the turn.
    ///
    /// - Parameters:
    ///   - writer: the user that wrote the change, where it is not the one of this transaction.
    ///   - earlier: the one that was scheduled for the same time by the recipients' clocks; it knows which recipients have got it.
    func put(
        _ wanted: NotificationWanted,
        at due: Timestamp,
        path: String,
        change: Position,
        by writer: StreamID? = nil,
        after earlier: ScheduledNotification? = nil
    ) throws {
        let first = wanted.wall.map(TriggerClock.first(showing:)) ?? due
        try store(
            wanted, at: max(first, earlier?.toldUpTo ?? first), path: path, change: change,
            by: writer ?? earlier?.writer, after: earlier)
    }

    private func store(
        _ wanted: NotificationWanted,
        at due: Timestamp,
        path: String,
        change: Position,
        by writer: StreamID?,
        after earlier: ScheduledNotification?
    ) throws {
        context.engine.meter.charge(TriggerLimits.rowWork)
        var scheduled = ScheduledNotification(wanted)
        scheduled.toldUpTo = earlier?.toldUpTo
        // Without a user, a schedule goes on, or a change of the past is run again.
        scheduled.writer = context.writer ?? writer
        if wanted.wall != nil { scheduled.setAt = earlier.map(\.setAt) ?? context.now }
        try context.transaction.triggers.schedule(
            ScheduleEntry(trigger: wanted.trigger, path: path, due: due, change: change, wanted: scheduled.json))
    }

    /// Schedules the turn of the next time zones.
    ///
    /// - Parameter turn: the turn that has just ended.
    func goOn(
        with schedule: ScheduleEntry,
        _ scheduled: ScheduledNotification,
        after turn: ZoneTurn,
        at next: Timestamp
    ) throws {
        var told = scheduled
        if !turn.isNobodys { told.toldUpTo = context.now }
        try store(
            scheduled.wanted, at: next, path: schedule.path, change: schedule.change, by: told.writer, after: told)
        if turn.isNobodys, let webhook = schedule.webhook {
            try context.transaction.triggers.schedule(webhook: webhook, of: schedule.trigger, path: schedule.path)
        }
    }
}

extension TriggerRowTable where Access == WriteAccess {
    /// Gives a schedule another notification. Its time and its webhook stay.
    func rewrite(_ wanted: String, of trigger: String, path: String) throws {
        try access.run("UPDATE schedules SET wanted = ? WHERE trigger = ? AND path = ?", [wanted, trigger, path])
    }
}
