import Foundation
package import JSON
package import Model

/// The `clock` column of a row: whose clock on the wall the time of `at` is read from, when it bears no offset.
///
/// - Confinement: any
package enum TriggerClock: Sendable, Hashable {
    /// That of a zone, by its IANA name.
    case zone(String)
    /// That of each recipient.
    case recipient

    private static let recipientWord = "recipient"
    /// By so much the clocks of the world are ahead of UTC, and behind it, at most.
    private static let ahead: Int64 = 14 * 3_600_000
    private static let behind: Int64 = 12 * 3_600_000

    /// Reads the column.
    ///
    /// - Throws: ``TriggerProblem`` naming `clock`.
    init(json: JSONValue) throws(TriggerProblem) {
        guard let text = json.stringValue, text == Self.recipientWord || TimeZone(iana: text) != nil else {
            throw TriggerProblem(
                field: "clock", message: "must be the name of a time zone, such as Europe/Rome, or recipient")
        }
        self = text == Self.recipientWord ? .recipient : .zone(text)
    }

    package var json: JSONValue {
        switch self {
        case .zone(let name): .string(name)
        case .recipient: .string(Self.recipientWord)
        }
    }

    /// When a notification is due.
    struct Due {
        /// By the recipients' clocks the earliest moment of all that is to come.
        let at: Timestamp
        /// What each recipient's clock is to show then, as though it were UTC; nil where all are told at once.
        var wall: Timestamp?
    }

    /// When the value of `at` says that a notification is due; nil when it is no time.
    ///
    /// - Parameter clock: nil for UTC.
    static func due(_ value: SQLValue, by clock: TriggerClock?, now: Timestamp) -> Due? {
        guard let clock, case .text(let text) = value, let shown = WallTime(text), shown.instant == nil else {
            return Timestamp(value).map { Due(at: $0) }
        }
        switch clock {
        case .zone(let name):
            return TimeZone(iana: name).map { Due(at: shown.instant(in: $0)) }
        case .recipient:
            let last = shown.wall.adding(milliseconds: behind)
            // Where it is over everywhere, there is nobody to wait for.
            guard last > now else { return Due(at: last) }
            return Due(at: max(now, shown.wall.adding(milliseconds: -ahead)), wall: shown.wall)
        }
    }

    /// The last moment at which a clock shows a time.
    static func last(showing wall: Timestamp) -> Timestamp { wall.adding(milliseconds: behind) }

    /// When a clock in a zone shows a time, given as though it were UTC; a zone that is not known has the time of UTC.
    package static func instant(of wall: Timestamp, in zone: String) -> Timestamp {
        guard let zone = TimeZone(iana: zone) else { return wall }
        return WallTime(wall: wall, instant: nil, hasTime: true).instant(in: zone)
    }
}
