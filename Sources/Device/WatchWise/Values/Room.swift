import JSON
import Session

/// A member of a room.
/// - Confinement: any
public struct RoomMember: Sendable, Hashable {
    /// The rights of a member.
    /// - Confinement: any
    public enum Role: String, Sendable, Hashable {
        case owner, moderator, member
    }

    public let user: String
    public let role: Role
    /// The server's time (RFC 3339).
    public let joined: String
    /// The time until when this member may not write.
    public let mutedUntil: String?
}

extension RoomMember: ListItem {
    init?(_ row: JSONObject) {
        guard let user = row.string("user") else { return nil }
        self.user = user
        role = row.string("role").flatMap(Role.init) ?? .member
        joined = row.string("joined") ?? ""
        mutedUntil = row.string("muted")
    }
}

/// Somebody invites the user into a room.
/// - Confinement: any
public struct Invitation: Sendable, Hashable {
    /// The room.
    public let chat: String
    public let title: String
    /// The person who invites.
    public let by: String
    /// The server's time (RFC 3339).
    public let at: String
    /// When it ends by itself.
    public let expires: String
}

extension Invitation: ListItem {
    init?(_ row: JSONObject) {
        guard let chat = row.string("chat") else { return nil }
        self.chat = chat
        title = row.string("title") ?? ""
        by = row.string("by") ?? ""
        at = row.string("at") ?? ""
        expires = row.string("expires") ?? ""
    }
}

/// A room.
/// - Confinement: any
public struct Room: Sendable, Hashable {
    public let chat: String
    public let title: String
    public let isOpen: Bool
    public let posting: Rooms.Posting
    public let history: Rooms.History
    /// Seconds between two messages of one member.
    public let pace: Int64
    /// How many there are.
    public let members: Int64
    /// This user's; nil in a room that the user is not in.
    public let role: RoomMember.Role?
}

extension Room: ListItem {
    init?(_ row: JSONObject) {
        guard let chat = row.string("chat") else { return nil }
        self.chat = chat
        title = row.string("title") ?? ""
        isOpen = row.isTrue("open")
        posting = row.string("posting").flatMap(Rooms.Posting.init) ?? .all
        history = row.string("history").flatMap(Rooms.History.init) ?? .joined
        pace = row.integer("pace")
        members = row.integer("members")
        role = row.string("role").flatMap(RoomMember.Role.init)
    }
}
