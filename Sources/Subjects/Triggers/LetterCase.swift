internal import Foundation

/// How the capital and small letters of a language correspond.
///
/// - Confinement: any
enum LetterCase: Sendable, Hashable {
    /// Unicode's rules for all languages without special ones.
    case common
    /// Turkish: the capital of i is İ, and the small letter of I is ı (Unicode's SpecialCasing, as CLDR has it for
    /// `tr`).
    case turkic

    func uppercased(_ text: String) -> String {
        self == .common ? text.uppercased() : text.replacing("i", with: "İ").uppercased()
    }

    func lowercased(_ text: String) -> String {
        self == .common ? text.lowercased() : text.replacing("İ", with: "i").replacing("I", with: "ı").lowercased()
    }

    /// The first letter of each word as a capital, the others small.
    func capitalized(_ text: String) -> String {
        guard self == .turkic else { return text.capitalized }
        var isInside = false
        return lowercased(text).reduce(into: "") { written, character in
            written += isInside ? String(character) : uppercased(String(character))
            // A name ends at an apostrophe: Ayşe'nin.
            isInside = character.isLetter || character.isNumber || "'’".contains(character)
        }
    }
}
