package import Model

/// The present time as the header field `Date` has it (RFC 9110 section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// Every answer bears it (section 6.6.1). It is made once a second, and an answer copies its bytes.
///
/// - Confinement: loop
package final class HTTPDate {
    /// The name of the field.
    package static let field = "Date"

    private var second = Int64.min
    private var madeText = ""
    private var madeLine: [UInt8] = []

    /// Nothing is made before somebody asks.
    package init() {}

    /// The value of the field.
    package func text(at now: Timestamp) -> String {
        make(now)
        return madeText
    }

    /// The whole line of a head, with its end.
    package func line(at now: Timestamp) -> [UInt8] {
        make(now)
        return madeLine
    }

    private func make(_ now: Timestamp) {
        let present = now.milliseconds.dividedFloor(by: 1000)
        guard present != second else { return }
        second = present
        madeText = Self.text(ofSecond: present)
        madeLine.removeAll(keepingCapacity: true)
        HTTPHeadEncoder.appendLine(Self.field, ": ", madeText, to: &madeLine)
    }

    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    /// - Parameter second: since 1970; the form has four digits for the year, so times outside of 0000 to 9999 become the ends.
    private static func text(ofSecond second: Int64) -> String {
        let held = min(max(second, -62_167_219_200), 253_402_300_799)
        let day = held.dividedFloor(by: 86_400)
        let rest = held - day * 86_400
        let date = CivilDate(daysSince1970: day)
        let weekday = days[Int(day - day.dividedFloor(by: 7) * 7)]
        let time = [rest / 3600, rest / 60 % 60, rest % 60].map { digits($0, 2) }.joined(separator: ":")
        return
            "\(weekday), \(digits(date.day, 2)) \(CivilDate.monthsInHeaders[Int(date.month) - 1]) \(digits(date.year, 4)) \(time) GMT"
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}

@available(*, unavailable)
extension HTTPDate: Sendable {}
