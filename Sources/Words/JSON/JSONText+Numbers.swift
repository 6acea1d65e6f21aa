/// Numbers, as RFC 8259, section 6, has them.
extension JSONText {
    /// The stored form of a number: digits alone make an integer, a fraction or an exponent makes a double.
    enum Number {
        case integer(Int64)
        case number(Double)

        /// The value, when it is whole: `7`, but also `7.0` and `7e0`, which is the same number to JSON.
        var whole: Int64? {
            switch self {
            case .integer(let value): value
            case .number(let value): JSONValue.whole(value)
            }
        }
    }

    /// Steps over a number.
    ///
    /// - Parameter start: the place of its sign or first digit.
    /// - Returns: the place after it, and its value.
    func scanNumber(from start: Int) throws(Fault) -> (end: Int, number: Number) {
        let isNegative = bytes[start] == UInt8(ascii: "-")
        let whole = isNegative ? start + 1 : start
        let wholeEnd = try scanDigits(from: whole)
        guard bytes[whole] != UInt8(ascii: "0") || wholeEnd == whole + 1 else {
            throw Fault(reason: .leadingZero, offset: whole)
        }
        let end = try scanFractionAndExponent(from: wholeEnd)
        guard end == wholeEnd else {
            let text = String(decoding: bytes[start..<end], as: UTF8.self)
            guard let value = Double(text), value.isFinite else {
                throw Fault(reason: .numberOutOfRange, offset: start)
            }
            return (end, .number(value))
        }
        // Built as a negative number, because Int64.min has no positive counterpart.
        var value: Int64 = 0
        for digit in bytes[whole..<end] {
            let (tens, overflowsTens) = value.multipliedReportingOverflow(by: 10)
            let (next, overflows) = tens.subtractingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
            guard !overflowsTens, !overflows else { throw Fault(reason: .numberOutOfRange, offset: start) }
            value = next
        }
        if isNegative { return (end, .integer(value)) }
        guard value != .min else { throw Fault(reason: .numberOutOfRange, offset: start) }
        return (end, .integer(-value))
    }

    /// - Returns: the place after them; `start` where there are none.
    private func scanFractionAndExponent(from start: Int) throws(Fault) -> Int {
        var index = start
        if index < limit, bytes[index] == UInt8(ascii: ".") { index = try scanDigits(from: index + 1) }
        if index < limit, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < limit, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") { index += 1 }
            index = try scanDigits(from: index)
        }
        return index
    }

    /// Steps over one or more digits.
    private func scanDigits(from start: Int) throws(Fault) -> Int {
        var index = start
        while index < limit, bytes[index] >= UInt8(ascii: "0"), bytes[index] <= UInt8(ascii: "9") { index += 1 }
        guard index == start else { return index }
        throw Fault(reason: index < limit ? .invalidNumber : .unexpectedEnd, offset: index)
    }
}
