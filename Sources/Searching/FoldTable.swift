import Foundation

/// How each character is folded: what is left of it for the search.
///
/// - Confinement: any
enum FoldTable {
    /// The fold of one scalar.
    enum Fold: Sendable, Equatable {
        /// It ends a word: a space, a full stop.
        case gap
        /// It is left out, and the word goes on: an accent, a joiner.
        case nothing
        /// A letter or a digit of a word.
        case letter(Unicode.Scalar)
        /// A word of its own: a sign of a script without spaces, an emoji.
        case sign(Unicode.Scalar)
        /// One scalar that stands for several: `ﬁ`, `ß`, `㎏`.
        case several([Fold])
    }

    /// Characters that Unicode does not take apart, though people type them as their plain letters.
    private static let plain: [Unicode.Scalar: String] = [
        "ł": "l", "đ": "d", "ð": "d", "ø": "o", "ħ": "h", "ŧ": "t", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th",
        "ı": "i", "ς": "σ",
    ]

    /// The first scalars of all scripts in daily use, and the compatibility forms; made once, in some 20 ms.
    private static let low = (0..<0x3400).map { make(UInt32($0)) }

    /// The fold of a scalar.
    static func fold(_ scalar: Unicode.Scalar) -> Fold {
        let value = scalar.value
        if value < low.count { return low[Int(value)] }
        // Signs of Chinese, Japanese and Korean, and emoji: most of what comes here.
        if (0x3400...0x9FFF).contains(value) || (0xAC00...0xD7A3).contains(value) { return .sign(scalar) }
        return make(value)
    }

    private static func make(_ value: UInt32) -> Fold {
        guard let scalar = Unicode.Scalar(value) else { return .gap }
        let folds = decomposed(String(scalar)).unicodeScalars.flatMap { part in
            (plain[part] ?? String(part)).unicodeScalars.map(kind)
        }
        if folds.count == 1 { return folds[0] }
        // An accented letter is its letter. The accent of a sign that is alone, such as `´`, ends no word either.
        let left = folds.filter { $0 != .nothing }
        return left.count == 1 ? left[0] : left.isEmpty ? .nothing : .several(left)
    }

    /// NFKD in small letters; a Hangul syllable stays whole.
    private static func decomposed(_ text: String) -> String {
        text.decomposedStringWithCompatibilityMapping.lowercased().decomposedStringWithCompatibilityMapping
    }

    private static func kind(_ scalar: Unicode.Scalar) -> Fold {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark, .format:
            .nothing
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber:
            isOfScriptWithoutSpaces(scalar.value) ? .sign(scalar) : .letter(scalar)
        case .otherSymbol:
            .sign(scalar)
        default:
            .gap
        }
    }

    /// Scripts whose words are not parted by spaces: each of their signs is a word here, and a word is a phrase.
    private static func isOfScriptWithoutSpaces(_ value: UInt32) -> Bool {
        switch value {
        case 0x0E00...0x0EFF, 0x1000...0x11FF, 0x1780...0x17FF, 0x2E80...0x31FF, 0x3400...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7FF, 0x1B000...0x1B16F, 0x20000...0x3FFFF:
            // Georgian lies between Myanmar and the parts of Hangul.
            !(0x10A0...0x10FF).contains(value)
        default: false
        }
    }
}
