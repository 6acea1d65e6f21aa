/// The words of a JSON text: strings, numbers, `true`, `false` and `null` (RFC 8259, sections 3, 6 and 7). It steps over one
/// of them at a time and checks it; it does not know their order or their depth.
///
/// - Confinement: any
struct JSONText: Sendable {
    /// A mistake in a word, and its byte.
    ///
    /// - Confinement: any
    struct Fault: Error {
        let reason: JSONError.Reason
        let offset: Int
    }

    let bytes: [UInt8]
    /// One past the last byte to be read.
    let limit: Int

    /// The first place from here that is not white space.
    func skipWhitespace(from start: Int) -> Int {
        var index = start
        while index < limit {
            switch bytes[index] {
            case 0x20, 0x0a, 0x0d, 0x09: index += 1
            default: return index
            }
        }
        return index
    }

    /// Steps over `true`, `false` or `null`; the first letter tells which of them must be there.
    ///
    /// - Returns: the place after it.
    func scanLiteral(from start: Int) throws(Fault) -> Int {
        switch bytes[start] {
        case UInt8(ascii: "t"): try scan("true", from: start)
        case UInt8(ascii: "f"): try scan("false", from: start)
        default: try scan("null", from: start)
        }
    }

    private func scan(_ word: String, from start: Int) throws(Fault) -> Int {
        var index = start
        for expected in word.utf8 {
            guard index < limit else { throw Fault(reason: .unexpectedEnd, offset: index) }
            guard bytes[index] == expected else { throw Fault(reason: .unexpectedByte(bytes[index]), offset: index) }
            index += 1
        }
        return index
    }
}
