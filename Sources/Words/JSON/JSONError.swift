/// Why bytes were refused as JSON, with the place and the member.
///
/// `field` is the dotted path to the wrong member (`product.title`, `members.3`), and empty when the whole text is
/// wrong; a refusal shows it. `offset` counts bytes from the start of the text.
///
/// - Confinement: any
package struct JSONError: Error, Hashable, Sendable {
    /// The mistake; each case is one rule of RFC 8259 or one of our bounds.
    package enum Reason: Hashable, Sendable {
        case unexpectedEnd
        case unexpectedByte(UInt8)
        case trailingBytes
        case controlCharacter
        case invalidUTF8
        case invalidEscape
        case loneSurrogate
        case leadingZero
        case invalidNumber
        case numberOutOfRange
        case duplicateName
        case tooDeep(max: Int)
        case wrongType(wanted: JSONKind)
    }

    package var reason: Reason
    package var offset: Int
    package var field: String

    package init(reason: Reason, offset: Int, field: String) {
        self.reason = reason
        self.offset = offset
        self.field = field
    }

    /// The mistake in words that follow the name of the member: "must be a string".
    package var message: String {
        switch reason {
        case .unexpectedEnd: "ends too early"
        case .unexpectedByte(let byte): "has an unexpected \(Self.name(of: byte)) at byte \(offset)"
        case .trailingBytes: "is followed by something else, from byte \(offset)"
        case .controlCharacter: "has a control character that is not escaped, at byte \(offset)"
        case .invalidUTF8: "must be valid UTF-8, unlike byte \(offset)"
        case .invalidEscape: "has an unknown escape at byte \(offset)"
        case .loneSurrogate: "has half of a surrogate pair at byte \(offset)"
        case .leadingZero: "has a number that begins with a needless zero at byte \(offset)"
        case .invalidNumber: "has a malformed number at byte \(offset)"
        case .numberOutOfRange: "has a number outside the range of 64-bit integers and doubles"
        case .duplicateName: "is given more than once"
        case .tooDeep(let max): "is nested deeper than \(max) levels"
        case .wrongType(let wanted): "must be \(wanted.phrase)"
        }
    }

    private static func name(of byte: UInt8) -> String {
        guard byte > 0x20, byte < 0x7f else { return "byte 0x" + String(byte, radix: 16) }
        return "'\(Character(UnicodeScalar(byte)))'"
    }
}
