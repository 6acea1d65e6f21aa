import Model

/// The words of a date that were understood so far; each part of a date may be given once.
///
/// - Confinement: any
struct DateWords {
    private var clock: DateClock?
    private var isAfternoon: Bool?
    /// In minutes, with the word that gives it.
    private var zone: Int64?
    private var zoneIsGreenwich = false
    private var month: Int64?
    /// The month that a word begins which is also a weekday: `mar` is March and, in French, Tuesday.
    private var monthOrWeekday: Int64?
    private var hasWeekday = false
    /// Numbers in their order: the day and the year, or the year, the month and the day.
    private var numbers: [Substring] = []
    /// A date of numbers alone, complete.
    private var date: CivilDate?

    /// Takes a word.
    ///
    /// - Returns: false when it is not understood, or does not agree with the words before it.
    mutating func take(_ word: Substring) -> Bool {
        let word = word.drop { $0 == "." }
        guard let first = word.first else { return true }
        if first.isASCII, first.isNumber { return takeDigits(word) }
        if first == "+" || first == "-", let minutes = DateZone.offset(word) {
            return takeZone(minutes, isOffset: true)
        }
        let name = DateNames.plain(word)
        if let half = ["am": false, "pm": true][name.filter { $0 != "." }], clock != nil { return takeHalf(half) }
        if let minutes = DateZone.named(name) {
            return takeZone(minutes, isOffset: false, isGreenwich: DateZone.greenwich.contains(name))
        }
        if let minutes = DateZone.offsetFromGreenwich(name) { return takeZone(minutes, isOffset: true) }
        if let found = DateNames.month(name) {
            if DateNames.isWeekday(name), monthOrWeekday == nil, !hasWeekday {
                monthOrWeekday = found
                return true
            }
            guard month == nil, date == nil else { return false }
            month = found
            return true
        }
        if DateNames.isWeekday(name), !hasWeekday {
            hasWeekday = true
            return true
        }
        if name.contains("-") { return takeJoined(word) }
        return DateNames.fillers.contains(name)
    }

    /// The instant; nil when parts are missing or impossible.
    var time: Timestamp? {
        guard let day = date == nil ? dateOfNames : dateOfNumbers else { return nil }
        guard let clock else {
            // A half of the day, or a zone, without a time says nothing.
            return isAfternoon == nil && zone == nil ? Timestamp(seconds: day.daysSince1970 * 86_400) : nil
        }
        guard let milliseconds = clock.milliseconds(isAfternoon: isAfternoon) else { return nil }
        return Timestamp(milliseconds: day.daysSince1970 * 86_400_000 + milliseconds - (zone ?? 0) * 60_000)
    }

    private var dateOfNumbers: CivilDate? { month == nil && numbers.isEmpty ? date : nil }

    private var dateOfNames: CivilDate? {
        guard let month = month ?? monthOrWeekday, numbers.count == 2 else { return nil }
        let isYearFirst = numbers[0].utf8.count == 4
        let day = isYearFirst ? numbers[1] : numbers[0]
        guard day.utf8.count <= 2, let day = Int64(day), let year = Self.year(isYearFirst ? numbers[0] : numbers[1])
        else {
            return nil
        }
        return CivilDate(year: year, month: month, day: day)
    }

    /// Two digits mean 1950 to 2049, three count from 1900 (RFC 2822 section 4.3).
    private static func year(_ digits: Substring) -> Int64? {
        guard let year = Int64(digits) else { return nil }
        switch digits.utf8.count {
        case 2: return year < 50 ? 2000 + year : 1900 + year
        case 3: return 1900 + year
        case 4: return year
        default: return nil
        }
    }

    private mutating func takeHalf(_ half: Bool) -> Bool {
        guard isAfternoon == nil else { return false }
        isAfternoon = half
        return true
    }

