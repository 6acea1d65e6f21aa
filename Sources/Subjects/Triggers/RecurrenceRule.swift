/// How something repeats: a rule of RFC 5545 (section 3.3.10) of the common kind, `FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH`.
///
/// The value has no zone: its days and times are those of a local clock.
///
/// - Confinement: any
struct RecurrenceRule: Sendable, Hashable {
    enum Frequency: String, Sendable, Hashable, CaseIterable {
        case daily = "DAILY"
        case weekly = "WEEKLY"
        case monthly = "MONTHLY"
        case yearly = "YEARLY"
    }

    /// `MO` is every Monday, `2MO` the second Monday of a month or a year, `-1MO` the last.
    struct Day: Sendable, Hashable {
        /// 0 for every such weekday.
        let ordinal: Int64
        /// From 0, Monday.
        let weekday: Int64
    }

    private(set) var frequency = Frequency.daily
    private(set) var interval: Int64 = 1
    private(set) var count: Int64?
    private(set) var until: WallTime?
    var days: [Day] = []
    /// Negative numbers count from the end of the month.
    var monthDays: [Int64] = []
    var months: [Int64] = []
    /// The day on which a week begins, from 0, Monday.
    private(set) var weekStart: Int64 = 0

    /// The largest `COUNT`: its occurrences are counted from the beginning each time. More are possible without a
    /// `COUNT`.
    static let countMax: Int64 = 1000
    static let intervalMax: Int64 = 1000
    private static let bytesMax = 500
    static let weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

    /// Reads a rule, with or without `RRULE:` before it.
    ///
    /// - Throws: ``PatternProblem`` naming the part.
    init(_ text: String) throws(PatternProblem) {
        var rest = text[...]
        if rest.uppercased().hasPrefix("RRULE:") { rest = rest.dropFirst(6) }
        guard text.utf8.count <= Self.bytesMax else {
            throw PatternProblem("a rule has at most \(Self.bytesMax) bytes")
        }
        var seen: Set<String> = []
        for part in rest.uppercased().split(separator: ";", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard pair.count == 2, !pair[1].isEmpty else {
                throw PatternProblem("'\(part.prefix(40))' is not a part of a rule such as FREQ=WEEKLY;BYDAY=MO")
            }
            guard seen.insert(pair[0]).inserted else { throw PatternProblem("\(pair[0].prefix(40)) is there twice") }
            try take(pair[0], pair[1])
        }
        guard seen.contains("FREQ") else { throw PatternProblem("a rule needs FREQ, as in FREQ=WEEKLY") }
        try check()
    }

    private mutating func take(_ name: String, _ value: String) throws(PatternProblem) {
        switch name {
        case "FREQ":
            guard let frequency = Frequency(rawValue: value) else {
                let known = Frequency.allCases.map(\.rawValue).joined(separator: ", ")
                throw PatternProblem("FREQ is one of \(known), not \(value.prefix(40))")
            }
            self.frequency = frequency
        case "INTERVAL": interval = try Self.number(value, name, 1...Self.intervalMax)
        case "COUNT": count = try Self.number(value, name, 1...Self.countMax)
        case "UNTIL": until = try Self.time(value)
        case "BYDAY": days = try Self.list(value).map { text throws(PatternProblem) in try Self.day(text) }
        case "BYMONTHDAY":
            monthDays = try Self.list(value).map { text throws(PatternProblem) in
                try Self.number(text, name, -31...31, besides: 0)
            }
        case "BYMONTH":
            months = try Self.list(value).map { text throws(PatternProblem) in try Self.number(text, name, 1...12) }
        case "WKST":
            guard let day = Self.weekdays.firstIndex(of: value) else {
                throw PatternProblem("WKST is one of \(Self.weekdays.joined(separator: ", ")), not \(value.prefix(40))")
            }
            weekStart = Int64(day)
        default:
            let known = "FREQ, INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, COUNT, UNTIL, WKST"
            throw PatternProblem("\(name.prefix(40)) is not available; a rule has \(known)")
        }
    }

    private func check() throws(PatternProblem) {
        if count != nil, until != nil { throw PatternProblem("a rule has COUNT or UNTIL, not both") }
        if frequency == .weekly, !monthDays.isEmpty { throw PatternProblem("BYMONTHDAY is not for FREQ=WEEKLY") }
        if frequency == .daily || frequency == .weekly, days.contains(where: { $0.ordinal != 0 }) {
            throw PatternProblem("BYDAY with a number, such as 2MO, is for FREQ=MONTHLY and FREQ=YEARLY")
        }
    }

    private static func list(_ value: String) -> [String] {
        value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    private static func number(
        _ text: String, _ name: String, _ range: ClosedRange<Int64>, besides excluded: Int64? = nil
    ) throws(PatternProblem) -> Int64 {
        guard let number = Int64(text), range.contains(number), number != excluded else {
            throw PatternProblem(
                "\(name) is \(range.lowerBound) to \(range.upperBound)\(excluded.map { " and not \($0)" } ?? ""), "
                    + "not '\(text.prefix(40))'")
        }
        return number
    }

    private static func day(_ text: String) throws(PatternProblem) -> Day {
        let ordinal = text.dropLast(2)
        guard let weekday = weekdays.firstIndex(of: String(text.suffix(2))),
            let number = ordinal.isEmpty ? 0 : Int64(ordinal), ordinal.isEmpty || number != 0, number.magnitude <= 53
        else { throw PatternProblem("BYDAY has days such as MO, 2MO or -1FR, not '\(text.prefix(40))'") }
        return Day(ordinal: number, weekday: Int64(weekday))
    }

    /// `20271224`, `20271224T090000`, `20271224T090000Z`, or as documents write times.
    private static func time(_ text: String) throws(PatternProblem) -> WallTime {
        var full = text
        let digits = Array(text.utf8)
        if !text.contains("-"), digits.count == 8 || digits.count >= 15 {
            let letters = Array(text)
            full = "\(String(letters[0..<4]))-\(String(letters[4..<6]))-\(String(letters[6..<8]))"
            if letters.count >= 15 {
                full += "T\(String(letters[9..<11])):\(String(letters[11..<13])):\(String(letters[13...]))"
            }
        }
        guard let time = WallTime(full) else {
            throw PatternProblem("UNTIL is a day or a time such as 20271224T090000Z, not '\(text.prefix(40))'")
        }
        return time
    }
}
