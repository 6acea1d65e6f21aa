import GRDB
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
}

/// What one member of a chat has read.
///
/// - Confinement: any
package struct MemberEntry: Sendable {
    package let user: StreamID
    /// Everything up to this number is read.
    package internal(set) var read: MessageNumber
    /// Everything up to this number is on one of the member's devices.
    package internal(set) var delivered: MessageNumber
    /// Messages of others behind `read`.
    package internal(set) var unread: Int64
}

/// Chats and their members.
///
/// - Confinement: store
package struct ChatTable {
    let database: Database
    /// What the writer remembers of them; nil on the connections that read.
    var memory: ChatMemory?

    /// The chat of a name; nil when it was never opened.
    package func find(_ name: ChatID) throws -> ChatEntry? {
        guard let memory else { return try load(name)?.entry }
        return try memory.chat(name) {
            guard let (entry, lastEvent) = try load(name) else { return nil }
            return ChatMemory.Known(entry, lastEvent: lastEvent, members: try loadMembers(of: entry.id))
        }?.entry
    }

    private func load(_ name: ChatID) throws -> (entry: ChatEntry, lastEvent: Position)? {
        try database.first("SELECT id, last, last_seq, last_event FROM chats WHERE name = ?", [name.text]) { row in
            try (ChatEntry(id: row[0], name: name, last: row[1], lastPosition: Position(row[2])), Position(row[3]))
        }
    }

    /// Opens a chat with these members.
    package func make(_ name: ChatID, members: [StreamID]) throws -> ChatEntry {
        try database.run("INSERT INTO chats(name) VALUES (?)", [name.text])
        let id = database.lastInsertedRowID
        for member in members {
            try database.run("INSERT INTO members(chat, user) VALUES (?, ?)", [id, member.value])
        }
        return ChatEntry(id: id, name: name, last: 0, lastPosition: .zero)
    }

    /// Everybody in a chat, with what each has read, in the order of numbers.
    package func members(of chat: Int64) throws -> [MemberEntry] {
        try memory?.chat(chat)?.members ?? loadMembers(of: chat)
    }

    private func loadMembers(of chat: Int64) throws -> [MemberEntry] {
        try database.all("SELECT user, read, delivered, unread FROM members WHERE chat = ?", [chat]) { row in
            try MemberEntry(user: StreamID(row[0]), read: row[1], delivered: row[2], unread: row[3])
        }
    }

    /// The newest message of a chat is number `n`, at `position` in the log, and so is its newest event.
    package func setLast(_ n: MessageNumber, at position: Position, in chat: Int64) throws {
        if let memory, let known = memory.chat(chat) {
            return memory.change(known) {
                $0.entry.last = n
                $0.entry.lastPosition = position
                $0.lastEvent = position
            }
        }
        try database.run(
            "UPDATE chats SET last = ?1, last_seq = ?2, last_event = ?2 WHERE id = ?3",
            [n, position.value, chat]
        )
    }

    /// The newest event of a chat, which is no message, lies at `position` in the log.
    package func setLastEvent(at position: Position, in chat: Int64) throws {
        if let memory, let known = memory.chat(chat) { return memory.change(known) { $0.lastEvent = position } }
        try database.run("UPDATE chats SET last_event = ? WHERE id = ?", [position.value, chat])
    }

    /// The user's chats in which something lies behind `position`. Costs a look at each of his chats.
    func changed(of user: StreamID, after position: Position) throws -> [(id: Int64, last: MessageNumber, at: Position)]
    {
        try memory?.flush()
        return try database.all(
            """
            SELECT chats.id, chats.last, chats.last_seq FROM members JOIN chats ON chats.id = members.chat
            WHERE members.user = ? AND chats.last_event > ?
            """,
            [user.value, position.value]
        ) { row in try (row[0], row[1], Position(row[2])) }
    }

    /// One more message that the member has not read.
    package func addUnread(to user: StreamID, in chat: Int64) throws {
        if let memory, let known = memory.chat(chat) {
            return memory.change(known, member: user) { $0.unread += 1 }
        }
        try database.run("UPDATE members SET unread = unread + 1 WHERE chat = ? AND user = ?", [chat, user.value])
    }

    /// The member has read up to number `n`, and `unread` messages of others lie behind it.
    package func setRead(_ n: MessageNumber, unread: Int64, of user: StreamID, in chat: Int64) throws {
        if let memory, let known = memory.chat(chat) {
            return memory.change(known, member: user) {
                $0.read = n
                $0.unread = unread
            }
        }
        try database.run(
            "UPDATE members SET read = ?, unread = ? WHERE chat = ? AND user = ?",
            [n, unread, chat, user.value]
        )
    }

    /// Everything up to number `n` is on one of the member's devices.
    package func setDelivered(_ n: MessageNumber, of user: StreamID, in chat: Int64) throws {
        if let memory, let known = memory.chat(chat) {
            return memory.change(known, member: user) { $0.delivered = n }
        }
        try database.run("UPDATE members SET delivered = ? WHERE chat = ? AND user = ?", [n, chat, user.value])
    }

    /// One line of a user's chat list.
    package struct Line: Sendable {
        package let chat: ChatEntry
        package let own: MemberEntry
    }

    /// The user's chats whose newest message lies before `before`, newest first.
    ///
    /// The list is sorted when it is read: keeping it sorted would cost every message two more index entries.
    package func list(of user: StreamID, before: Position, limit: Int) throws -> [Line] {
        try memory?.flush()
        return try database.all(
            """
            SELECT chats.id, chats.name, chats.last, chats.last_seq, members.read, members.delivered, members.unread
            FROM members JOIN chats ON chats.id = members.chat
            WHERE members.user = ? AND chats.last_seq < ? ORDER BY chats.last_seq DESC LIMIT ?
            """,
            [user.value, before.value, limit]
        ) { row in
            guard let name = try ChatID(row[1] as String) else { throw StoredValueProblem(place: "chats.name") }
            return Line(
                chat: try ChatEntry(id: row[0], name: name, last: row[2], lastPosition: Position(row[3])),
                own: try MemberEntry(user: user, read: row[4], delivered: row[5], unread: row[6])
            )
        }
    }

    /// How many of the user's chats have something unread: the truth that ``UserEntry/unreadChats`` is kept equal to.
    package func countUnread(of user: StreamID) throws -> Int64 {
        try memory?.flush()
        return try database.number("SELECT count(*) FROM members WHERE user = ? AND unread > 0", [user.value])
    }

    /// Chats known to the server.
    package func count() throws -> Int64 {
        try database.number("SELECT count(*) FROM chats")
    }
}
