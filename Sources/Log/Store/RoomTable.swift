package import Log
package import Model

/// A room as stored, besides what it is as a chat.
///
/// - Confinement: any
package struct RoomEntry: Sendable, Hashable {
    package let chat: Int64
    package var settings: RoomSettings
    /// How many members it has; a room without any is closed.
    package let members: Int64
    package let created: Timestamp
    /// With `history` `all`, messages from this number on exist for every member; 1 for most.
    package let shown: MessageNumber
}

/// A member of a room as stored, besides what is read and delivered.
///
/// - Confinement: any
package struct RoomMemberEntry: Sendable, Hashable {
    package let user: StreamID
    package let role: RoomRole
    /// The member reads the room's stream after this position.
    package let since: Position
    /// Number of the first message after ``since``.
    package let first: MessageNumber
    package let joined: Timestamp
    /// Until then the member writes nothing; nil for most.
    package let muted: Timestamp?
    /// When the newest message was sent, as far as the room has a pace.
    package let sent: Timestamp?
    /// Whether the member has made or joined the room, or has written in it, and was not only brought in by somebody.
    package let isWilling: Bool
}

/// A line of a list of rooms.
///
/// - Confinement: any
package struct RoomLine: Sendable {
    package let name: ChatID
    package let room: RoomEntry
    /// The asking user's role; nil for others.
    package let role: RoomRole?

    package init(name: ChatID, room: RoomEntry, role: RoomRole? = nil) {
        self.name = name
        self.room = room
        self.role = role
    }
}

/// SQL of rooms.
enum RoomSQL {
    /// How many messages a row of `members` has unread, in a room that is its row of `chats`.
    static let unread = """
        (chats.last - members.read + members.unread - (SELECT count(*) FROM room_deletions deletion
        WHERE deletion.chat = members.chat AND deletion.n > members.read))
        """
}

