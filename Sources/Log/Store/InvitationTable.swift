package import Log
package import Model

/// An invitation as stored, or a no.
///
/// - Confinement: any
package struct InvitationEntry: Sendable, Hashable {
    package let chat: Int64
    package let user: StreamID
    /// The person who invites; nil when the row says that the user declined, or has left the room.
    package let inviter: StreamID?
    /// When that was.
    package let at: Timestamp

    package init(chat: Int64, user: StreamID, inviter: StreamID?, at: Timestamp) {
        self.chat = chat
        self.user = user
        self.inviter = inviter
        self.at = at
    }
}

/// A line of a person's list of invitations.
///
/// - Confinement: any
package struct InvitationLine: Sendable {
    package let invitation: InvitationEntry
    package let room: ChatID
    package let title: String
    package let inviter: UserID
}

/// Invitations into rooms that wait for an answer, and the rooms that people do not want to be in: one row for a person in a
/// room.
///
/// - Confinement: store
package struct InvitationTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// The row of a person in a room.
    package func find(_ user: StreamID, in chat: Int64) throws -> InvitationEntry? {
        try access.first(
            "SELECT \(InvitationEntry.columns) FROM room_invitations WHERE chat = ? AND user = ?", [chat, user.value],
            InvitationEntry.init)
    }

    /// A page of a person's invitations since a time, in the order of rooms.
    package func page(
        of user: StreamID, since time: Timestamp, after chat: Int64, limit: Int
    ) throws -> [InvitationLine] {
        try access.all(
            """
            SELECT \(InvitationEntry.columns), (SELECT name FROM chats WHERE id = chat), title,
            (SELECT name FROM users WHERE id = inviter) FROM room_invitations JOIN rooms USING (chat)
            WHERE user = ? AND inviter IS NOT NULL AND at > ? AND chat > ? ORDER BY chat LIMIT ?
            """,
            [user.value, time.milliseconds, chat, limit]
        ) { row in
            guard let room = try ChatID(row[4] as String), let inviter = try UserID(stored: row[6]) else {
                throw StoredValueProblem(place: "room_invitations")
            }
            return InvitationLine(
                invitation: try InvitationEntry(row), room: room, title: try row[5], inviter: inviter)
        }
    }

    /// How many invitations since a time wait for a person's answer.
    package func count(of user: StreamID, since time: Timestamp) throws -> Int64 {
        try access.number(
            "SELECT count(*) FROM room_invitations WHERE user = ? AND inviter IS NOT NULL AND at > ?",
            [user.value, time.milliseconds])
    }

    /// How many of these somebody made.
    package func count(of user: StreamID, by inviter: StreamID, since time: Timestamp) throws -> Int64 {
        try access.number(
            "SELECT count(*) FROM room_invitations WHERE user = ? AND inviter = ? AND at > ?",
            [user.value, inviter.value, time.milliseconds])
    }

    /// How many that somebody made since a time wait for answers.
    package func count(by inviter: StreamID, since time: Timestamp) throws -> Int64 {
        try access.number(
            "SELECT count(*) FROM room_invitations WHERE inviter = ? AND at > ?", [inviter.value, time.milliseconds])
    }

    /// How many into a room since a time wait for answers.
    package func count(in chat: Int64, since time: Timestamp) throws -> Int64 {
        try access.number(
            "SELECT count(*) FROM room_invitations WHERE chat = ? AND inviter IS NOT NULL AND at > ?",
            [chat, time.milliseconds])
    }

    /// Whether a room has any row.
    package func concern(_ chat: Int64) throws -> Bool {
        try access.number("SELECT EXISTS (SELECT 1 FROM room_invitations WHERE chat = ?)", [chat]) > 0
    }

    /// The invitations into a room, in the order of people.
    package func all(in chat: Int64) throws -> [InvitationEntry] {
        try access.all(
            "SELECT \(InvitationEntry.columns) FROM room_invitations WHERE chat = ? AND inviter IS NOT NULL ORDER BY user",
            [chat], InvitationEntry.init)
    }

    /// The newest invitations that somebody made.
    ///
    /// - Parameter user: the invited person; nil for all.
    package func all(by inviter: StreamID, to user: StreamID? = nil, limit: Int) throws -> [InvitationEntry] {
        try access.all(
            """
            SELECT \(InvitationEntry.columns) FROM room_invitations WHERE inviter = ?1 AND (?2 IS NULL OR user = ?2)
            ORDER BY at DESC, chat, user LIMIT ?3
            """,
            [inviter.value, user?.value, limit], InvitationEntry.init)
    }
}

extension InvitationTable where Access == WriteAccess {
    /// In place of an earlier row of the person in the room.
    package func put(_ entry: InvitationEntry) throws {
        try access.run(
            "INSERT OR REPLACE INTO room_invitations(chat, user, inviter, at) VALUES (?, ?, ?, ?)",
            [entry.chat, entry.user.value, entry.inviter?.value, entry.at.milliseconds])
    }

    /// The row of a person in a room goes.
    package func delete(_ user: StreamID, in chat: Int64) throws {
        try access.run("DELETE FROM room_invitations WHERE chat = ? AND user = ?", [chat, user.value])
    }

    /// Deletes at most `limit` invitations that have waited since a time or longer, the oldest first.
    ///
    /// - Returns: how many there were.
    package func deleteExpired(upTo time: Timestamp, limit: Int) throws -> Int {
        try access.change(
            """
            DELETE FROM room_invitations WHERE (chat, user) IN
            (SELECT chat, user FROM room_invitations WHERE inviter IS NOT NULL AND at <= ?
            ORDER BY at, chat, user LIMIT ?)
            """,
            [time.milliseconds, limit])
    }

    /// Deletes the invitations of a person that have waited since a time or longer.
    package func deleteExpired(of user: StreamID, upTo time: Timestamp) throws {
        try access.run(
            "DELETE FROM room_invitations WHERE user = ? AND inviter IS NOT NULL AND at <= ?",
            [user.value, time.milliseconds])
    }
}

extension InvitationEntry {
    fileprivate static let columns = "chat, user, inviter, at"

    fileprivate init(_ row: Columns) throws {
        chat = try row[0]
        user = try row[1]
        inviter = try row.optional(2)
        at = Timestamp(milliseconds: try row[3])
    }
}
