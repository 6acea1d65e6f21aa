/// An encoding of texts, by any of the names that documents use for it.
///
/// The names and their meanings are those of WHATWG's Encoding standard, section 4.2, because documents are made for browsers: a
/// document that calls itself ISO-8859-1 is in windows-1252, and one that calls itself GB2312 is in GB18030.
///
/// - Confinement: any
package struct TextEncoding: Sendable, Hashable {
    /// How many bytes a character has: with one, every text of bytes has a meaning, so a fit proves little.
    package enum Width: Sendable, Hashable {
        case one
        case many
    }

    /// The name in the standard, for example `windows-1252`.
    package let name: String
    package let width: Width
    /// The name that the system's iconv has for it.
    private let systemName: String

    /// Finds an encoding by a name; capitals, hyphens and underscores do not matter, because documents write `utf8` and `Shift-JIS`.
    ///
    /// Nil for an unknown name, and for the names by which the standard lets no text through (`utf-7`, `iso-2022-kr`).
    package init?(label: String) {
        guard let row = EncodingNames.byLabel[EncodingNames.squeezed(label)] else { return nil }
        (name, systemName, width) = (row.name, row.systemName, row.width)
    }

    /// The encoding `UTF-8`.
    package static let utf8Name = "UTF-8"

    /// The bytes of a text in UTF-8. A byte without a meaning becomes U+FFFD.
    ///
    /// - Returns: nil when the system cannot read the encoding, because its files of glibc's `gconv` are missing.
    package func utf8(_ bytes: [UInt8]) -> [UInt8]? {
        guard let text = SystemConverter.utf8(bytes, from: systemName) else { return nil }
        // glibc lets characters through that Unicode does not have: those of five bytes in old UTF-8.
        return String(validating: text, as: UTF8.self) != nil ? text : Array(String(decoding: text, as: UTF8.self).utf8)
    }
}
