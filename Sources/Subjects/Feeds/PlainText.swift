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
            if isWhite(scalar) {
                if !isBlank { text.append(" ") }
                isBlank = true
            } else if !isInvisible(scalar) {
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

    private static func isWhite(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
    }

    /// Whether a character is invisible, or changes the direction of the text around it.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .format, .privateUse, .surrogate, .unassigned: scalar != "\u{200d}"
        default: false
        }
    }
}
