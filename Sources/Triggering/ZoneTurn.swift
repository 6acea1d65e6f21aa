import Model
import Store
import Triggers

/// The recipients whose turn it is when a notification goes by the recipients' clocks: their clock shows its time now,
/// or has shown it since the turn before.
///
/// Zones with the same clock have one turn, so there are at most forty turns.
///
/// - Confinement: any
struct ZoneTurn {
    /// The zones whose turn it is; empty when all have it at once.
    let zones: [String]
    /// Whether it is the turn of no zone.
    let isNobodys: Bool
    /// Whether nobody has got it before.
    let isFirst: Bool
    /// The time of the next turn; nil after the last.
    let next: Timestamp?

    /// Nil for a notification that all get at once.
    ///
    /// - Parameter late: `skip` leaves out zones whose clocks had shown the time when it was set, or whose turn the
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
