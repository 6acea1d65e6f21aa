/// The name of a person for all addressing: `[A-Za-z0-9_.@-]{1,128}`, which includes Firebase UIDs.
///
/// The name `room` is refused: `room:ID` is a group, and would be the same text as the pair of users `room` and `ID`. The names `.`
/// and `..` are refused: browsers, proxies and many clients remove them from paths, so nobody could address such a user.
/// Earlier versions admitted the two, so such a user is read with ``init(admitted:)``, and administrators write
/// `~.` and `~..` in paths, which no other name is.
///
/// An erased person has a pseudonym, `~4f2c`. It stands where user ids stand, but is not one: tokens, commands and requests are
/// read with ``init(_:)``, which refuses it, and what the server itself has written with ``init(stored:)``.
/// Ordered by bytes, which is the order of the two names in a pair chat's id.
///
/// - Confinement: any
package struct UserID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The form of a user id, for error messages.
    package static let form = "1 to 128 of A-Z a-z 0-9 _ . @ -, and neither . nor .."

    /// The id, as on the wire and in the database.
    package let text: String

    /// The form of a pseudonym, after its first character.
    private static let pseudonymDigits = 4...64
    private static let pseudonymMark = UInt8(ascii: "~")

    /// Nil when `text` has another form, or is one of the names that nobody may take; a pseudonym has another form.
    package init?(_ text: String) {
        guard !Identifier.isDotSegment(text) else { return nil }
        self.init(admitted: text)
    }

    /// Reads the id of somebody who may be here already: also `.` and `..`.
    package init?(admitted text: String) {
        guard Identifier.matches(text, lengthMax: 128, extra: Identifier.userExtra), text != "room" else { return nil }
        self.text = text
    }

    /// Reads what the server has written: a user id, or the pseudonym of an erased person.
    package init?(stored text: String) {
        if text.utf8.first == Self.pseudonymMark {
            self.init(pseudonym: String(text.dropFirst()))
        } else {
            self.init(admitted: text)
        }
    }

    /// The id that a part of a path names: that of `~.` is `.`, that of `~..` is `..`, and every other part is the id itself.
    package static func text(ofSegment segment: String) -> String {
        segment == "~." || segment == "~.." ? String(segment.dropFirst()) : segment
    }

    /// The id as a part of a path, which no client and no proxy removes.
    package var segment: String { Identifier.isDotSegment(text) ? "~" + text : text }

    /// The pseudonym with these digits; nil unless they are 4 to 64 hexadecimal digits in lower case.
    package init?(pseudonym digits: String) {
        guard Self.pseudonymDigits.contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        text = "~" + digits
    }

    /// Whether this is no user's, and stands for an erased person. Pseudonyms of earlier versions, `gone-4f2c`, look like
    /// user ids.
    package var isPseudonym: Bool { text.utf8.first == Self.pseudonymMark }

    package var description: String { text }

    package static func < (left: UserID, right: UserID) -> Bool {
        // The texts are ASCII, so Swift's order of strings is that of their bytes.
        left.text < right.text
    }
}
