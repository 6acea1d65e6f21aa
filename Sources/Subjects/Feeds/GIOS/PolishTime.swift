import JSON
import Model

/// The times of the inspectorate: Polish local time without a zone, or milliseconds since 1970.
///
/// - Confinement: any
enum PolishTime {
    /// Nil when it is neither.
    static func read(_ value: JSONValue) -> Timestamp? {
        if let milliseconds = value.integerValue {
            return (1_000_000_000_000..<100_000_000_000_000).contains(milliseconds)
                ? Timestamp(milliseconds: milliseconds) : nil
        }
        guard let text = value.stringValue else { return nil }
        let trimmed = PlainText.cut(text, to: 40)
        if let digits = Int64(trimmed) { return read(.integer(digits)) }
        // A zone in the text is used.
        if let time = Timestamp(trimmed), trimmed.utf8.count > 10 { return time }
        guard let clock = Timestamp(trimmed + "Z") ?? Timestamp(trimmed + ":00Z") else { return nil }
        let winter = clock.adding(milliseconds: -3_600_000)
        return isSummer(winter) ? clock.adding(milliseconds: -7_200_000) : winter
    }

    /// The beginning of the hour.
    static func hour(_ time: Timestamp) -> Timestamp {
        Timestamp(milliseconds: time.milliseconds / 3_600_000 * 3_600_000)
    }

    /// From the last Sunday of March to that of October, each at 01:00 UTC (Directive 2000/84/EC).
    private static func isSummer(_ time: Timestamp) -> Bool {
        guard let year = Int64(time.text.prefix(4)), let begins = lastSunday(year, "03"),
            let ends = lastSunday(year, "10")
        else { return false }
        // The hour that occurs twice counts as the first; a time in summer is read as winter time, an hour late.
        return time.milliseconds >= begins && time.milliseconds < ends
    }

    /// 01:00 UTC of the last Sunday of a month with 31 days.
    private static func lastSunday(_ year: Int64, _ month: String) -> Int64? {
        guard let last = Timestamp("\(year)-\(month)-31") else { return nil }
        // 1970-01-01 was a Thursday.
        let weekday = (last.milliseconds / 86_400_000 + 4) % 7
        return last.milliseconds - weekday * 86_400_000 + 3_600_000
    }
}
