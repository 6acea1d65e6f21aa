extension String {
    /// The text without power over a terminal: what others have written may contain escape sequences, which would move the
    /// cursor, change the title or hide lines, and marks that turn the direction of writing. Each such character is shown by its
    /// number; line breaks and tabs stay.
    ///
    /// The characters are those of the category Cc, and the explicit directional marks of UAX #9.
    package var printable: String {
        guard unicodeScalars.contains(where: Self.isUnprintable) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if Self.isUnprintable(scalar) {
                text += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    private static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0a: false
        case 0x00...0x1f, 0x7f...0x9f, 0x202a...0x202e, 0x2066...0x2069: true
        default: false
        }
    }
}
