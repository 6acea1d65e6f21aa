/// Checks UTF-8 piece by piece and fails at the first byte that no valid text can contain there (RFC 3629 section 4).
///
/// A character may be cut between two pieces, so a text is valid only if every piece was accepted *and* `isComplete` is
/// true at its end. Autobahn 6.4 demands that a text is refused at the first wrong byte, not at the end of the message.
///
/// - Confinement: any
struct UTF8Validator: Sendable {
    /// Continuation bytes that the present character still needs.
    private var missing = 0
    /// The allowed range of the next continuation byte: narrower than 80–BF after E0, ED, F0 and F4, which would
    /// otherwise allow overlong forms, surrogates and values above 10FFFF.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// Whether the text so far ends with a whole character.
    var isComplete: Bool { missing == 0 }

    /// Checks the next piece.
    ///
    /// - Returns: false if no further bytes can make the text valid; then the validator must not be used again.
    mutating func accept(_ bytes: RawSpan) -> Bool {
        let count = bytes.byteCount
        var offset = 0
        while offset < count {
            if missing == 0 {
                while offset &+ 8 <= count, bytes.word(at: offset) & 0x8080_8080_8080_8080 == 0 { offset &+= 8 }
                guard offset < count else { return true }
            }
            guard accept(bytes.byte(at: offset)) else { return false }
            offset &+= 1
        }
        return true
    }

    /// Checks the next piece, the part of `text` from `start` on; see ``accept(_:)``.
    mutating func accept(_ text: [UInt8], from start: Int = 0) -> Bool {
        text.withRawSpan { accept($0.extracting(droppingFirst: start)) }
    }

    @inline(__always)
    private mutating func accept(_ byte: UInt8) -> Bool {
        if missing > 0 {
            guard byte >= lowest, byte <= highest else { return false }
            missing &-= 1
            lowest = 0x80
            highest = 0xBF
            return true
        }
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: missing = 1
        case 0xE0:
            missing = 2
            lowest = 0xA0
        case 0xED:
            missing = 2
            highest = 0x9F
        case 0xE1...0xEF: missing = 2
        case 0xF0:
            missing = 3
            lowest = 0x90
        case 0xF1...0xF3: missing = 3
        case 0xF4:
            missing = 3
            highest = 0x8F
        default: return false
        }
        return true
    }
}
