/// The name of a role, in a rule (`role:librarian`), a document or a token.
///
/// - Confinement: any
package struct RoleName: Sendable, Hashable, Comparable {
    /// The form of a name, for people.
    package static let form = "1 to 64 of A-Z a-z 0-9 _ -"
    private static let bytesMax = 64

    package let text: String

    /// - Returns: nil when the text has another form.
    package init?(_ text: String) {
        let isName = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
        guard isName, (1...Self.bytesMax).contains(text.utf8.count) else { return nil }
        self.text = text
    }

    package static func < (one: RoleName, other: RoleName) -> Bool { one.text < other.text }
}
