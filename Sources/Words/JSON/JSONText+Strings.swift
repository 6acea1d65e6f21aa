/// Strings: they are checked while the reader steps over them, and made only when asked for.
extension JSONText {
    /// Steps over a string.
    ///
    /// - Parameter start: the place of its opening quotation mark.
    func scanString(from start: Int) throws(Fault) -> JSONToken {
        var index = start + 1
        var isPlain = true
        while index < limit {
            let byte = bytes[index]
            if byte >= 0x20, byte < 0x80, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
                index += 1
            } else if byte == UInt8(ascii: "\"") {
                return JSONToken(kind: .string, range: start..<(index + 1), isPlain: isPlain)
            } else if byte == UInt8(ascii: "\\") {
                isPlain = false
                index = try scanEscape(at: index)
            } else if byte < 0x20 {
                throw Fault(reason: .controlCharacter, offset: index)
            } else {
                let length = scalarLength(at: index)
                guard length > 0 else { throw Fault(reason: .invalidUTF8, offset: index) }
                index += length
            }
        }
        throw Fault(reason: .unexpectedEnd, offset: limit)
    }

    /// Checks the escape at a backslash.
    ///
    /// - Returns: where the text continues; for a surrogate pair, after both halves.
    private func scanEscape(at index: Int) throws(Fault) -> Int {
        guard index + 1 < limit else { throw Fault(reason: .unexpectedEnd, offset: limit) }
        switch bytes[index + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return index + 2
        case UInt8(ascii: "u"):
            break
        default:
            throw Fault(reason: .invalidEscape, offset: index)
        }
        guard let unit = JSONToken.hexadecimalUnit(bytes[..<limit], at: index + 2) else {
            throw Fault(reason: .invalidEscape, offset: index)
        }
        guard unit & 0xf800 == 0xd800 else { return index + 6 }
        guard unit < 0xdc00, index + 7 < limit, bytes[index + 6] == UInt8(ascii: "\\"),
            bytes[index + 7] == UInt8(ascii: "u"), let low = JSONToken.hexadecimalUnit(bytes[..<limit], at: index + 8),
            low & 0xfc00 == 0xdc00
        else { throw Fault(reason: .loneSurrogate, offset: index) }
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
