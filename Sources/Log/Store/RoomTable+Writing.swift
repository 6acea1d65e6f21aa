import Log
package import Model

// The members of a room are also rows in the tables of chats: when they become fewer, the writer's memory forgets the room.
extension RoomTable where Access == WriteAccess {
    /// Makes a room, without members yet. In the list of chats it stands where it was made, until somebody writes.
    package func make(_ name: ChatID, _ settings: RoomSettings, at position: Position, now: Timestamp) throws
        -> ChatEntry
    {
        let id = try ChatTable(access: access).nextID()
        try access.run("INSERT INTO chats(id, name, last_seq) VALUES (?, ?, ?)", [id, name.text, position.value])
        try access.run(
            "INSERT INTO rooms(chat, title, open, posting, history, pace, created) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                id, settings.title, settings.isOpen, settings.posting.rawValue, settings.history.rawValue,
                settings.pace, now.milliseconds,
            ])
        return ChatEntry(id: id, name: name, last: 0, lastPosition: position)
    }

    /// Adds members, who read the room's stream after a position; none of them may be one. A person who was muted
    /// when leaving is muted again, and the pace counts from the newest message of before.
    ///
    /// - Parameter isWilling: whether they come by themselves, see ``RoomMemberEntry/isWilling``.
    package func add(
        _ users: [StreamID], to chat: ChatEntry, as role: RoomRole, isWilling: Bool, since: Position, now: Timestamp
    ) throws {
        let areAnyRestrained =
            try access.number("SELECT EXISTS (SELECT 1 FROM room_restraints WHERE chat = ?)", [chat.id]) > 0
        for user in users {
            try access.run(
                "INSERT INTO members(chat, user, read, delivered) VALUES (?, ?, ?, ?)",
                [chat.id, user.value, chat.last, chat.last])
            try access.run(
                """
                INSERT INTO room_members(chat, user, role, since, first, joined, willing) VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [chat.id, user.value, role.rawValue, since.value, chat.last + 1, now.milliseconds, isWilling])
            if areAnyRestrained { try restrainAgain(user, in: chat.id) }
            try access.run("UPDATE users SET rooms = rooms + 1 WHERE id = ?", [user.value])
        }
        try addMembers(Int64(users.count), to: chat.id)
    }

    private func restrainAgain(_ user: StreamID, in chat: Int64) throws {
        try access.run(
            """
            UPDATE room_members SET (muted, sent) = (kept.muted, kept.sent) FROM room_restraints kept
            WHERE room_members.chat = ?1 AND room_members.user = ?2 AND kept.chat = ?1 AND kept.user = ?2
            """,
            [chat, user.value])
        try access.run("DELETE FROM room_restraints WHERE chat = ? AND user = ?", [chat, user.value])
    }

    /// Keeps for the next membership what holds back a member who goes.
    package func keepRestraint(of member: RoomMemberEntry, in chat: Int64, at now: Timestamp) throws {
        let muted = member.muted.flatMap { $0 > now ? $0.milliseconds : nil }
        guard muted != nil || member.sent != nil else { return }
        try access.run(
            "INSERT OR REPLACE INTO room_restraints(chat, user, muted, sent) VALUES (?, ?, ?, ?)",
            [chat, member.user.value, muted, member.sent?.milliseconds])
    }

    /// A member goes; the entries up to a position stay readable in the log.
    package func remove(_ member: RoomMemberEntry, from chat: Int64, until position: Position) throws {
        // The memory's changes, before its rows are gone.
        try access.flushChats()
        let row: [(any StatementArgument)?] = [chat, member.user.value]
        try access.run(
            "INSERT INTO past_rooms(user, until, chat, since) VALUES (?, ?, ?, ?)",
            [member.user.value, position.value, chat, member.since.value])
        try access.run("DELETE FROM room_members WHERE chat = ? AND user = ?", row)
        try access.run("DELETE FROM members WHERE chat = ? AND user = ?", row)
        try access.run("DELETE FROM archived_chats WHERE chat = ? AND user = ?", row)
        try access.run("UPDATE users SET rooms = rooms - 1 WHERE id = ?", [member.user.value])
        try addMembers(-1, to: chat)
        access.chatMemory.forget(chat)
    }

    private func addMembers(_ difference: Int64, to chat: Int64) throws {
        try access.run("UPDATE rooms SET members = members + ? WHERE chat = ?", [difference, chat])
    }

    /// The room is set up in another way.
    ///
    /// - Parameter shown: see ``RoomEntry/shown``.
    package func set(_ settings: RoomSettings, shown: MessageNumber, of chat: Int64) throws {
        try access.run(
            "UPDATE rooms SET title = ?, open = ?, posting = ?, history = ?, pace = ?, shown = ? WHERE chat = ?",
            [
                settings.title, settings.isOpen, settings.posting.rawValue, settings.history.rawValue, settings.pace,
                shown, chat,
            ])
    }

    /// A member has another role.
    package func setRole(_ role: RoomRole, of user: StreamID, in chat: Int64) throws {
        try access.run(
            "UPDATE room_members SET role = ? WHERE chat = ? AND user = ?", [role.rawValue, chat, user.value])
    }

    /// - Parameter until: nil for a member who may write.
    package func setMuted(until: Timestamp?, of user: StreamID, in chat: Int64) throws {
        try access.run(
            "UPDATE room_members SET muted = ? WHERE chat = ? AND user = ?", [until?.milliseconds, chat, user.value])
    }

    /// A member who was brought in has written.
    package func setWilling(_ user: StreamID, in chat: Int64) throws {
        try access.run("UPDATE room_members SET willing = 1 WHERE chat = ? AND user = ?", [chat, user.value])
    }

    /// A member has sent a message, in a room with a pace.
    package func setSent(at now: Timestamp, by user: StreamID, in chat: Int64) throws {
        try access.run(
            "UPDATE room_members SET sent = ? WHERE chat = ? AND user = ?", [now.milliseconds, chat, user.value])
    }

    /// - Parameters:
    ///   - until: nil for a ban without an end.
    ///   - isByOwner: whether only owners end it.
    package func ban(
        _ user: StreamID, from chat: Int64, until: Timestamp?, reason: String?, isByOwner: Bool, at now: Timestamp
    ) throws {
        try access.run(
            "INSERT OR REPLACE INTO room_bans(chat, user, at, until, reason, firm) VALUES (?, ?, ?, ?, ?, ?)",
            [chat, user.value, now.milliseconds, until?.milliseconds, reason, isByOwner])
    }

    /// A user may be a member again.
    package func liftBan(of user: StreamID, from chat: Int64) throws {
        try access.run("DELETE FROM room_bans WHERE chat = ? AND user = ?", [chat, user.value])
    }

    /// A message counts no more.
    package func noteDeletion(of n: MessageNumber, in chat: Int64) throws {
        try access.run("INSERT INTO room_deletions(chat, n) VALUES (?, ?)", [chat, n])
    }

    /// The entry at a position changes a message that does not exist for everybody who reads the room.
    func noteChange(at position: Position, of message: Position) throws {
        try access.run("INSERT INTO room_changes(seq, message) VALUES (?, ?)", [position.value, message.value])
    }
}
