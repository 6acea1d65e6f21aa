import Model

/// Makes ids of documents from the names of a source, which may be any text.
///
/// - Confinement: any
enum SegmentName {
    /// The name itself if it is valid in a path; else its valid characters, and a digest that distinguishes it from
    /// other names. The same name always gives the same id.
    static func of(_ name: String) -> String {
        // In a document's path, `movie` and `tv` are joined with the next part.
        if name.utf8.count <= FeedLimits.idBytesMax, !DocumentLimits.compoundIDPrefixes.contains(name),
            (try? DocumentPath("x/\(name)/y/z"))?.levels.count == 2
        {
            return name
        }
        var readable = ""
        for character in name.drop(while: { $0.isWhitespace }) where readable.utf8.count < 60 {
            if character.isASCII, character.isLetter || character.isNumber || "._".contains(character) {
                readable.append(character)
            } else if !readable.hasSuffix("-"), !readable.isEmpty {
                readable.append("-")
            }
        }
        for scheme in ["https-", "http-"] where readable.hasPrefix(scheme) { readable.removeFirst(scheme.count) }
        while readable.hasSuffix("-") { readable.removeLast() }
        return (readable.isEmpty ? "x" : readable) + "-" + digest(name)
    }

    /// 64 bits of FNV-1a in hexadecimal. It is not a defence: the author of a feed could only confuse the own
    /// documents.
    static func digest(_ text: String) -> String {
        var state: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        let digits = String(state, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
