import Model
import Store
import Triggers

/// Whose turn it is when a notification goes by its recipients' clocks: those whose clock shows its time now, or has shown
/// it since the turn before.
///
/// Zones whose clocks show the same have one turn, so there are at most forty of them.
///
/// - Confinement: any
struct ZoneTurn {
    /// The zones whose turn it is; empty when all have it at once.
    let zones: [String]
    /// Whether there are none.
    let isNobodys: Bool
    /// Whether nobody has been told before.
    let isFirst: Bool
    /// When it is the next zone's turn; nil after the last.
    let next: Timestamp?

    /// Nil for what all are told at once.
    ///
    /// - Parameter late: with `skip` those are left out whose clocks had shown the time when it was set, or whose turn the
    ///   server has missed.
    init?(
        _ scheduled: ScheduledNotification,
        late: LateNotice,
        at now: Timestamp,
        in transaction: Transaction
    ) throws {
        guard let wall = scheduled.wall else { return nil }
        var due: [String] = []
        var next: Timestamp?
        var isAnyLate = false
        for zone in try transaction.users.zones() {
            let instant = TriggerClock.instant(of: wall, in: zone)
            if instant > now {
                next = min(next ?? instant, instant)
            } else if late.isOver(instant, at: now) || scheduled.setAt.map({ late == .skip && instant < $0 }) ?? false {
                isAnyLate = true
            } else if scheduled.toldUpTo.map({ instant > $0 }) ?? true {
                due.append(zone)
            }
        }
        isFirst = scheduled.toldUpTo == nil
        self.next = next
        isNobodys = due.isEmpty
        zones = isFirst && next == nil && !isAnyLate ? [] : due
    }
}

extension WriteContext {
    /// Those in the next zones have their turn later.
    func goOn(
        with schedule: TriggerSchedule,
        _ scheduled: ScheduledNotification,
        after turn: ZoneTurn,
        at next: Timestamp
    ) throws {
        var told = scheduled
        if !turn.isNobodys { told.toldUpTo = now }
        try self.schedule(scheduled.wanted, at: next, path: schedule.path, change: schedule.change, after: told)
        if turn.isNobodys, let webhook = schedule.webhook {
            try transaction.triggers.schedule(webhook: webhook, of: schedule.trigger, path: schedule.path)
        }
    }
}