    /// A name and an offset may both be there if they agree, and an offset counts after `GMT`.
    private mutating func takeZone(_ minutes: Int64, isOffset: Bool, isGreenwich: Bool = false) -> Bool {
        guard let known = zone else {
            (zone, zoneIsGreenwich) = (minutes, isGreenwich)
            return true
        }
        guard zoneIsGreenwich && isOffset || known == minutes else { return false }
        (zone, zoneIsGreenwich) = (minutes, false)
        return true
    }

    private mutating func takeDigits(_ word: Substring) -> Bool {
        if let colon = word.firstIndex(of: ":") {
            // `2021-11-19T01:45:08`: the date ends before the hour.
            if let mark = word[..<colon].lastIndex(where: { $0 == "T" || $0 == "t" }) {
                return takeJoined(word[..<mark]) && takeClock(word[word.index(after: mark)...])
            }
            return takeClock(word)
        }
        if word.dropLast().contains(where: { "-/.".contains($0) }) { return takeJoined(word) }
        if word.hasSuffix("Z") || word.contains("T") { return takeBasic(word) }
        let digits = word.prefix { $0.isNumber }
        guard digits.allSatisfy(\.isASCII), numbers.count < 2,
            ["", ".", "st", "nd", "rd", "th"].contains(word[digits.endIndex...].lowercased())
        else { return false }
        numbers.append(digits)
        return true
    }

    /// `01:45:08`, with a half of the day or a zone written to it.
    private mutating func takeClock(_ word: Substring) -> Bool {
        let end = word.firstIndex { !$0.isASCII || !$0.isNumber && !":.".contains($0) } ?? word.endIndex
        guard clock == nil, let read = DateClock(word[..<end]) else { return false }
        clock = read
        return word[end...].isEmpty || take(word[end...])
    }

    /// `20211119T014508Z`: the basic form of ISO 8601.
    private mutating func takeBasic(_ word: Substring) -> Bool {
        let sides = word.split(separator: "T", maxSplits: 1)
        guard sides.count == 2, sides[0].utf8.count == 8, let day = Int64(sides[0]) else { return false }
        let digits = sides[1].prefix { $0.isNumber }
        guard digits.utf8.count == 6, digits.allSatisfy(\.isASCII), date == nil, month == nil else { return false }
        date = CivilDate(year: day / 10_000, month: day / 100 % 100, day: day % 100)
        let pairs = [digits.prefix(2), digits.dropFirst(2).prefix(2), digits.suffix(2)]
        return date != nil && takeClock(pairs.joined(separator: ":") + sides[1][digits.endIndex...])
    }

    /// A date as one word: `2021-11-19`, `19.11.2021`, `21-Nov-26`, `11/25/2021`.
    private mutating func takeJoined(_ word: Substring) -> Bool {
        guard date == nil, month == nil, numbers.isEmpty, let mark = word.first(where: { "-/.".contains($0) }) else {
            return false
        }
        let parts = word.split(separator: mark, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return false }
        if let named = DateNames.month(DateNames.plain(parts[1])) {
            month = named
            numbers = [parts[0], parts[2]]
            return numbers.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isNumber } }
        }
        date = Self.date(parts, mark)
        return date != nil
    }

    /// A date of numbers. The year comes first; or it comes last and the day is before the month where points stand between them, and
    /// between slashes and hyphens only where the other order is impossible.
    private static func date(_ parts: [Substring], _ mark: Character) -> CivilDate? {
        guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isNumber } }),
            let first = Int64(parts[0]), let second = Int64(parts[1]), let third = Int64(parts[2])
        else { return nil }
        if parts[0].utf8.count == 4 { return CivilDate(year: first, month: second, day: third) }
        guard parts[2].utf8.count == 4 else { return nil }
        let dayFirst = CivilDate(year: third, month: second, day: first)
        if mark == "." { return dayFirst }
        let monthFirst = CivilDate(year: third, month: first, day: second)
        if dayFirst == monthFirst { return dayFirst }
        return dayFirst == nil || monthFirst == nil ? dayFirst ?? monthFirst : nil
    }
}
