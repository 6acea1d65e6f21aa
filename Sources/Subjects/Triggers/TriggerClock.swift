import Foundation
package import JSON
package import Model

/// The `clock` column of a row: the clock by which the time of `at` counts, when it has no offset.
///
/// - Confinement: any
package enum TriggerClock: Sendable, Hashable {
    /// The clock of a zone, by its IANA name.
    case zone(String)
    /// The clock of each recipient.
    case recipient

    private static let recipientWord = "recipient"
    /// The largest differences of a local clock from UTC, to the east and to the west.
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
        /// The earliest moment still to come at which some recipient's clock shows the time.
        let at: Timestamp
        /// The time that each recipient's clock must show, stored as though it were UTC; nil to notify all at once.
        var wall: Timestamp?
    }

    /// When a notification is due by the value of `at`; nil when the value is not a time.
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
            let last = last(showing: shown.wall)
            // Where the time is over everywhere, it is not necessary to wait.
            guard last > now else { return Due(at: last) }
            return Due(at: max(now, first(showing: shown.wall)), wall: shown.wall)
        }
    }

    /// The first moment at which a clock somewhere shows a time.
    package static func first(showing wall: Timestamp) -> Timestamp { wall.adding(milliseconds: -ahead) }

    /// The last moment at which a clock somewhere shows a time.
    package static func last(showing wall: Timestamp) -> Timestamp { wall.adding(milliseconds: behind) }

    /// The instant at which a clock in a zone shows a time, which is given as though it were UTC; an unknown zone
    /// counts as UTC.
    package static func instant(of wall: Timestamp, in zone: String) -> Timestamp {
        guard let zone = TimeZone(iana: zone) else { return wall }
        return WallTime(wall: wall, instant: nil, hasTime: true).instant(in: zone)
    }
}
