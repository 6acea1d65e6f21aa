package import Model
package import Store
package import Triggers

/// The recipients whose turn it is when a notification goes by the recipients' clocks: their clock shows its time now,
/// or has shown it since the turn before.
///
/// Zones with the same clock have one turn, so there are at most forty turns.
///
/// - Confinement: any
package struct ZoneTurn {
    /// The zones whose turn it is; empty when all have it at once.
    package let zones: [String]
    /// Whether it is the turn of no zone.
    package let isNobodys: Bool
    /// Whether nobody has got it before.
    let isFirst: Bool
    /// The time of the next turn; nil after the last.
    package let next: Timestamp?

    /// - Parameters:
    ///   - wall: the time on each recipient's clock, stored as though it were UTC.
    ///   - toldUpTo: recipients whose clock had shown the time by then have got it; nil when nobody has.
    ///   - setAt: when the time was first set; nil when that does not matter.
    ///   - late: `skip` leaves out zones whose clocks had shown the time when it was set, or whose turn the
    ///     server has missed.
    package init(
        showing wall: Timestamp,
        after toldUpTo: Timestamp?,
        setAt: Timestamp? = nil,
        late: LateNotice = .tell,
        at now: Timestamp,
        in transaction: Transaction
    ) throws {
        var due: [String] = []
        var next: Timestamp?
        var isAnyLate = false
        for zone in try transaction.users.zones() {
            let instant = TriggerClock.instant(of: wall, in: zone)
            if instant > now {
                next = min(next ?? instant, instant)
            } else if late.isOver(instant, at: now) || setAt.map({ late == .skip && instant < $0 }) ?? false {
                isAnyLate = true
            } else if toldUpTo.map({ instant > $0 }) ?? true {
                due.append(zone)
            }
        }
        isFirst = toldUpTo == nil
        self.next = next
        isNobodys = due.isEmpty
        zones = isFirst && next == nil && !isAnyLate ? [] : due
    }
}
