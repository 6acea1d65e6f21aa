package import JSON
package import Model

/// A change of a room, for the event `room`.
///
/// - Confinement: any
package struct RoomChange: Sendable {
    /// The kinds of changes.
    package enum Kind: String, Sendable, CaseIterable {
        case created, updated, joined, left, removed, role, muted
    }

    package let kind: Kind
    /// The people that it is about; empty for a change of the room.
    package var users: [UserID]
    /// The person who has done it.
    package var by: UserID
    /// The role that the people have now; nil for a change of the room, and of people who are no members any more.
    package var role: RoomRole?
    /// Until when they write nothing.
    package var until: Timestamp?
    package var key: WriteKey?

    package init(
        _ kind: Kind, of users: [UserID] = [], by: UserID, role: RoomRole? = nil, until: Timestamp? = nil,
        key: WriteKey? = nil
    ) {
        self.kind = kind
        self.users = users
        self.by = by
        self.role = role
        self.until = until
        self.key = key
    }
}

extension RoomSettings {
    /// Writes the members `title`, `open`, `posting`, `history` and `pace`.
    package func write(to writer: inout JSONWriter) {
        writer.member("title", title)
        writer.member("open", isOpen)
        writer.member("posting", posting.rawValue)
        writer.member("history", history.rawValue)
        writer.member("pace", pace)
    }
}

extension Event {
    /// A room was changed, and is now like this.
    ///
    /// - Parameter members: how many it has.
    package static func room(
        seq: Position, chat: ChatID, _ change: RoomChange, _ settings: RoomSettings, members: Int64, at: Timestamp
    ) -> EncodedEvent {
        durable(seq, .room) { writer in
            writer.member("chat", chat)
            writer.member("change", change.kind.rawValue)
            if change.users.count == 1, let user = change.users.first { writer.member("user", user.text) }
            if change.users.count > 1 {
                writer.name("users")
                writer.beginArray()
                for user in change.users.prefix(RoomLimits.namedMax) { writer.string(user.text) }
                writer.endArray()
            }
            writer.member("by", change.by.text)
            if let until = change.until { writer.member("until", until) }
            writer.member("at", at)
            if let key = change.key { writer.member("key", key.text) }
            writer.name("room")
            writer.beginObject()
            settings.write(to: &writer)
            writer.member("members", members)
            if let role = change.role { writer.member("role", role.rawValue) }
            writer.endObject()
        }
    }
}
