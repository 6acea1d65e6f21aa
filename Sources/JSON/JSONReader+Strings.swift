/// Strings: they are checked while the reader steps over them, and made only when asked for.
extension JSONReader {
    /// The next value, which must be a string.
    package mutating func string() throws(JSONError) -> String {
        guard try peek() == .string else { throw failure(.wrongType(wanted: .string)) }
        return string(at: try scanString())
    }

    /// The text of a string token of these bytes.
    package func string(at token: JSONToken) -> String {
        token.string(in: bytes)
    }

    /// Steps over a string; the next byte is its opening quotation mark.
    mutating func scanString() throws(JSONError) -> JSONToken {
        let start = offset
        var index = offset + 1
        var isPlain = true
        while index < limit {
            let byte = bytes[index]
            if byte >= 0x20, byte < 0x80, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
                index += 1
            } else if byte == UInt8(ascii: "\"") {
                offset = index + 1
                return JSONToken(kind: .string, range: start..<offset, isPlain: isPlain)
            } else if byte == UInt8(ascii: "\\") {
                isPlain = false
                index = try scanEscape(at: index)
            } else if byte < 0x20 {
                throw failure(.controlCharacter, at: index)
            } else {
                let length = scalarLength(at: index)
                guard length > 0 else { throw failure(.invalidUTF8, at: index) }
                index += length
            }
        }
        throw failure(.unexpectedEnd, at: limit)
    }

    /// Checks the escape at a backslash.
    ///
    /// - Returns: where the text continues; for a surrogate pair, after both halves.
    private func scanEscape(at index: Int) throws(JSONError) -> Int {
        guard index + 1 < limit else { throw failure(.unexpectedEnd, at: limit) }
        switch bytes[index + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return index + 2
        case UInt8(ascii: "u"):
            break
        default:
            throw failure(.invalidEscape, at: index)
        }
        guard let unit = JSONToken.hexadecimalUnit(bytes[..<limit], at: index + 2) else {
            throw failure(.invalidEscape, at: index)
        }
        guard unit & 0xf800 == 0xd800 else { return index + 6 }
        guard unit < 0xdc00, index + 7 < limit, bytes[index + 6] == UInt8(ascii: "\\"),
            bytes[index + 7] == UInt8(ascii: "u"), let low = JSONToken.hexadecimalUnit(bytes[..<limit], at: index + 8),
            low & 0xfc00 == 0xdc00
        else { throw failure(.loneSurrogate, at: index) }
        return index + 12
    }

    /// The length of the well-formed sequence at `index` whose first byte is not ASCII, 0 when it is ill-formed.
    ///
    /// Source: The Unicode Standard, table 3-7 (the same as RFC 3629, section 4).
    private func scalarLength(at index: Int) -> Int {
        let first = bytes[index]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xbf
        switch first {
        case 0xc2...0xdf: length = 2
        case 0xe0: (length, second) = (3, 0xa0...0xbf)
        case 0xed: (length, second) = (3, 0x80...0x9f)
        case 0xe1...0xef: length = 3
        case 0xf0: (length, second) = (4, 0x90...0xbf)
        case 0xf4: (length, second) = (4, 0x80...0x8f)
        case 0xf1...0xf3: length = 4
        default: return 0
        }
        guard index + length <= limit, second.contains(bytes[index + 1]) else { return 0 }
        for place in (index + 2)..<max(index + 2, index + length) where bytes[place] & 0xc0 != 0x80 { return 0 }
        return length
    }
}
