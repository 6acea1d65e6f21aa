import Digits

/// The character classes of identifiers, checked over UTF-8 bytes (see Commands.md).
///
/// - Confinement: any
package enum Identifier {
    static let userExtra: [UInt8] = Array("_.@-".utf8)
    static let topicExtra: [UInt8] = Array("_.@/-".utf8)
    /// With the letters and digits, the alphabet of base64url (RFC 4648, section 5).
    package static let base64URLExtra: [UInt8] = Array("-_".utf8)

    /// True when `text` has 1 to `lengthMax` bytes, each an ASCII letter, digit or one of `extra`.
    package static func matches(_ text: String, lengthMax: Int, extra: [UInt8]) -> Bool {
        let bytes = text.utf8
        guard !bytes.isEmpty, bytes.count <= lengthMax else { return false }
        return bytes.allSatisfy { isLetterOrDigit($0) || extra.contains($0) }
    }

    /// Whether `text` has 1 to `bytesMax` bytes, each a visible ASCII character.
    package static func isVisibleASCII(_ text: String, bytesMax: Int) -> Bool {
        guard (1...bytesMax).contains(text.utf8.count) else { return false }
        return text.withByteSpan { bytes in
            for index in bytes.indices where bytes[index] < 0x21 || bytes[index] > 0x7e { return false }
            return true
        }
    }

    /// Whether this is a part of a path that clients and proxies resolve (RFC 3986, section 5.2.4).
    package static func isDotSegment(_ text: some StringProtocol) -> Bool { text == "." || text == ".." }

    static func isLetterOrDigit(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit }

    static func isLowercase(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte) }
}

extension String {
    /// Whether the text has a character that shows nothing and steers a terminal or a reader (Unicode's category Cc): U+0000, a
    /// line feed, an escape.
    package var hasControlCharacters: Bool {
        unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}

extension UInt8 {
    /// Whether this is an ASCII letter or digit.
    package var isASCIILetterOrDigit: Bool {
        (0x30...0x39).contains(self) || (0x61...0x7a).contains(self | 0x20)
    }
}
