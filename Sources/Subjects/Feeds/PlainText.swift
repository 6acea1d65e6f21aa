/// Makes plain text for people from text that may be HTML.
///
/// - Confinement: any
enum PlainText {
    /// Removes tags, decodes entities, turns blanks and control characters into single blanks, and ends a text that is
    /// too long with an ellipsis. The content of scripts and styles is removed, too.
    static func of(_ html: String, charactersMax: Int) -> String {
        // Text that is cut away later is not read: nobody needs a title of a megabyte.
        let scalars = Array(html.unicodeScalars.prefix(charactersMax * 64))
        var text = String.UnicodeScalarView()
        var isBlank = true
        var index = 0
        func add(_ scalar: Unicode.Scalar) {
            if let western = western(scalar) {
                text.append(western)
                isBlank = false
            } else if isWhite(scalar) {
                if !isBlank { text.append(" ") }
                isBlank = true
            } else if !isInvisible(scalar) || isTag(scalar, after: text.last) {
                text.append(scalar)
                isBlank = false
            }
        }
        while index < scalars.count {
            if let (end, name) = tag(at: index, in: scalars) {
                index = ["script", "style"].contains(name) ? closing(name, from: end, in: scalars) : end
                if !inline.contains(name) { add(" ") }
            } else if let (end, meaning) = entity(at: index, in: scalars) {
                for scalar in meaning.unicodeScalars { add(scalar) }
                index = end
            } else {
                add(scalars[index])
                index += 1
            }
        }
        return cut(String(text), to: charactersMax)
    }

    /// The text without blanks at its ends, cut to a number of characters.
    static func cut(_ text: String, to charactersMax: Int) -> String {
        let trimmed = text.drop { $0.isWhitespace }
        let end = trimmed.lastIndex { !$0.isWhitespace }.map { trimmed.index(after: $0) } ?? trimmed.startIndex
        let whole = trimmed[..<end]
        guard whole.count > charactersMax else { return String(whole) }
        return whole.prefix(charactersMax - 1) + "…"
    }

    private static let inline: Set<String> = ["a", "b", "i", "em", "strong", "u", "span", "sup", "sub", "font", "code"]

    /// A tag or a comment at a place: the place after it, and its name in small letters.
    private static func tag(at start: Int, in scalars: [Unicode.Scalar]) -> (end: Int, name: String)? {
        guard scalars[start] == "<", start + 1 < scalars.count else { return nil }
        var index = start + 1
        if scalars[index...].starts(with: "!--".unicodeScalars) {
            while index < scalars.count, !scalars[index...].starts(with: "-->".unicodeScalars) { index += 1 }
            return (min(index + 3, scalars.count), "!")
        }
        if scalars[index] == "/" { index += 1 }
        guard index < scalars.count, isLetter(scalars[index]) || "!?".unicodeScalars.contains(scalars[index]) else {
            return nil
        }
        let name = word(at: index, in: scalars)
        while index < scalars.count, scalars[index] != ">" { index += 1 }
        return (min(index + 1, scalars.count), name)
    }

    /// The letters at a place, 16 at most, in small letters.
    private static func word(at start: Int, in scalars: [Unicode.Scalar]) -> String {
        var word = String.UnicodeScalarView()
        for scalar in scalars[start...].prefix(16).prefix(while: isLetter) { word.append(scalar) }
        return String(word).lowercased()
    }

    /// The place after the tag that ends a script or a style. Only this tag is searched for: each search may read to
    /// the end of the text.
    private static func closing(_ name: String, from start: Int, in scalars: [Unicode.Scalar]) -> Int {
        var index = start
        while index < scalars.count {
            if scalars[index] == "<", index + 1 < scalars.count, scalars[index + 1] == "/",
                word(at: index + 2, in: scalars) == name, let (end, _) = tag(at: index, in: scalars)
            {
                return end
            }
            index += 1
        }
        return index
    }

    private static func entity(at start: Int, in scalars: [Unicode.Scalar]) -> (end: Int, meaning: String)? {
        guard scalars[start] == "&" else { return nil }
        guard let end = scalars[start...].prefix(12).firstIndex(of: ";") else { return nil }
        var name = ""
        name.unicodeScalars.append(contentsOf: scalars[(start + 1)..<end])
        return HTMLEntity.text(named: name).map { (end + 1, $0) }
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }

    /// The character of windows-1252 that a control character stands for: `&#146;` in XML, and texts that were read as Latin-1.
    private static func western(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        guard (0x80...0x9f).contains(scalar.value), let byte = UInt8(exactly: scalar.value) else { return nil }
        let character = WesternCharacter.of(byte).unicodeScalars.first
        return character == "\u{fffd}" ? nil : character
    }

    private static func isWhite(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
    }

    /// Whether a character is invisible, or changes the direction of the text around it.
    ///
    /// Joiners and non-joiners are spelling (Persian, the languages of India, families of emoji: the Unicode Standard, section 23.2), and so
    /// are the marks that some scripts put before numbers. Characters that this program does not know yet may be next year's emoji.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .format:
            switch scalar.value {
            // Joiners, the separator of Mongolian, the signs of Arabic, Syriac and Kaithi, the joiners of hieroglyphs.
            case 0x200c, 0x200d, 0x180e, 0x0600...0x0605, 0x06dd, 0x070f, 0x0890...0x0891, 0x08e2, 0x110bd, 0x110cd,
                0x13430...0x1343f:
                false
            default: true
            }
        case .privateUse, .surrogate: true
        case .unassigned: scalar.properties.isNoncharacterCodePoint || scalar.properties.isDefaultIgnorableCodePoint
        default: false
        }
    }

    /// Whether a character of tags belongs to a flag, such as that of Scotland: it follows the black flag or another such character.
    private static func isTag(_ scalar: Unicode.Scalar, after last: Unicode.Scalar?) -> Bool {
        guard (0xe0020...0xe007f).contains(scalar.value), let last else { return false }
        return last == "\u{1f3f4}" || (0xe0020...0xe007e).contains(last.value)
    }
}
