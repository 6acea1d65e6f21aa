import Digits
import Encodings

/// The bytes of a document in UTF-8, whichever encoding they came in.
///
/// The documents and the servers of feeds name their encoding wrongly so often that the bytes count more than the names:
///
/// 1. A byte order mark decides, and so do the zero bytes of UTF-16.
/// 2. Bytes that are valid UTF-8 are UTF-8, because texts in another encoding are not valid by accident.
/// 3. Bytes that are mostly UTF-8 are UTF-8 with mistakes: a single odd byte is a character of windows-1252, and a longer run is unreadable.
/// 4. Otherwise the name of the transport counts (RFC 7303 section 3), except Latin-1, which servers say of everything; then the
///    document's own; then the Latin-1 of the transport.
/// 5. Without a name it is UTF-8 with mistakes, unless it has words of odd bytes.
///
/// - Confinement: any
struct DocumentText {
    /// Valid UTF-8 without a mark and without white space in front, which XML does not allow before its declaration.
    private(set) var bytes: [UInt8]
    /// The line ends that stood in front.
    let linesBefore: Int
    /// The mistake in the encoding, as a phrase; nil when there is none.
    private(set) var remark: String?

    init(_ raw: [UInt8], charset: String?) throws(XMLProblem) {
        (bytes, remark) = try Self.decoded(raw, charset: charset)
        let start = Self.start(of: bytes)
        linesBefore = bytes[..<start].count { $0 == UInt8(ascii: "\n") }
        bytes.removeFirst(start)
    }

    /// The first byte that is neither white space nor a part of a mark.
    private static func start(of bytes: [UInt8]) -> Int {
        var index = 0
        while index < bytes.count {
            if [0x20, 0x09, 0x0a, 0x0d].contains(bytes[index]) {
                index += 1
            } else {
                let mark = ByteOrderMark.length(in: bytes, from: index)
                if mark == 0 { break }
                index += mark
            }
        }
        return index
    }

    private static func decoded(_ raw: [UInt8], charset: String?) throws(XMLProblem) -> ([UInt8], String?) {
        if let text = utf16(raw) { return (Array(text.utf8), nil) }
        let own = declaredName(raw)
        let transport = charset.flatMap(encoding)
        let named = own.flatMap(encoding)
        // In ISO-2022-JP all bytes are ASCII, and an escape begins what is not.
        if let encoding = [transport, named].compactMap(\.self).first(where: { $0.name == "ISO-2022-JP" }),
            raw.contains(0x1b)
        {
            return (try decoded(raw, from: encoding), nil)
        }
        if String(validating: raw, as: UTF8.self) != nil, named?.width != .many || isClearlyUTF8(raw) {
            guard let own, named != nil || TextEncoding(label: own) == nil, raw.contains(where: { $0 >= 0x80 }) else {
                return (raw, nil)
            }
            return (raw, "it calls its encoding \(PlainText.of(own, charactersMax: 40)) and is in UTF-8")
        }
        let mended = UTF8Mender.mended(raw)
        let remark = "\(mended.count) of its bytes are not UTF-8"
        let isUTF8 = mended.count > 0 && mended.isMostlyUTF8 || ByteOrderMark.length(in: raw) > 0
        if isUTF8 { return (mended.bytes, remark) }
        let strong = [transport.flatMap { $0.name == latin ? nil : $0 }, named, transport].compactMap(\.self)
        if let encoding = strong.first { return (try decoded(raw, from: encoding), nil) }
        if let own, TextEncoding(label: own) == nil { throw .unknownEncoding(PlainText.of(own, charactersMax: 40)) }
        guard mended.isBelievable else { throw .notUTF8 }
        return (mended.bytes, remark)
    }

    /// The encoding of a label, unless it is UTF-8, which needs no name, or UTF-16, which programs write into texts that they then send in
    /// UTF-8: a label that can be read byte by byte is not in UTF-16.
    private static func encoding(_ label: String) -> TextEncoding? {
        TextEncoding(label: label).flatMap { $0.name.hasPrefix("UTF-") ? nil : $0 }
    }

    /// The meaning of `ISO-8859-1` and of `US-ASCII`.
    private static let latin = "windows-1252"

    private static func decoded(_ raw: [UInt8], from encoding: TextEncoding) throws(XMLProblem) -> [UInt8] {
        if let bytes = encoding.utf8(raw) { return bytes }
        // A system without the files of gconv: these need none.
        guard let bytes = CodePage.utf8(raw, from: encoding.name) else { throw .missingEncoding(encoding.name) }
        return bytes
    }

    /// Whether valid UTF-8 is no accident in a document that claims an encoding of East Asia: two characters of it may look like one of two
    /// bytes, and hardly ever like one of three, which the languages of these encodings have in UTF-8.
    private static func isClearlyUTF8(_ raw: [UInt8]) -> Bool {
        raw.allSatisfy { $0 < 0x80 } || raw.contains { $0 >= 0xe0 }
    }

    /// A text in UTF-16, by its mark or by the zero bytes of its first bracket.
    private static func utf16(_ raw: [UInt8]) -> String? {
        let zeros = raw.prefix(4).map { $0 == 0 }
        let isBig: Bool
        switch raw.prefix(2) {
        case [0xff, 0xfe]: isBig = false
        case [0xfe, 0xff]: isBig = true
        case [0x3c, 0x00] where zeros == [false, true, false, true]: isBig = false
        case [0x00, 0x3c] where zeros == [true, false, true, false]: isBig = true
        default: return nil
        }
        let units = stride(from: 0, to: raw.count - 1, by: 2).map { index in
            let (first, second) = (UInt16(raw[index]), UInt16(raw[index + 1]))
            return isBig ? first << 8 | second : second << 8 | first
        }
        let text = String(decoding: units, as: UTF16.self)
        return text.first == "\u{feff}" ? String(text.dropFirst()) : text
    }

    /// The encoding by the XML declaration; nil when there is none.
    private static func declaredName(_ raw: [UInt8]) -> String? {
        let head = String(decoding: raw[start(of: raw)...].prefix(300), as: UTF8.self)
        guard head.hasPrefix("<?xml"), let end = head.firstRange(of: "?>"),
            let word = head[..<end.lowerBound].firstRange(of: "encoding")
        else { return nil }
        let rest = head[word.upperBound..<end.lowerBound].drop { $0.isWhitespace || $0 == "=" }
        guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
        let name = rest.dropFirst().prefix { $0 != quote }
        return name.isEmpty ? nil : String(name)
    }
}
