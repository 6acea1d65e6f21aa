/// Reads the fixed-width decimal fields of a date, from the front of a byte string.
///
/// - Confinement: any
struct DigitReader {
    private let bytes: [UInt8]
    private var index = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { index == bytes.count }

    /// Takes the next byte when it is one of `characters`.
    mutating func take(oneOf characters: StaticString) -> Bool {
        guard index < bytes.count, characters.description.utf8.contains(bytes[index]) else { return false }
        index += 1
        return true
    }

    /// Exactly `digits` decimal digits whose number lies in `range`.
    mutating func number(digits: Int, in range: ClosedRange<Int64>) -> Int64? {
        guard bytes.count - index >= digits else { return nil }
        var value: Int64 = 0
        for byte in bytes[index..<(index + digits)] {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int64(byte - 0x30)
        }
        guard range.contains(value) else { return nil }
        index += digits
        return value
    }

    /// `YYYY-MM-DD`.
    mutating func date() -> CivilDate? {
        guard let year = number(digits: 4, in: 0...9999), take(oneOf: "-"),
            let month = number(digits: 2, in: 1...12), take(oneOf: "-"), let day = number(digits: 2, in: 1...31)
        else { return nil }
        return CivilDate(year: year, month: month, day: day)
    }

    /// An optional `.` with digits, as milliseconds; zero when there is none, nil when the dot has no digit.
    mutating func fraction() -> Int64? {
        guard take(oneOf: ".") else { return 0 }
        var value: Int64 = 0
        var count = 0
        while index < bytes.count, (0x30...0x39).contains(bytes[index]) {
            if count < 3 { value = value * 10 + Int64(bytes[index] - 0x30) }
            count += 1
            index += 1
        }
        guard count > 0 else { return nil }
        for _ in min(count, 3)..<3 { value *= 10 }
        return value
    }

    /// `Z` or `±HH:MM`, as minutes east of UTC.
    mutating func offset() -> Int64? {
        if take(oneOf: "Zz") { return 0 }
        let isWest: Bool
        if take(oneOf: "-") { isWest = true } else if take(oneOf: "+") { isWest = false } else { return nil }
        guard let hours = number(digits: 2, in: 0...23), take(oneOf: ":"), let minutes = number(digits: 2, in: 0...59)
        else { return nil }
        let total = hours * 60 + minutes
        return isWest ? -total : total
    }
}

extension OutputSpan<UInt8> {
    /// Appends `value`, which must not be negative, as two decimal digits; higher digits are left out.
    mutating func append(twoDigits value: Int64) {
        append(UInt8(truncatingIfNeeded: 0x30 + value / 10 % 10))
        append(UInt8(truncatingIfNeeded: 0x30 + value % 10))
    }
}

extension Int64 {
    /// Division rounded towards negative infinity; `divisor` is positive.
    package func dividedFloor(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
