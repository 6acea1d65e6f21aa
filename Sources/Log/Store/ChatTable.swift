package import Log
package import Model

/// A chat as stored.
///
/// - Confinement: any
package struct ChatEntry: Sendable {
    package let id: Int64
    package let name: ChatID
    /// Number of the newest message; zero when there is none.
    package internal(set) var last: MessageNumber
    /// Position of the newest message.
    package internal(set) var lastPosition: Position

    /// Whether it is a room, and no pair.
    package var isRoom: Bool { name.isRoom }

    static let setSQL = "UPDATE chats SET last = ?, last_seq = ?, last_event = ? WHERE id = ?"
}

/// A member of a chat, with the numbers up to which messages are read and delivered.
///
/// - Confinement: any
package struct MemberEntry: Sendable {
    package let user: StreamID
    /// Everything up to this number is read.
    package internal(set) var read: MessageNumber
    /// Everything up to this number is on one of the member's devices.
    package internal(set) var delivered: MessageNumber
    /// Messages of others after `read`; in a room what is to be added to `last - read`, see ``RoomTable/unread(of:in:)``.
    package internal(set) var unread: Int64

    static let setSQL = "UPDATE members SET read = ?, delivered = ?, unread = ? WHERE chat = ? AND user = ?"
}

/// One line of a user's chat list.
///
/// - Confinement: any
package struct ChatLine: Sendable {
    package let chat: ChatEntry
    package let own: MemberEntry
    /// Whether the user has put it away, and nobody has written since.
    package let isArchived: Bool
}

/// Chats and their members.
///
/// - Confinement: store
package struct ChatTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    package init(access: Access) { self.access = access }

    /// The chat of a name; nil when it was never opened.
    package func find(_ name: ChatID) throws -> ChatEntry? { try access.chat(name) }

    /// The chat of a number; nil when no row has it.
    package func find(number id: Int64) throws -> ChatEntry? {
        let name: String? = try access.value("SELECT name FROM chats WHERE id = ?", [id])
        return try name.flatMap(ChatID.init).flatMap(find)
    }

    /// The next number of a chat; nil after the last one.
    package func number(after id: Int64) throws -> Int64? {
        try access.value("SELECT id FROM chats WHERE id > ? ORDER BY id LIMIT 1", [id])
    }

    /// A member of a chat; nil for everybody else.
    package func member(_ user: StreamID, of chat: Int64) throws -> MemberEntry? {
        try access.member(user, of: chat)
    }

    /// Everybody in a chat, with what each has read, in the order of numbers.
    package func members(of chat: Int64) throws -> [MemberEntry] { try access.members(of: chat) }

    /// The user's chats in which something lies after `position`. Costs a look at each of the user's chats.
    ///
    /// - Parameter since: with each, where the user's reading of a room begins; zero for a pair.
    func changed(
        of user: UserEntry, after position: Position
    ) throws -> [(id: Int64, last: MessageNumber, at: Position, since: Position)] {
        try access.flushChats()
        let rooms = user.rooms > 0
        return try access.all(
            """
            SELECT chats.id, chats.last, chats.last_seq, \(rooms ? "coalesce(room_members.since, 0)" : "0")
            FROM members JOIN chats ON chats.id = members.chat
            \(rooms ? "LEFT JOIN room_members USING (user, chat)" : "")
            WHERE members.user = ? AND chats.last_event > ?
            """,
            [user.id.value, position.value]
        ) { row in try (row[0], row[1], row[2], row[3]) }
    }

    /// The user's chats whose newest message lies before `before`, newest first.
    ///
    /// The list is sorted when it is read: keeping it sorted would cost every message two more index entries.
    package func list(of user: StreamID, before: Position, limit: Int) throws -> [ChatLine] {
        try access.flushChats()
        return try access.all(
            """
            SELECT chats.id, chats.name, chats.last, chats.last_seq, members.read, members.delivered,
            CASE WHEN rooms.chat IS NULL THEN members.unread ELSE \(RoomSQL.unread) END,
            coalesce(archived.seq > chats.last_seq, 0)
            FROM members JOIN chats ON chats.id = members.chat
            LEFT JOIN rooms ON rooms.chat = chats.id
            LEFT JOIN archived_chats archived ON archived.user = members.user AND archived.chat = members.chat
            WHERE members.user = ? AND chats.last_seq < ? ORDER BY chats.last_seq DESC LIMIT ?
            """,
            [user.value, before.value, limit]
        ) { row in
            ChatLine(
                chat: try ChatEntry(row),
                own: try MemberEntry(user: user, read: row[4], delivered: row[5], unread: row[6]),
                isArchived: try row[7]
            )
        }
    }

    /// The numbers of the user's chats.
    package func numbers(of user: StreamID) throws -> [Int64] {
        try access.all("SELECT chat FROM members WHERE user = ? ORDER BY chat", [user.value]) { try $0[0] }
    }

    /// How many of the user's chats have something unread: the truth that ``UserEntry/unreadChats`` is kept equal to.
    package func countUnread(of user: StreamID) throws -> Int64 {
        try access.flushChats()
        return try access.number("SELECT count(*) FROM members WHERE user = ? AND unread > 0", [user.value])
    }

    /// Chats known to the server.
    package func count() throws -> Int64 {
        try access.number("SELECT count(*) FROM chats")
    }
}

