package import Model
import Triggers

/// The time of a broadcast that is not sent at once.
///
/// - Confinement: any
package enum BroadcastTime: Sendable, Hashable {
    /// The same moment for all.
    case moment(Timestamp)
    /// When the clock of each recipient shows it; stored as though it were UTC.
    case recipients(Timestamp)

    /// The form, for error messages.
    package static let form =
        "a time such as 2026-12-31T23:00:00Z, or without the Z for each person's own clock"

    /// Reads a time with an offset or `Z`, or without one; nil for anything else, a date alone too.
    package init?(_ text: String) {
        guard let shown = WallTime(text), shown.hasTime else { return nil }
        self = shown.instant.map { .moment($0) } ?? .recipients(shown.wall)
    }

    package var text: String {
        switch self {
        case .moment(let time): time.text
        case .recipients(let wall): String(wall.text.dropLast())
        }
    }

    /// When the first recipient may get it.
    var first: Timestamp {
        switch self {
        case .moment(let time): time
        case .recipients(let wall): TriggerClock.first(showing: wall)
        }
    }

    /// When the last recipient may get it.
    var last: Timestamp {
        switch self {
        case .moment(let time): time
        case .recipients(let wall): TriggerClock.last(showing: wall)
        }
    }
}
