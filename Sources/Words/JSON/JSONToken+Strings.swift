import Digits

/// Decodes a checked string.
extension JSONToken {
    /// The text of a string token.
    ///
    /// - Parameter bytes: The bytes from which the token was made.
    package func string(in bytes: [UInt8]) -> String {
        let inner = bytes[(range.lowerBound + 1)..<(range.upperBound - 1)]
        // The bytes were checked when the token was made, so that decoding cannot repair anything.
        return String(decoding: isPlain ? inner : Self.unescaped(inner)[...], as: UTF8.self)
    }

    /// Whether a string token has exactly these code points; makes no string.
    ///
    /// - Parameter bytes: The bytes from which the token was made.
    package func isText(_ text: String, in bytes: [UInt8]) -> Bool {
        guard isPlain else { return string(in: bytes).utf8.elementsEqual(text.utf8) }
        // Most names differ in length, and a length costs less than a span.
        guard text.utf8.count == range.count - 2 else { return false }
        let start = range.lowerBound + 1
        return text.withByteSpan { wanted in
            for index in wanted.indices where bytes[start + index] != wanted[index] { return false }
            return true
        }
    }

    /// The UTF-16 code unit of four hexadecimal digits, nil when they are not four digits.
    static func hexadecimalUnit(_ bytes: ArraySlice<UInt8>, at index: Int) -> UInt16? {
        guard index + 4 <= bytes.endIndex else { return nil }
        var unit: UInt16 = 0
        for byte in bytes[index..<(index + 4)] {
            guard let digit = Hexadecimal.value(of: byte) else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    /// The text of a checked string that has escapes.
    private static func unescaped(_ inner: ArraySlice<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(inner.count)
        var index = inner.startIndex
        while index < inner.endIndex {
            guard inner[index] == UInt8(ascii: "\\") else {
                text.append(inner[index])
                index += 1
                continue
            }
            let letter = inner[index + 1]
            index += 2
            switch letter {
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0c)
            case UInt8(ascii: "n"): text.append(0x0a)
            case UInt8(ascii: "r"): text.append(0x0d)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "u"):
                var scalar = UInt32(hexadecimalUnit(inner, at: index) ?? 0)
                index += 4
                if scalar & 0xfc00 == 0xd800 {
                    let low = UInt32(hexadecimalUnit(inner, at: index + 2) ?? 0)
                    scalar = 0x10000 + (scalar & 0x3ff) << 10 + (low & 0x3ff)
                    index += 6
                }
                if let encoded = UnicodeScalar(scalar) { text.append(contentsOf: String(encoded).utf8) }
            default: text.append(letter)
            }
        }
        return text
    }
}
