/// A time of day on a local clock, to the minute.
///
/// - Confinement: any
package struct LocalTime: Sendable, Hashable {
    /// The form, for error messages.
    package static let form = "a time of day such as 22:00"

    /// Minutes since midnight, 0 to 1439.
    package let minutes: Int64

    /// Nil unless two digits, a colon and two digits, from 00:00 to 23:59.
    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
        let digits = [bytes[0], bytes[1], bytes[3], bytes[4]].map { Int64($0) - 0x30 }
        guard digits.allSatisfy({ (0...9).contains($0) }) else { return nil }
        let hour = digits[0] * 10 + digits[1]
        let minute = digits[2] * 10 + digits[3]
        guard hour < 24, minute < 60 else { return nil }
        minutes = hour * 60 + minute
    }
}

/// A day of the week.
///
/// - Confinement: any
package enum Weekday: String, Sendable, Hashable, CaseIterable {
    case mon, tue, wed, thu, fri, sat, sun

    /// The weekday of a day counted from 1970-01-01, which was a Thursday.
    init(daysSince1970 days: Int64) {
        let index = Int((days + 3) % 7)
        self = Self.allCases[index < 0 ? index + 7 : index]
    }
}

/// A minute of a local clock, counted from 1970-01-01T00:00 of that clock, in any zone.
///
/// - Confinement: any
package struct WallMinute: Sendable, Hashable, Comparable {
    static let ofDay: Int64 = 1440

    package let value: Int64

    package init(_ value: Int64) { self.value = value }

    init(day: Int64, time: LocalTime) { value = day * Self.ofDay + time.minutes }

    /// Days since 1970-01-01 of that clock.
    var day: Int64 { (value >= 0 ? value : value - Self.ofDay + 1) / Self.ofDay }

    /// Minutes since its midnight.
    var minuteOfDay: Int64 { value - day * Self.ofDay }

    package static func < (left: WallMinute, right: WallMinute) -> Bool { left.value < right.value }
}
