/// Base64 in its two usual forms (RFC 4648).
/// - Confinement: any
package enum Base64: Sendable {
    /// With `+` and `/`, and with padding (section 4).
    case padded
    /// With `-` and `_`, and without padding (section 5; RFC 7515, section 2).
    case url

    private static let paddedAlphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlAlphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let padding = UInt8(ascii: "=")

    /// The digits of some bytes, as ASCII.
    package func encode(_ bytes: [UInt8]) -> [UInt8] {
        let alphabet = self == .url ? Self.urlAlphabet : Self.paddedAlphabet
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var bits: UInt32 = 0
        var bitCount = 0
        for byte in bytes {
            bits = (bits << 8 | UInt32(byte)) & 0xffff
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text.append(alphabet[Int(bits >> UInt32(bitCount)) & 63])
            }
        }
        if bitCount > 0 { text.append(alphabet[Int(bits << UInt32(6 - bitCount)) & 63]) }
        if self == .padded { text += repeatElement(Self.padding, count: (4 - text.count % 4) % 4) }
        return text
    }

    /// The digits of some bytes, as a string.
    package func text(of bytes: [UInt8]) -> String { String(decoding: encode(bytes), as: UTF8.self) }

    /// The bytes of some digits.
    ///
    /// Strict: each byte sequence has exactly one text, so a token cannot be changed and stay the same.
    /// - Parameter ignoresRest: whether the last digit may have bits that belong to no byte; an encoder leaves them zero.
    /// - Returns: nil for a foreign character (white space among them), for padding that is missing or not in this form,
    ///   or for a length that no encoder makes.
    package func decode(_ text: ArraySlice<UInt8>, ignoresRest: Bool = false) -> [UInt8]? {
        guard let digits = withoutPadding(text), digits.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        var areRight = true
        bytes.append(addingCapacity: digits.count * 3 / 4) { output in
            for digit in digits {
                guard let value = value(of: digit) else {
                    areRight = false
                    return
                }
                bits = (bits << 6 | value) & 0xffff
                bitCount += 6
                guard bitCount >= 8 else { continue }
                bitCount -= 8
                output.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        return areRight && (ignoresRest || bits & (1 << UInt32(bitCount) - 1) == 0) ? bytes : nil
    }

    /// The bytes of some digits, all of an array.
    package func decode(_ text: [UInt8], ignoresRest: Bool = false) -> [UInt8]? {
        decode(text[...], ignoresRest: ignoresRest)
    }

    private func withoutPadding(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard self == .padded else { return text }
        guard text.count.isMultiple(of: 4) else { return nil }
        return text.dropLast(text.suffix(2).reversed().prefix { $0 == Self.padding }.count)
    }

    private func value(of digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit) - 97 + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit) - 48 + 52
        case UInt8(ascii: "-") where self == .url, UInt8(ascii: "+") where self == .padded: 62
        case UInt8(ascii: "_") where self == .url, UInt8(ascii: "/") where self == .padded: 63
        default: nil
        }
    }
}
