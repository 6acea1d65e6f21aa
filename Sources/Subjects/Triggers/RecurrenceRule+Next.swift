import Model

extension RecurrenceRule {
    /// The most days that are looked at for one answer: more than fifty years.
    private static let daysMax = 20_000
    private static let millisecondsOfDay: Int64 = 86_400_000

    /// The first time after an instant at which something repeats.
    ///
    /// The series begins with the first day of the rule on or after `start`, and `COUNT` and `INTERVAL` count from it.
    /// A day that a month does not have is skipped.
    ///
    /// - Parameters:
    ///   - start: The beginning, by the local clock.
    ///   - shown: The local clock's time at `after`.
    ///   - instant: Gives the instant at which the local clock shows a time.
    /// - Returns: nil when there is none, or none among the next twenty thousand days of the rule.
    func next(
        from start: Timestamp, after: Timestamp, shown: Timestamp, instant: (Timestamp) -> Timestamp
    ) -> Timestamp? {
        let first = start.milliseconds.dividedFloor(by: Self.millisecondsOfDay)
        let clock = start.milliseconds - first * Self.millisecondsOfDay
        let rule = completed(by: CivilDate(daysSince1970: first), weekday: Self.weekday(of: first))
        guard rule.canCome else { return nil }
        // Daylight saving shifts clocks by less than a day.
        let earliest = shown.milliseconds.dividedFloor(by: Self.millisecondsOfDay) - 1
        var period = rule.count == nil ? max(0, rule.period(of: earliest, from: first)) : 0
        var (looked, counted): (Int, Int64) = (0, 0)
        while looked < Self.daysMax {
            let span = rule.days(ofPeriod: period, from: first)
            period += 1
            looked += 1
            var day = max(span.lowerBound, first)
            while day <= span.upperBound {
                looked += 1
                let date = CivilDate(daysSince1970: day)
                guard date.year <= 9999 else { return nil }
                guard rule.hasMonth(date) else {
                    day = Self.nextMonth(date)
                    continue
                }
                if rule.hasDay(day, date) {
                    let time = Timestamp(milliseconds: day * Self.millisecondsOfDay + clock)
                    counted += 1
                    if let count = rule.count, counted > count { return nil }
                    if day >= earliest {
                        let instant = instant(time)
                        if rule.isOver(at: time, instant) { return nil }
                        if instant > after { return instant }
                    }
                }
                day += 1
            }
        }
        return nil
    }

    /// The rule with the parts that it leaves out, taken from its start.
    private func completed(by date: CivilDate, weekday: Int64) -> RecurrenceRule {
        guard days.isEmpty, monthDays.isEmpty else { return self }
        var rule = self
        switch frequency {
        case .daily: break
        case .weekly: rule.days = [Day(ordinal: 0, weekday: weekday)]
        case .monthly: rule.monthDays = [date.day]
        case .yearly:
            rule.monthDays = [date.day]
            if months.isEmpty { rule.months = [date.month] }
        }
        return rule
    }

    /// Whether some month of the rule has one of its days: 30 February never comes.
    private var canCome: Bool {
        guard !months.isEmpty, !monthDays.isEmpty else { return true }
        // Lengths in a leap year: February, and the four months of thirty days.
        let lengths = months.map { month -> Int64 in month == 2 ? 29 : [4, 6, 9, 11].contains(month) ? 30 : 31 }
        return monthDays.contains { abs($0) <= lengths.max() ?? 31 }
    }

    private func isOver(at time: Timestamp, _ instant: Timestamp) -> Bool {
        guard let until else { return false }
        if let end = until.instant { return instant > end }
        let day = until.hasTime ? 0 : Self.millisecondsOfDay - 1
        return time > until.wall.adding(milliseconds: day)
    }

    // MARK: Periods

    /// The number of the period, from 0, that contains a day; for a day in no period, that of the last period before
    /// it.
    private func period(of day: Int64, from first: Int64) -> Int64 {
        let distance: Int64
        switch frequency {
        case .daily: distance = day - first
        case .weekly: distance = (day - weekBegin(first)).dividedFloor(by: 7)
        case .monthly: distance = Self.month(of: day) - Self.month(of: first)
        case .yearly: distance = CivilDate(daysSince1970: day).year - CivilDate(daysSince1970: first).year
        }
        return distance.dividedFloor(by: interval)
    }

    private func days(ofPeriod number: Int64, from first: Int64) -> ClosedRange<Int64> {
        let distance = number * interval
        switch frequency {
        case .daily: return first + distance...first + distance
        case .weekly:
            let begin = weekBegin(first) + 7 * distance
            return begin...begin + 6
        case .monthly:
            let month = Self.month(of: first) + distance
            return Self.begin(ofMonth: month)...Self.begin(ofMonth: month + 1) - 1
        case .yearly:
            let month = (CivilDate(daysSince1970: first).year + distance) * 12
            return Self.begin(ofMonth: month)...Self.begin(ofMonth: month + 12) - 1
        }
    }

    private func weekBegin(_ day: Int64) -> Int64 { day - (Self.weekday(of: day) - weekStart + 7) % 7 }

    // MARK: Days

    private func hasMonth(_ date: CivilDate) -> Bool { months.isEmpty || months.contains(date.month) }

    private func hasDay(_ day: Int64, _ date: CivilDate) -> Bool {
        let month = date.year * 12 + date.month - 1
        let length = Self.begin(ofMonth: month + 1) - Self.begin(ofMonth: month)
        guard monthDays.isEmpty || monthDays.contains(date.day) || monthDays.contains(date.day - length - 1) else {
            return false
        }
        guard !days.isEmpty else { return true }
        let weekday = Self.weekday(of: day)
        // A number counts days of the month; or of the year when the rule is yearly and names no months.
        let isOfYear = frequency == .yearly && months.isEmpty
        let begin = isOfYear ? Self.begin(ofMonth: date.year * 12) : day - date.day + 1
        let end = isOfYear ? Self.begin(ofMonth: date.year * 12 + 12) : begin + length
        return days.contains { one in
            one.weekday == weekday
                && (one.ordinal == 0 || one.ordinal == (day - begin) / 7 + 1 || -one.ordinal == (end - 1 - day) / 7 + 1)
        }
    }

    /// The weekday from 0, Monday: 1970-01-01 was a Thursday.
    private static func weekday(of day: Int64) -> Int64 { day + 3 - (day + 3).dividedFloor(by: 7) * 7 }

    /// Months since the year 0.
    private static func month(of day: Int64) -> Int64 {
        let date = CivilDate(daysSince1970: day)
        return date.year * 12 + date.month - 1
    }

    private static func begin(ofMonth month: Int64) -> Int64 {
        let year = month.dividedFloor(by: 12)
        return CivilDate(year: year, month: month - year * 12 + 1, day: 1)?.daysSince1970 ?? 0
    }

    private static func nextMonth(_ date: CivilDate) -> Int64 { begin(ofMonth: date.year * 12 + date.month) }
}
