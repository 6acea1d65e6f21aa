/// Why bytes were refused as JSON, where, and which member is meant.
///
/// `field` is the dotted path to the member at fault (`product.title`, `members.3`), empty when the whole is meant, so
/// that a refusal can name it. `offset` counts bytes from the start of the text.
///
/// - Confinement: any
package struct JSONError: Error, Hashable, Sendable {
    /// What was wrong; each case is one rule of RFC 8259 or one of our bounds.
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

    /// A sentence for people: what is wrong at the place, without the place itself.
    package var message: String {
        switch reason {
        case .unexpectedEnd: "the JSON ends too early"
        case .unexpectedByte(let byte): "unexpected \(Self.name(of: byte)) at byte \(offset)"
        case .trailingBytes: "bytes follow after the end of the JSON value, from byte \(offset)"
        case .controlCharacter: "a control character in a string must be escaped (byte \(offset))"
        case .invalidUTF8: "must be valid UTF-8 (byte \(offset))"
        case .invalidEscape: "unknown escape in a string (byte \(offset))"
        case .loneSurrogate: "half of a surrogate pair is escaped alone (byte \(offset))"
        case .leadingZero: "a number must not begin with a zero before other digits (byte \(offset))"
        case .invalidNumber: "malformed number (byte \(offset))"
        case .numberOutOfRange: "the number is outside the range of 64-bit integers and doubles"
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
