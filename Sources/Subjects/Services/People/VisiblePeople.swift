package import Model
import Notifying
package import Store

/// The people whose presence a user may see: they share a chat or follow each other, neither blocks the other, and they
/// do not hide their presence.
///
/// A chat is a pair, or a closed room that the other one has made or joined, or in which the other one has written. Anybody
/// can bring anybody into a room, and anybody can come into an open one: that shows nothing.
///
/// - Confinement: any
package struct VisiblePeople: Sendable {
    /// Those of `wanted` that `user` may see, by number, in the order given.
    package static func visible(
        _ wanted: [UserID],
        to user: UserEntry,
        in transaction: Transaction
    ) throws -> [(StreamID, UserID)] {
        var visible: [(StreamID, UserID)] = []
        for name in wanted {
            guard let other = try transaction.users.find(name) else { continue }
            let maySee =
                try sharesChat(user, other, in: transaction)
                || follow(user.id, name, in: transaction) && follow(other.id, user.name, in: transaction)
            if maySee, !PresenceVisibility.isHidden(other.preferences),
                try !transaction.blocks.stands(between: user.id, and: other.id)
            {
                visible.append((other.id, name))
            }
        }
        return visible
    }

    private static func sharesChat(_ one: UserEntry, _ other: UserEntry, in transaction: Transaction) throws -> Bool {
        guard let chat = ChatID(between: one.name, and: other.name) else { return true }
        if try transaction.chats.find(chat) != nil { return true }
        return try one.rooms > 0 && other.rooms > 0 && transaction.rooms.shows(other.id, to: one.id)
    }

    private static func follow(_ follower: StreamID, _ name: UserID, in transaction: Transaction) throws -> Bool {
        guard let topic = try transaction.streams.find(Topic(user: name)) else { return false }
        return try transaction.follows.since(follower: follower, stream: topic.id) != nil
    }
}
