/// Base64 with padding (RFC 4648 section 4), for the keys of the opening handshake.
///
/// - Confinement: any
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The encoding of `bytes`.
    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            bits <<= 8 * UInt32(3 - group.count)
            for position in 0..<4 {
                let index = Int(bits >> (18 - 6 * UInt32(position)) & 0x3F)
                text.append(position <= group.count ? alphabet[index] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that `text` encodes; nil if it is not base64 with all its padding.
    static func decode(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        let padding = digits.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard digits.count.isMultiple(of: 4) else { return nil }
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        for (position, digit) in digits.dropLast(padding).enumerated() {
            guard let value = alphabet.firstIndex(of: digit) else { return nil }
            bits = (bits << 6 | UInt32(value)) & 0xFF_FFFF
            // The second, third and fourth digit of a group each complete a byte.
            if position % 4 > 0 { bytes.append(UInt8(truncatingIfNeeded: bits >> (6 - 2 * UInt32(position % 4)))) }
        }
        return bytes
    }
}
