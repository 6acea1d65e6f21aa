/// Makes rendered text fit for a screen: no control characters, no endless letters, an end.
enum TextCut {
    /// `text` on one line, of at most `charactersMax` characters, the last an ellipsis when it was cut.
    static func line(_ text: String, charactersMax: Int) -> String { cut(text, charactersMax, keepsLines: false) }

    /// The same with its line breaks.
    static func lines(_ text: String, charactersMax: Int) -> String { cut(text, charactersMax, keepsLines: true) }

    private static func cut(_ text: String, _ charactersMax: Int, keepsLines: Bool) -> String {
        if isPlain(text, bytesMax: charactersMax) { return text }
        // What is far beyond the cut need not be looked at; a character of four bytes is the longest plain one.
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

    /// Whether `text` is short, of visible ASCII, and so stays as it is: what most texts are, found without looking for
    /// the borders of characters.
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

    /// The scalar that is shown for `scalar`: nil for controls and for those that turn the direction of what follows
    /// (a name could rewrite the sentence around it), a space or a line break for line breaks.
    private static func kept(_ scalar: Unicode.Scalar, keepsLines: Bool) -> Unicode.Scalar? {
        switch scalar.value {
        case 0x0a, 0x2028, 0x2029, 0x85: keepsLines ? "\n" : " "
        case 0x09: " "
        case 0x00...0x1f, 0x7f...0x9f, 0x202a...0x202e, 0x2066...0x2069, 0xfeff, 0xfff9...0xfffb: nil
        default: scalar
        }
    }
}
