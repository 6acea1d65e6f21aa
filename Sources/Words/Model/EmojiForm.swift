/// The forms of one emoji: keyboards write `❤` with U+FE0F after it, or without.
///
/// - Confinement: any
package enum EmojiForm {
    /// The variation selector that asks for the picture in place of the letter.
    package static let selector: Unicode.Scalar = "\u{FE0F}"

    /// An emoji without the selectors in it, by which two forms of one emoji are the same (Unicode's UTS #51, section 2.3:
    /// fully qualified, minimally qualified and unqualified).
    package static func bare(_ emoji: String) -> String {
        guard emoji.unicodeScalars.contains(selector) else { return emoji }
        var bare = String.UnicodeScalarView()
        bare.append(contentsOf: emoji.unicodeScalars.filter { $0 != selector })
        return String(bare)
    }
}
