/// The name of a person for all addressing: `[A-Za-z0-9_.@-]{1,128}`, which includes Firebase UIDs.
///
/// The name `room` is refused: `room:ID` is a group, and would be the same text as the pair of users `room` and `ID`.
/// Ordered by bytes, which is the order of the two names in a pair chat's id.
///
/// - Confinement: any
package struct UserID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The form of a user id, for error messages.
    package static let form = "1 to 128 of A-Z a-z 0-9 _ . @ -"

    /// The id, as on the wire and in the database.
    package let text: String

    /// Nil when `text` has another form, or is the reserved word `room`.
    package init?(_ text: String) {
        guard Identifier.matches(text, lengthMax: 128, extra: Identifier.userExtra), text != "room" else { return nil }
        self.text = text
    }

    package var description: String { text }

    package static func < (left: UserID, right: UserID) -> Bool {
        // The texts are ASCII, so Swift's order of strings is that of their bytes.
        left.text < right.text
    }
}
