/// How far a notification may interrupt a person, with Apple's meaning (`UNNotificationInterruptionLevel`).
///
/// Ordered: `passive` never pushes, `active` pushes outside of quiet hours, `time-sensitive` also in quiet hours,
/// `critical` also through mutes, unless the reader has excluded it from the levels that may interrupt.
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
