/// A language as people choose it: a BCP 47 tag such as `it` or `it-CH`, compared without regard to case.
///
/// - Confinement: any
package struct LanguageTag: Sendable, Hashable, CustomStringConvertible {
    /// The form of a tag, for error messages.
    package static let form = "a BCP 47 language tag such as en or it-CH"

    /// The tag in canonical case: language lower, region upper, script capitalised (RFC 5646, section 2.1.1).
    package let text: String

    /// Nil unless the text has 2 or 3 letters and then subtags of 1 to 8 letters or digits, joined by `-`; at most 35
    /// characters. Some systems write `it_IT`: `_` is read as `-`.
    package init?(_ text: String) {
        let subtags = text.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
        guard text.utf8.count <= 35, let language = subtags.first, (2...3).contains(language.utf8.count),
            language.utf8.allSatisfy({ Identifier.isLowercase($0 | 0x20) })
        else { return nil }
        var canonical = language.lowercased()
        for subtag in subtags.dropFirst() {
            guard (1...8).contains(subtag.utf8.count), subtag.utf8.allSatisfy(Identifier.isLetterOrDigit) else {
                return nil
            }
            switch subtag.utf8.count {
            case 2: canonical += "-" + subtag.uppercased()
            case 4: canonical += "-" + subtag.prefix(1).uppercased() + subtag.dropFirst().lowercased()
            default: canonical += "-" + subtag.lowercased()
            }
        }
        self.text = canonical
    }

    package var description: String { text }

    /// The next wider tag: `zh-Hant-TW` → `zh-Hant` → `zh` → nil (RFC 4647, section 3.4).
    package var wider: LanguageTag? {
        guard let dash = text.lastIndex(of: "-") else { return nil }
        let shorter = LanguageTag(String(text[..<dash]))
        // A single letter introduces the subtag that was just removed, and means nothing alone.
        return shorter?.text.split(separator: "-").last?.count == 1 ? shorter?.wider : shorter
    }
}

/// A value in several languages, with the fall-back that a reader expects: `it-CH`, `it`, then the default.
///
/// - Confinement: any
package struct Localized<Value: Sendable & Hashable>: Sendable, Hashable {
    /// Used when no other language fits.
    package let fallback: Value
    /// The other languages.
    package let byLanguage: [LanguageTag: Value]

    package init(fallback: Value, byLanguage: [LanguageTag: Value] = [:]) {
        self.fallback = fallback
        self.byLanguage = byLanguage
    }

    /// The value for `language`, or for a wider tag of it, or the default.
    package subscript(_ language: LanguageTag?) -> Value {
        var wanted = language
        while let tag = wanted {
            if let value = byLanguage[tag] { return value }
            wanted = tag.wider
        }
        return fallback
    }
}
