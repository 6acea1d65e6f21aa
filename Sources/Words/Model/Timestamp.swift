/// An instant, in milliseconds since 1970-01-01T00:00:00Z; on the wire RFC 3339 in UTC with milliseconds.
///
/// Never read from the machine directly: code that needs the present time gets it as a parameter.
///
/// - Confinement: any
package struct Timestamp: Sendable, Hashable, Comparable, CustomStringConvertible {
    package let milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// `seconds` since 1970, as JWT writes times.
    package init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        milliseconds = overflow ? (seconds < 0 ? .min : .max) : product
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// This instant plus `milliseconds`, limited to the ends of the range.
    package func adding(milliseconds more: Int64) -> Timestamp {
        let (sum, overflow) = milliseconds.addingReportingOverflow(more)
        return Timestamp(milliseconds: overflow ? (more < 0 ? .min : .max) : sum)
    }

    package var description: String { text }

    /// `2026-11-21T10:00:00.123Z`; years outside of 0000 to 9999 are limited to the ends.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The 24 ASCII bytes of ``text``.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: Self.byteCount) { write(to: &$0) }
        return bytes
    }

    /// The number of ``bytes``.
    package static let byteCount = 24

    /// Appends the ``bytes``.
    package func write(to output: inout OutputSpan<UInt8>) {
        let held = min(max(milliseconds, -62_167_219_200_000), 253_402_300_799_999)
        let day = held.dividedFloor(by: 86_400_000)
        let rest = held - day * 86_400_000
        let date = CivilDate(daysSince1970: day)
        output.append(twoDigits: date.year / 100)
        output.append(twoDigits: date.year)
        output.append(UInt8(ascii: "-"))
        output.append(twoDigits: date.month)
        output.append(UInt8(ascii: "-"))
        output.append(twoDigits: date.day)
        output.append(UInt8(ascii: "T"))
        output.append(twoDigits: rest / 3_600_000)
        output.append(UInt8(ascii: ":"))
        output.append(twoDigits: rest / 60_000 % 60)
        output.append(UInt8(ascii: ":"))
        output.append(twoDigits: rest / 1000 % 60)
        output.append(UInt8(ascii: "."))
        output.append(UInt8(truncatingIfNeeded: 0x30 + rest / 100 % 10))
        output.append(twoDigits: rest)
        output.append(UInt8(ascii: "Z"))
    }
}

extension Timestamp {
    /// Reads RFC 3339 (section 5.6) with any offset and fraction (cut to milliseconds), or a date alone as its midnight
    /// in UTC; nil for other texts. Leap seconds are read as the second before.
    package init?(_ text: String) {
        var reader = DigitReader(bytes: Array(text.utf8))
        guard let date = reader.date() else { return nil }
        guard !reader.isAtEnd else {
            self.init(milliseconds: date.daysSince1970 * 86_400_000)
            return
        }
        guard reader.take(oneOf: "Tt "), let hour = reader.number(digits: 2, in: 0...23), reader.take(oneOf: ":"),
            let minute = reader.number(digits: 2, in: 0...59), reader.take(oneOf: ":"),
            let second = reader.number(digits: 2, in: 0...60), let fraction = reader.fraction(),
            let offsetMinutes = reader.offset(), reader.isAtEnd
        else { return nil }
        let minutes = hour * 60 + minute - offsetMinutes
        let seconds = date.daysSince1970 * 86_400 + minutes * 60 + min(second, 59)
        self.init(milliseconds: seconds * 1000 + fraction)
    }
}

/// A day of the proleptic Gregorian calendar.
///
/// The arithmetic is Howard Hinnant's `days_from_civil` (chrono-compatible low-level date algorithms).
///
/// - Confinement: any
package struct CivilDate: Sendable, Hashable {
    package let year: Int64
    package let month: Int64
    package let day: Int64

    /// The months as header fields of HTTP have them (RFC 9110, section 5.6.7), from January on.
    package static let monthsInHeaders = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    package init(daysSince1970 days: Int64) {
        let shifted = days + 719_468
        let era = shifted.dividedFloor(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Nil when the day does not exist.
    package init?(year: Int64, month: Int64, day: Int64) {
        guard (1...12).contains(month), day >= 1 else { return nil }
        self.year = year
        self.month = month
        self.day = day
        let back = CivilDate(daysSince1970: daysSince1970)
        guard back.month == month, back.day == day else { return nil }
    }

    package var daysSince1970: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.dividedFloor(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
