/// Numbers, truth values, null, and whole values as a tree.
extension JSONReader {
    /// The stored form of a number: digits alone make an integer, a fraction or an exponent makes a double.
    enum Number {
        case integer(Int64)
        case number(Double)
    }

    /// The next value, which must be a whole number: `7`, but also `7.0` and `7e0`, which is the same number to JSON.
    package mutating func integer() throws(JSONError) -> Int64 {
        guard try peek() == .number else { throw failure(.wrongType(wanted: .integer)) }
        switch try scanNumber().number {
        case .integer(let value): return value
        case .number(let value):
            guard let whole = JSONValue.whole(value) else { throw failure(.wrongType(wanted: .integer)) }
            return whole
        }
    }

    /// The next value, which must be a number.
    package mutating func number() throws(JSONError) -> Double {
        guard try peek() == .number else { throw failure(.wrongType(wanted: .number)) }
        switch try scanNumber().number {
        case .integer(let value): return Double(value)
        case .number(let value): return value
        }
    }

    /// The next value, which must be `true` or `false`.
    package mutating func bool() throws(JSONError) -> Bool {
        guard try peek() == .bool else { throw failure(.wrongType(wanted: .bool)) }
        return try scanLiteral() == UInt8(ascii: "t")
    }

    /// The next value, which must be `null`.
    package mutating func null() throws(JSONError) {
        guard try peek() == .null else { throw failure(.wrongType(wanted: .null)) }
        try scanLiteral()
    }

    /// The next value as a tree.
    package mutating func value() throws(JSONError) -> JSONValue {
        switch try peek() {
        case .null:
            try scanLiteral()
            return .null
        case .bool: return .bool(try bool())
        case .string: return .string(try string())
        case .number, .integer:
            switch try scanNumber().number {
            case .integer(let value): return .integer(value)
            case .number(let value): return .number(value)
            }
        case .array:
            var elements: [JSONValue] = []
            try beginArray()
            while try nextElement() { elements.append(try value()) }
            return .array(elements)
        case .object:
            var members: [(name: String, value: JSONValue)] = []
            try beginObject()
            while let name = try nextName() { members.append((name, try value())) }
            return .object(JSONObject(distinct: members))
        }
    }

    /// The bytes of a value, unchanged.
    package func bytes(at token: JSONToken) -> [UInt8] {
        Array(bytes[token.range])
    }

    /// Steps over a number; the next byte is its sign or first digit.
    mutating func scanNumber() throws(JSONError) -> (token: JSONToken, number: Number) {
        let start = offset
        let isNegative = bytes[offset] == UInt8(ascii: "-")
        if isNegative { offset += 1 }
        let whole = offset
        try scanDigits()
        guard bytes[whole] != UInt8(ascii: "0") || offset == whole + 1 else { throw failure(.leadingZero, at: whole) }
        let isFractional = try scanFractionAndExponent()
        let token = JSONToken(kind: .number, range: start..<offset, isPlain: false)
        if isFractional {
            let text = String(decoding: bytes[start..<offset], as: UTF8.self)
            guard let value = Double(text), value.isFinite else { throw failure(.numberOutOfRange, at: start) }
            return (token, .number(value))
        }
        // Built as a negative number, because Int64.min has no positive counterpart.
        var value: Int64 = 0
        for digit in bytes[whole..<offset] {
            let (tens, overflowsTens) = value.multipliedReportingOverflow(by: 10)
            let (next, overflows) = tens.subtractingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
            guard !overflowsTens, !overflows else { throw failure(.numberOutOfRange, at: start) }
            value = next
        }
        if isNegative { return (token, .integer(value)) }
        guard value != .min else { throw failure(.numberOutOfRange, at: start) }
        return (token, .integer(-value))
    }

    private mutating func scanFractionAndExponent() throws(JSONError) -> Bool {
        var isFractional = false
        if offset < limit, bytes[offset] == UInt8(ascii: ".") {
            offset += 1
            try scanDigits()
            isFractional = true
        }
        if offset < limit, bytes[offset] | 0x20 == UInt8(ascii: "e") {
            offset += 1
            if offset < limit, bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-") { offset += 1 }
            try scanDigits()
            isFractional = true
        }
        return isFractional
    }

    /// Steps over one or more digits.
    private mutating func scanDigits() throws(JSONError) {
        let start = offset
        while offset < limit, bytes[offset] >= UInt8(ascii: "0"), bytes[offset] <= UInt8(ascii: "9") { offset += 1 }
        guard offset == start else { return }
        throw failure(offset < limit ? .invalidNumber : .unexpectedEnd)
    }
}
