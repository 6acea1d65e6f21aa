/// Something that can be followed, and under which notifications are stored once: `kind:id`.
///
/// `user:bob`, `person:525`, `product:tv/1399`, `station:114`.
///
/// - Confinement: any
package struct Topic: Sendable, Hashable, CustomStringConvertible {
    /// The form of a topic, for error messages.
    package static let form =
        "kind:id, kind 1 to 32 of a-z, id 1 to 200 of A-Z a-z 0-9 _ . @ / -, and no part of it empty, . or .."

    /// `[a-z]{1,32}`.
    package let kind: String
    /// `[A-Za-z0-9_.@/-]{1,200}`; for the kind `user` a user id.
    package let id: String

    /// Nil when kind or id has another form, or when the kind is `user` and the id is neither a user id nor a pseudonym.
    package init?(kind: String, id: String) {
        guard !kind.isEmpty, kind.utf8.count <= 32, kind.utf8.allSatisfy(Identifier.isLowercase) else { return nil }
        let fits =
            kind == "user"
            ? UserID(stored: id) != nil : Identifier.matches(id, lengthMax: 200, extra: Identifier.topicExtra)
        guard fits else { return nil }
        self.kind = kind
        self.id = id
    }

    /// Whether a path can name it: no part of the id is empty, `.` or `..`, which clients and proxies remove from paths. Earlier
    /// versions let people follow others, so the initializers read them.
    package var isAddressable: Bool {
        let bytes = id.utf8
        // Most topics have no part that could be one of these.
        guard bytes.first != 0x2f, bytes.last != 0x2f, bytes.contains(0x2e) || bytes.contains(0x2f) else {
            return bytes.first != 0x2f && bytes.last != 0x2f
        }
        return id.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
            !$0.isEmpty && !Identifier.isDotSegment($0)
        }
    }

    /// Reads `kind:id`; nil when `text` has another form.
    package init?(_ text: String) {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        self.init(kind: String(text[..<colon]), id: String(text[text.utf8.index(after: colon)...]))
    }

    /// The topic of one user: other users follow it, and it is the user's own inbox.
    package init(user: UserID) {
        kind = "user"
        id = user.text
    }

    /// The form on the wire and in the database.
    package var text: String { "\(kind):\(id)" }
    package var description: String { text }

    /// The user of this topic, when its kind is `user`.
    package var user: UserID? { kind == "user" ? UserID(stored: id) : nil }
}