/// Rooms, their members, and who may not be one.
///
/// - Confinement: store
package struct RoomTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// The room that a chat is; nil for a pair.
    package func find(_ chat: Int64) throws -> RoomEntry? {
        try access.first("SELECT \(RoomEntry.columns) FROM rooms WHERE chat = ?", [chat]) { try RoomEntry($0) }
    }

    /// A member of a room; nil for everybody else.
    package func member(_ user: StreamID, of chat: Int64) throws -> RoomMemberEntry? {
        try access.first(
            "SELECT \(RoomMemberEntry.columns) FROM room_members WHERE chat = ? AND user = ?", [chat, user.value],
            RoomMemberEntry.init)
    }

    /// The rooms of a user of whose messages not all exist for the user, with the first that does.
    package func firstMessages(for user: StreamID) throws -> [(chat: Int64, first: MessageNumber)] {
        try access.all(
            """
            SELECT chat, iif(history = 'joined', first, min(first, shown)) FROM room_members JOIN rooms USING (chat)
            WHERE user = ? AND (history = 'joined' OR shown > 1) ORDER BY chat
            """,
            [user.value]
        ) { (try $0[0], try $0[1]) }
    }

    /// A page of a room's members, in the order of their numbers.
    package func members(
        of chat: Int64, after user: StreamID, limit: Int
    ) throws -> [(member: RoomMemberEntry, name: UserID)] {
        try access.all(
            """
            SELECT \(RoomMemberEntry.columns), (SELECT name FROM users WHERE id = user) FROM room_members
            WHERE chat = ? AND user > ? ORDER BY user LIMIT ?
            """,
            [chat, user.value, limit]
        ) { row in
            guard let name = try UserID(stored: row[8]) else { throw StoredValueProblem(place: "users.name") }
            return (try RoomMemberEntry(row), name)
        }
    }

    /// A page of the rooms of a user, in the order of their numbers.
    package func list(of user: StreamID, after chat: Int64, limit: Int) throws -> [RoomLine] {
        try access.all(
            RoomEntry.lines("role", "room_members JOIN rooms USING (chat)", "user = ? AND rooms.chat > ?"),
            [user.value, chat, limit], RoomLine.init)
    }

    /// A page of the open rooms, with the role that a user has in them.
    package func listOpen(for user: StreamID, after chat: Int64, limit: Int) throws -> [RoomLine] {
        try access.all(
            RoomEntry.lines(
                "(SELECT role FROM room_members WHERE chat = rooms.chat AND user = ?)", "rooms",
                "open = 1 AND members > 0 AND rooms.chat > ?"),
            [user.value, chat, limit], RoomLine.init)
    }

    /// A page of all rooms, also of closed ones.
    package func list(after chat: Int64, limit: Int) throws -> [RoomLine] {
        try access.all(RoomEntry.lines("NULL", "rooms", "rooms.chat > ?"), [chat, limit], RoomLine.init)
    }

    /// Whether a user may see another's presence because of a room: both are in it, the other one by their own will, and the
    /// room is closed, so that nobody comes in just to look.
    package func shows(_ other: StreamID, to user: StreamID) throws -> Bool {
        try access.number(
            """
            SELECT EXISTS (SELECT 1 FROM room_members mine JOIN rooms USING (chat) WHERE mine.user = ? AND rooms.open = 0
            AND EXISTS (SELECT 1 FROM room_members theirs
            WHERE theirs.chat = mine.chat AND theirs.user = ? AND theirs.willing = 1))
            """,
            [user.value, other.value]) > 0
    }

    /// Whether a ban keeps a user out of a room.
    package func isBanned(_ user: StreamID, from chat: Int64, at now: Timestamp) throws -> Bool {
        try access.number(
            "SELECT EXISTS (SELECT 1 FROM room_bans WHERE chat = ? AND user = ? AND coalesce(until, ?) >= ?)",
            [chat, user.value, now.milliseconds, now.milliseconds]) > 0
    }

    /// Whether an owner keeps a user out of a room: then only owners end it.
    package func isBannedByOwner(_ user: StreamID, from chat: Int64, at now: Timestamp) throws -> Bool {
        try access.number(
            """
            SELECT EXISTS (SELECT 1 FROM room_bans WHERE chat = ? AND user = ? AND coalesce(until, ?) >= ? AND firm = 1)
            """,
            [chat, user.value, now.milliseconds, now.milliseconds]) > 0
    }

    /// The next owner of a room that has none: its oldest moderator, else its oldest member. Nobody inherits a room into which
    /// they were only brought, see ``RoomMemberEntry/isWilling``.
    package func successor(in chat: Int64) throws -> StreamID? {
        try access.value(
            """
            SELECT user FROM room_members WHERE chat = ? AND willing = 1 ORDER BY role = ? DESC, since, user LIMIT 1
            """,
            [chat, RoomRole.moderator.rawValue])
    }

    /// How many owners a room has.
    package func countOwners(of chat: Int64) throws -> Int64 {
        try access.number(
            "SELECT count(*) FROM room_members WHERE chat = ? AND role = ?", [chat, RoomRole.owner.rawValue])
    }

    /// Rooms known to the server that have members.
    package func count() throws -> Int64 { try access.number("SELECT count(*) FROM rooms WHERE members > 0") }

    // MARK: Reading

    /// The streams of the rooms of a user, to which a session subscribes.
    package func streams(of user: UserEntry) throws -> [StreamID] {
        guard user.rooms > 0 else { return [] }
        return try access.all("SELECT -chat FROM room_members WHERE user = ?", [user.id.value]) { try $0[0] }
    }

    /// The rooms of a user, by their streams, in which something is unread.
    package func unreadStreams(of user: UserEntry) throws -> [StreamID] {
        guard user.rooms > 0 else { return [] }
        try access.flushChats()
        return try access.all("SELECT -members.chat \(Self.unread)", [user.id.value]) { try $0[0] }
    }

    /// How many of these there are.
    package func unreadCount(of user: UserEntry) throws -> Int64 {
        guard user.rooms > 0 else { return 0 }
        try access.flushChats()
        return try access.number("SELECT count(*) \(Self.unread)", [user.id.value])
    }

    private static var unread: String {
        """
        FROM room_members JOIN members USING (chat, user) JOIN chats ON chats.id = members.chat
        WHERE room_members.user = ? AND \(RoomSQL.unread) > 0
        """
    }

    /// How many messages a member has unread: those after the member's mark, without the member's own and deleted ones.
    package func unread(of member: MemberEntry, in chat: ChatEntry) throws -> Int64 {
        let all = chat.last - member.read + member.unread
        guard all > 0 else { return 0 }
        return all
            - (try access.number(
                "SELECT count(*) FROM room_deletions WHERE chat = ? AND n > ?", [chat.id, member.read]))
    }

    /// The members who have joined at a position or after it.
    package func joiners(of chat: Int64, from position: Position) throws -> [StreamID] {
        try access.all(
            "SELECT user FROM room_members WHERE chat = ? AND since >= ? ORDER BY user", [chat, position.value]
        ) { try $0[0] }
    }

    /// The members, besides one, who have read up to a number of a range.
    package func members(
        of chat: Int64, readUpTo range: Range<MessageNumber>, besides user: StreamID
    ) throws -> [StreamID] {
        try access.flushChats()
        return try access.all(
            "SELECT user FROM members WHERE chat = ? AND read >= ? AND read < ? AND user <> ? ORDER BY user",
            [chat, range.lowerBound, range.upperBound, user.value]
        ) { try $0[0] }
    }

    /// The furthest mark of the members besides one.
    package func furthestRead(in chat: Int64, besides user: StreamID) throws -> MessageNumber {
        try access.flushChats()
        return try access.number(
            "SELECT coalesce(max(read), 0) FROM members WHERE chat = ? AND user <> ?", [chat, user.value])
    }

    /// The members who have a device that gets pushes.
    package func membersWithDevices(of chat: Int64) throws -> [StreamID] {
        try access.all(
            """
            SELECT user FROM room_members WHERE chat = ?
            AND EXISTS (SELECT 1 FROM push_devices d WHERE d.user = room_members.user) ORDER BY user
            """,
            [chat]
        ) { try $0[0] }
    }

    /// The memberships of a user that ended after a position.
    func ended(
        of user: StreamID, after position: Position
    ) throws -> [(chat: Int64, last: MessageNumber, since: Position, until: Position)] {
        try access.flushChats()
        return try access.all(
            """
            SELECT past_rooms.chat, chats.last, since, until FROM past_rooms JOIN chats ON chats.id = past_rooms.chat
            WHERE user = ? AND until > ?
            """,
            [user.value, position.value]
        ) { (try $0[0], try $0[1], try $0[2], try $0[3]) }
    }

    /// How many memberships have ended after a position, counted up to a limit: the cost of merging them.
    package func endedCount(of user: StreamID, after position: Position, limit: Int) throws -> Int {
        Int(
            try access.number(
                "SELECT count(*) FROM (SELECT 1 FROM past_rooms WHERE user = ? AND until > ? LIMIT ?)",
                [user.value, position.value, limit]))
    }

    /// The position up to which a user reads a room's entry: `bound` for a member who had joined before it, the end of the
    /// membership for a past one, nil for everybody else.
    package func readsUpTo(_ user: StreamID, _ chat: Int64, entry: Position) throws -> Position? {
        if let member = try member(user, of: chat), member.since < entry { return Position(Position.bound) }
        return try access.value(
            "SELECT min(until) FROM past_rooms WHERE user = ? AND chat = ? AND since < ? AND until >= ?",
            [user.value, chat, entry.value, entry.value])
    }
}

