/// Makes rendered text fit a screen: it removes control characters, limits the length of each letter, and cuts the end.
///
/// - Confinement: any
package enum TextCut {
    /// `text` on one line, of at most `charactersMax` characters, the last an ellipsis when it was cut.
    package static func line(_ text: String, charactersMax: Int) -> String {
        cut(text, charactersMax, keepsLines: false)
    }

    /// The same with its line breaks.
    static func lines(_ text: String, charactersMax: Int) -> String { cut(text, charactersMax, keepsLines: true) }

    private static func cut(_ text: String, _ charactersMax: Int, keepsLines: Bool) -> String {
        if isPlain(text, bytesMax: charactersMax) { return text }
        // Text far beyond the cut is not looked at; the longest plain character has four bytes.
        let head = text.unicodeScalars.prefix(charactersMax * 8)
        var cleaned = String.UnicodeScalarView()
        for scalar in head { if let kept = kept(scalar, keepsLines: keepsLines) { cleaned.append(kept) } }
        let whole = trimmed(Substring(String(cleaned)))
        var bytes = 0
        let fitting = whole.prefix { character in
            bytes += character.utf8.count
            return bytes <= charactersMax * 4
        }
        guard fitting.count > charactersMax || fitting.endIndex < whole.endIndex else { return String(fitting) }
        return trimmed(fitting.prefix(charactersMax - 1)) + "…"
    }

    /// Whether `text` is short and only visible ASCII, and so stays as it is. Most texts are, and this check needs no
    /// search for the borders of characters.
    private static func isPlain(_ text: String, bytesMax: Int) -> Bool {
        let bytes = text.utf8
        return bytes.count <= bytesMax && bytes.first != 0x20 && bytes.last != 0x20
            && bytes.allSatisfy { (0x20...0x7e).contains($0) }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    /// The scalar to show instead of `scalar`: a space or a line break for line breaks, and nil for control characters
    /// and for those that change the direction of the text (a name could otherwise rewrite the sentence around it).
    private static func kept(_ scalar: Unicode.Scalar, keepsLines: Bool) -> Unicode.Scalar? {
        switch scalar.value {
        case 0x0a, 0x2028, 0x2029, 0x85: keepsLines ? "\n" : " "
        case 0x09: " "
        case 0x00...0x1f, 0x7f...0x9f, 0x202a...0x202e, 0x2066...0x2069, 0xfeff, 0xfff9...0xfffb: nil
        default: scalar
        }
    }
}