// A chat that the writer remembers is changed in its memory; the memory writes it before the commit.
extension ChatTable where Access == WriteAccess {
    /// Opens a chat with these members.
    package func make(_ name: ChatID, members: [StreamID]) throws -> ChatEntry {
        let id = try nextID()
        try access.run("INSERT INTO chats(id, name) VALUES (?, ?)", [id, name.text])
        for member in members {
            try access.run("INSERT INTO members(chat, user) VALUES (?, ?)", [id, member.value])
        }
        return ChatEntry(id: id, name: name, last: 0, lastPosition: .zero)
    }

    /// The number that the next chat gets; no chat had it before, since entries of the log are found by it.
    package func nextID() throws -> Int64 {
        let newest = try access.number("SELECT coalesce(max(id), 0) FROM chats")
        return try max(newest, access.metaNumber(.chatsGone) ?? 0) + 1
    }

    /// The newest message of a chat is number `n`, at `position` in the log, and so is its newest event.
    package func setLast(_ n: MessageNumber, at position: Position, in chat: Int64) throws {
        if let known = memory.chat(chat) {
            return memory.change(known) {
                $0.entry.last = n
                $0.entry.lastPosition = position
                $0.lastEvent = position
            }
        }
        try access.run(
            "UPDATE chats SET last = ?1, last_seq = ?2, last_event = ?2 WHERE id = ?3",
            [n, position.value, chat]
        )
    }

    /// The newest event of a chat, which is no message, lies at `position` in the log.
    package func setLastEvent(at position: Position, in chat: Int64) throws {
        if let known = memory.chat(chat) { return memory.change(known) { $0.lastEvent = position } }
        try access.run("UPDATE chats SET last_event = ? WHERE id = ?", [position.value, chat])
    }

    /// One more message that the member has not read.
    package func addUnread(to user: StreamID, in chat: Int64) throws {
        if change(user, in: chat, { $0.unread += 1 }) { return }
        try access.run("UPDATE members SET unread = unread + 1 WHERE chat = ? AND user = ?", [chat, user.value])
    }

    /// A message that the member has not read is gone.
    package func takeUnread(from user: StreamID, in chat: Int64) throws {
        if change(user, in: chat, { $0.unread -= 1 }) { return }
        try access.run("UPDATE members SET unread = unread - 1 WHERE chat = ? AND user = ?", [chat, user.value])
    }

    /// The member has read up to number `n`, and `unread` messages of others lie after it.
    package func setRead(_ n: MessageNumber, unread: Int64, of user: StreamID, in chat: Int64) throws {
        let isChanged = change(user, in: chat) {
            $0.read = n
            $0.unread = unread
        }
        if isChanged { return }
        try access.run(
            "UPDATE members SET read = ?, unread = ? WHERE chat = ? AND user = ?",
            [n, unread, chat, user.value]
        )
    }

    /// Everything up to number `n` is on one of the member's devices.
    package func setDelivered(_ n: MessageNumber, of user: StreamID, in chat: Int64) throws {
        if change(user, in: chat, { $0.delivered = n }) { return }
        try access.run("UPDATE members SET delivered = ? WHERE chat = ? AND user = ?", [n, chat, user.value])
    }

    /// An empty chat goes, with its members.
    package func delete(_ chat: Int64) throws {
        try access.flushChats()
        try access.run("DELETE FROM members WHERE chat = ?", [chat])
        try access.run("DELETE FROM archived_chats WHERE chat = ?", [chat])
        try access.run("DELETE FROM chats WHERE id = ?", [chat])
        try access.setMeta(.chatsGone, String(max(chat, access.metaNumber(.chatsGone) ?? 0)))
        memory.forget()
    }

    /// A chat of two has another name: one of them has another.
    package func rename(_ chat: Int64, to name: ChatID) throws {
        try access.flushChats()
        try access.run("UPDATE chats SET name = ? WHERE id = ?", [name.text, chat])
        memory.forget()
    }

    /// Changes a member in the memory; false when it does not know the member.
    private func change(_ user: StreamID, in chat: Int64, _ body: (inout MemberEntry) -> Void) -> Bool {
        guard let known = memory.chat(chat) else { return false }
        return memory.change(known, member: user, body)
    }

    private var memory: ChatMemory { access.chatMemory }
}

extension ChatEntry {
    /// Reads the columns `id`, `name`, `last` and `last_seq`, which must be a row's first ones.
    init(_ row: Columns) throws {
        guard let name = try ChatID(row[1] as String) else { throw StoredValueProblem(place: "chats.name") }
        try self.init(id: row[0], name: name, last: row[2], lastPosition: row[3])
    }
}

extension ReadAccess {
    /// A chat as it is in the table, with the position of its newest event; nil when no row has the name.
    func storedChat(_ name: ChatID) throws -> (entry: ChatEntry, lastEvent: Position)? {
        try first("SELECT id, last, last_seq, last_event FROM chats WHERE name = ?", [name.text]) { row in
            try (ChatEntry(id: row[0], name: name, last: row[1], lastPosition: row[2]), row[3])
        }
    }

    /// A chat's member as it is in the table.
    func storedMember(_ user: StreamID, of chat: Int64) throws -> MemberEntry? {
        try first("SELECT read, delivered, unread FROM members WHERE chat = ? AND user = ?", [chat, user.value]) {
            try MemberEntry(user: user, read: $0[0], delivered: $0[1], unread: $0[2])
        }
    }

    /// A chat's members as they are in the table.
    func storedMembers(of chat: Int64) throws -> [MemberEntry] {
        try all("SELECT user, read, delivered, unread FROM members WHERE chat = ?", [chat]) { row in
            try MemberEntry(user: row[0], read: row[1], delivered: row[2], unread: row[3])
        }
    }
}
