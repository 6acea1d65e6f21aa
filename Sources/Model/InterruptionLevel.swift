/// How far a notification may interrupt a person, with Apple's meaning (`UNNotificationInterruptionLevel`).
///
/// Ordered: `passive` never pushes, `active` pushes outside quiet hours, `time-sensitive` breaks through quiet hours,
/// `critical` breaks through mutes too, unless its reader has taken it out of the levels that may interrupt.
///
/// - Confinement: any
package enum InterruptionLevel: String, Sendable, Hashable, CaseIterable, Comparable {
    case passive
    case active
    case timeSensitive = "time-sensitive"
    case critical

    private var rank: Int {
        switch self {
        case .passive: 0
        case .active: 1
        case .timeSensitive: 2
        case .critical: 3
        }
    }

    package static func < (left: InterruptionLevel, right: InterruptionLevel) -> Bool { left.rank < right.rank }
}
