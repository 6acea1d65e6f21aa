/// Values of the kinds that a caller wants, and whole values as a tree.
extension JSONReader {
    /// The next value, which must be a string.
    package mutating func string() throws(JSONError) -> String {
        guard try peek() == .string else { throw failure(.wrongType(wanted: .string)) }
        return string(at: try scanString())
    }

    /// The text of a string token of these bytes.
    package func string(at token: JSONToken) -> String {
        token.string(in: text.bytes)
    }

    /// The next value, which must be a whole number.
    package mutating func integer() throws(JSONError) -> Int64 {
        guard try peek() == .number else { throw failure(.wrongType(wanted: .integer)) }
        guard let whole = try scanNumber().whole else { throw failure(.wrongType(wanted: .integer)) }
        return whole
    }

    /// The next value, which must be a number.
    package mutating func number() throws(JSONError) -> Double {
        guard try peek() == .number else { throw failure(.wrongType(wanted: .number)) }
        switch try scanNumber() {
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
            switch try scanNumber() {
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
        Array(text.bytes[token.range])
    }

    // MARK: Steps over one word

    /// The next byte is the opening quotation mark.
    mutating func scanString() throws(JSONError) -> JSONToken {
        do throws(JSONText.Fault) {
            let token = try text.scanString(from: offset)
            offset = token.range.upperBound
            return token
        } catch { throw failure(error.reason, at: error.offset) }
    }

    /// The next byte is the sign or the first digit.
    @discardableResult
    mutating func scanNumber() throws(JSONError) -> JSONText.Number {
        do throws(JSONText.Fault) {
            let (end, number) = try text.scanNumber(from: offset)
            offset = end
            return number
        } catch { throw failure(error.reason, at: error.offset) }
    }

    /// - Returns: the first byte of the word.
    @discardableResult
    mutating func scanLiteral() throws(JSONError) -> UInt8 {
        let first = try nextByte()
        do throws(JSONText.Fault) {
            offset = try text.scanLiteral(from: offset)
            return first
        } catch { throw failure(error.reason, at: error.offset) }
    }
}
