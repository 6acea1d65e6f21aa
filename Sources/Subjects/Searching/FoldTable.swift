import Foundation
import Synchronization

/// How each character is folded: what is left of it for the search.
///
/// A value remembers the page of the table that it used last, so that a text costs few looks at what threads share.
///
/// - Confinement: any
struct FoldTable {
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

    /// The folds of 256 scalars in a row.
    ///
    /// - Confinement: any
    private final class Page: Sendable {
        let folds: [Fold]

        init(_ number: UInt32) { folds = (0..<256).map { make(number << 8 | $0) } }
    }

    /// The place of a page, which is made when the first of its scalars is asked for: people write in one or two of them.
    /// All of them take 40 ms, and a stop has to wait for that: seconds on a busy machine, since the thread that indexes
    /// comes last there.
    ///
    /// - Confinement: any
    private final class PagePlace: Sendable {
        private let made = AtomicLazyReference<Page>()

        /// Two threads may make the page at once; one result is kept.
        func page(_ number: UInt32) -> Page { made.load() ?? made.storeIfNil(Page(number)) }
    }

    /// The first scalars of all scripts in daily use, and the compatibility forms.
    private static let pages = (0..<0x34).map { _ in PagePlace() }

    private var number = UInt32.max
    private var folds: [Fold] = []

    /// The fold of a scalar.
    mutating func fold(_ scalar: Unicode.Scalar) -> Fold {
        let value = scalar.value
        if value < 0x3400 {
            if value >> 8 != number {
                number = value >> 8
                folds = Self.pages[Int(number)].page(number).folds
            }
            return folds[Int(value & 0xFF)]
        }
        // Signs of Chinese, Japanese and Korean, and emoji: most of what comes here.
        if (0x3400...0x9FFF).contains(value) || (0xAC00...0xD7A3).contains(value) { return .sign(scalar) }
        return Self.make(value)
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
