/// A conversation: two users (`alice:bob`, sorted by bytes) or a group (`room:ID`).
///
/// - Confinement: any
package enum ChatID: Sendable, Hashable, CustomStringConvertible {
    /// The form of a chat id, for error messages.
    package static let form = "the two user ids sorted and joined by ':' or room:ID"

    /// The conversation of two different users, the lesser id first.
    case pair(UserID, UserID)
    /// A group, by the id the server gave it.
    case room(String)

    /// The chat of two users in any order; nil when they are the same.
    package init?(between one: UserID, and other: UserID) {
        guard one != other else { return nil }
        self = one < other ? .pair(one, other) : .pair(other, one)
    }

    /// Reads the form on the wire; nil when it is neither a pair nor a group, or the pair is not sorted. One of a pair may have
    /// been erased.
    package init?(_ text: String) {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let before = String(text[..<colon])
        let after = String(text[text.utf8.index(after: colon)...])
        if before == "room" {
            guard Identifier.matches(after, lengthMax: 64, extra: Identifier.userExtra) else { return nil }
            self = .room(after)
            return
        }
        guard let first = UserID(stored: before), let second = UserID(stored: after), first < second else { return nil }
        self = .pair(first, second)
    }

    /// Whether it is a room, and no pair.
    package var isRoom: Bool { if case .room = self { true } else { false } }

    /// The form on the wire and in the database.
    package var text: String {
        switch self {
        case .pair(let first, let second): first.text + ":" + second.text
        case .room(let id): "room:" + id
        }
    }

    package var description: String { text }

    /// The other user of a pair; nil when `user` is not one of the pair, and for groups.
    package func other(than user: UserID) -> UserID? {
        guard case .pair(let first, let second) = self else { return nil }
        if user == first { return second }
        return user == second ? first : nil
    }
}
