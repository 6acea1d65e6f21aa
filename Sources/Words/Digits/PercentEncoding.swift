/// Characters of an address as `%` and two digits (RFC 3986, section 2.1).
/// - Confinement: any
package enum PercentEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// The text with each byte encoded that is not a letter, a digit or one of `-._~` (section 2.3).
    /// - Parameter others: further characters, of ASCII, that stay as they are.
    package static func encode(_ text: String, keeping others: String = "") -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) || others.utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
