/// The name by which everything is addressed to a person: `[A-Za-z0-9_.@-]{1,128}`, which takes Firebase UIDs.
///
/// `room` alone is refused, since `room:ID` names a group and the pair of users `room` and `ID` would collide with it.
/// Ordered by bytes, which is the order of the two names in a pair chat's id.
///
/// - Confinement: any
package struct UserID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// What the form of an identifier is, for error messages.
    package static let form = "1 to 128 of A-Z a-z 0-9 _ . @ -"

    /// The identifier as it stands on the wire and in the database.
    package let text: String

    /// Nil when `text` is not of the form, or is the reserved word `room`.
    package init?(_ text: String) {
        guard Identifier.matches(text, lengthMax: 128, extra: Identifier.userExtra), text != "room" else { return nil }
        self.text = text
    }

    package var description: String { text }

    package static func < (left: UserID, right: UserID) -> Bool {
        // Of ASCII alone, so that Swift's order of strings is that of their bytes.
        left.text < right.text
    }
}
