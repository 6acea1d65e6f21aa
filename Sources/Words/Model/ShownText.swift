/// Whether people see anything of a text: titles and messages of blanks alone are refused at every door by this one rule.
///
/// - Confinement: any
package enum ShownText {
    /// The sentence of a refusal, after the name of the field.
    package static let rule = "must show something: it has only blanks and invisible characters"

    /// Whether the text has a character that shows. Blanks, control characters and those without a picture, such as U+200B,
    /// show nothing.
    package static func isVisible(_ text: String) -> Bool {
        text.unicodeScalars.contains { shows($0) }
    }

    private static func shows(_ scalar: Unicode.Scalar) -> Bool {
        // Nearly every text begins with one of these.
        if (0x21...0x7e).contains(scalar.value) { return true }
        // A pattern of Braille without a dot is a picture to Unicode, and a blank to everybody.
        guard scalar.value != 0x2800 else { return false }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: return false
        default: return !properties.isDefaultIgnorableCodePoint && !properties.isWhitespace
        }
    }
}
