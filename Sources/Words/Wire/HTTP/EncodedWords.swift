import Digits

/// Texts of header fields in the encoded words of mail (RFC 2047): `=?UTF-8?B?S3Jha8Ozdw==?=` is `Kraków`.
///
/// Browsers' `fetch` and many libraries send nothing but ISO 8859-1 in a field, so that programs write other letters like this.
///
/// - Confinement: any
package enum EncodedWords {
    /// The text that a value means; what is no encoded word, or is not to be read, stays as it is.
    package static func decode(_ value: String) -> String {
        guard value.contains("=?") else { return value }
        var text = ""
        /// Bytes of the words so far, which may cut a letter in two, and their charset.
        var pending: (charset: String, bytes: [UInt8], source: Substring)?
        var rest = value[...]
        while let found = nextWord(in: rest) {
            let between = rest[..<found.range.lowerBound]
            // Blanks between two words separate them, and are no part of the text (RFC 2047, section 6.2).
            let isJoined = pending != nil && between.allSatisfy { $0 == " " || $0 == "\t" }
            if isJoined, let before = pending, before.charset == found.charset {
                let source = value[before.source.startIndex..<found.range.upperBound]
                pending = (found.charset, before.bytes + found.bytes, source)
            } else {
                text += flushed(pending)
                if !isJoined { text += between }
                pending = (found.charset, found.bytes, rest[found.range])
            }
            rest = rest[found.range.upperBound...]
        }
        return text + flushed(pending) + rest
    }

    private static func flushed(_ words: (charset: String, bytes: [UInt8], source: Substring)?) -> String {
        guard let words else { return "" }
        return text(words.bytes, words.charset) ?? String(words.source)
    }

    /// The first encoded word of a text, and its place.
    private static func nextWord(
        in text: Substring
    ) -> (charset: String, bytes: [UInt8], range: Range<Substring.Index>)? {
        var from = text.startIndex
        while let start = text[from...].firstRange(of: "=?") {
            if let word = word(in: text, at: start) { return word }
            from = start.upperBound
        }
        return nil
    }

    private static func word(
        in text: Substring, at start: Range<Substring.Index>
    ) -> (charset: String, bytes: [UInt8], range: Range<Substring.Index>)? {
        let parts = text[start.upperBound...].split(separator: "?", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[3].first == "=", let bytes = bytes(parts[2], by: parts[1]) else { return nil }
        // A language may follow the charset (RFC 2231, section 5).
        let charset = parts[0].prefix { $0 != "*" }.lowercased()
        guard isKnown(charset) else { return nil }
        return (charset, bytes, start.lowerBound..<parts[3].index(after: parts[3].startIndex))
    }

    private static func bytes(_ text: Substring, by encoding: Substring) -> [UInt8]? {
        switch encoding {
        case "B", "b": Base64.padded.decode(Array(text.utf8), ignoresRest: true) ?? Base64.padded.decode(padded(text))
        case "Q", "q": quoted(text)
        default: nil
        }
    }

    /// With the padding that some programs leave out.
    private static func padded(_ text: Substring) -> [UInt8] {
        Array(text.utf8) + Array(repeating: UInt8(ascii: "="), count: (4 - text.utf8.count % 4) % 4)
    }

    private static func quoted(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "_"): bytes.append(HTTPSyntax.space)
            case UInt8(ascii: "="):
                guard let high = rest.popFirst().flatMap(Hexadecimal.value),
                    let low = rest.popFirst().flatMap(Hexadecimal.value)
                else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    private static func isKnown(_ charset: String) -> Bool {
        ["utf-8", "utf8", "us-ascii", "iso-8859-1", "latin1"].contains(charset)
    }

    private static func text(_ bytes: [UInt8], _ charset: String) -> String? {
        switch charset {
        case "utf-8", "utf8": String(validating: bytes, as: UTF8.self)
        case "us-ascii": bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
        default: String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        }
    }
}
