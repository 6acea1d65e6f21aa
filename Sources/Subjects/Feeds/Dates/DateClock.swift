/// A time of the day, as it is written.
///
/// - Confinement: any
struct DateClock {
    private let hour: Int64
    private let minute: Int64
    private let second: Int64
    private let fraction: Int64

    /// `1:45`, `01:45:08` or `01:45:08.123`; nil for other texts.
    init?(_ text: Substring) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let hour = Self.number(parts[0], 1...2, 0...24),
            let minute = Self.number(parts[1], 2...2, 0...59)
        else { return nil }
        (self.hour, self.minute) = (hour, minute)
        guard parts.count == 3 else {
            (second, fraction) = (0, 0)
            return
        }
        let sides = parts[2].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let second = Self.number(sides[0], 2...2, 0...60) else { return nil }
        self.second = second
        guard sides.count == 2 else {
            fraction = 0
            return
        }
        guard let fraction = Self.number(sides[1].prefix(3), 1...3, 0...999),
            sides[1].allSatisfy({ $0.isASCII && $0.isNumber })
        else { return nil }
        self.fraction = fraction * [100, 10, 1][min(sides[1].utf8.count, 3) - 1]
    }

    private static func number(
        _ text: Substring, _ counts: ClosedRange<Int>, _ range: ClosedRange<Int64>
    ) -> Int64? {
        guard counts.contains(text.utf8.count), text.allSatisfy({ $0.isASCII && $0.isNumber }),
            let number = Int64(text),
            range.contains(number)
        else { return nil }
        return number
    }

    /// Milliseconds since midnight; nil when the hour is not in its half of the day, or after its end.
    ///
    /// - Parameter isAfternoon: nil when the text names no half.
    func milliseconds(isAfternoon: Bool?) -> Int64? {
        guard let hour = hour(isAfternoon: isAfternoon) else { return nil }
        guard hour < 24 || minute == 0 && second == 0 && fraction == 0 else { return nil }
        // A leap second counts as the second before it.
        return ((hour * 60 + minute) * 60 + min(second, 59)) * 1000 + fraction
    }

    private func hour(isAfternoon: Bool?) -> Int64? {
        switch isAfternoon {
        case nil: hour
        // Some programs write the hour of 24 and the half besides.
        case true?: hour == 12 ? 12 : (1...11).contains(hour) ? hour + 12 : (13...23).contains(hour) ? hour : nil
        case false?: hour == 12 ? 0 : (0...11).contains(hour) ? hour : nil
        }
    }
}
