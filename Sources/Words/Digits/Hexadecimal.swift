/// Hexadecimal digits (RFC 4648, section 8).
/// - Confinement: any
package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    /// The value of a digit, 0 to 15; small and capital letters mean the same.
    /// - Returns: nil for any other character.
    package static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Two small digits for each byte, as ASCII.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return text
    }

    /// The bytes of a text that has two digits for each.
    /// - Returns: nil for any other character, or for an odd number of digits.
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        var rest = text
        while let first = rest.popFirst(), let second = rest.popFirst() {
            guard let high = value(of: first), let low = value(of: second) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