extension RoomEntry {
    fileprivate static let columns = "rooms.chat, title, open, posting, history, pace, members, created, shown"

    /// The query of a page of rooms, with a role.
    fileprivate static func lines(_ role: String, _ tables: String, _ condition: String) -> String {
        """
        SELECT \(columns), (SELECT name FROM chats WHERE id = rooms.chat), \(role) FROM \(tables)
        WHERE \(condition) ORDER BY rooms.chat LIMIT ?
        """
    }

    fileprivate init(_ row: Columns) throws {
        guard let posting = try RoomPosting(rawValue: row[3]), let history = try RoomHistory(rawValue: row[4]) else {
            throw StoredValueProblem(place: "rooms")
        }
        chat = try row[0]
        settings = try RoomSettings(title: row[1], isOpen: row[2], posting: posting, history: history, pace: row[5])
        members = try row[6]
        created = Timestamp(milliseconds: try row[7])
        shown = try row[8]
    }
}

extension RoomLine {
    fileprivate init(_ row: Columns) throws {
        guard let name = try ChatID(row[9] as String) else { throw StoredValueProblem(place: "chats.name") }
        let role: String? = try row.optional(10)
        self.init(name: name, room: try RoomEntry(row), role: role.flatMap(RoomRole.init))
    }
}

extension RoomMemberEntry {
    fileprivate static let columns = "user, role, since, first, joined, muted, sent, willing"

    fileprivate init(_ row: Columns) throws {
        guard let role = try RoomRole(rawValue: row[1]) else { throw StoredValueProblem(place: "room_members.role") }
        user = try row[0]
        self.role = role
        since = try row[2]
        first = try row[3]
        joined = Timestamp(milliseconds: try row[4])
        muted = try row.optional(5)
        sent = try row.optional(6)
        isWilling = try row[7]
    }
}
