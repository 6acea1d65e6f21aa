package import Log
package import Model

/// The blocks: a user, and another user that it blocks.
///
/// - Confinement: store
package struct BlockTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// Whether a user blocks anybody, is blocked or restricted, or has limits of their own. False is certain, and costs
    /// the writer one look into memory; all other questions of this table and of the next two are for those of whom it is
    /// true.
    package func concern(_ user: StreamID) throws -> Bool { try access.isMarked(user) }

    /// Position at which the block began; nil when `user` does not block `other`.
    package func since(_ other: StreamID, by user: StreamID) throws -> Position? {
        try access.value("SELECT seq FROM blocks WHERE user = ? AND other = ?", [user.value, other.value])
    }

    /// Whether one of two users blocks the other.
    package func stands(between one: StreamID, and other: StreamID) throws -> Bool {
        guard try concern(one) else { return false }
        return try since(other, by: one) != nil || since(one, by: other) != nil
    }

    /// The users who block one, in the order of numbers.
    package func blockers(of user: StreamID) throws -> [StreamID] {
        guard try concern(user) else { return [] }
        return try access.all("SELECT user FROM blocks WHERE other = ? ORDER BY user", [user.value]) { try $0[0] }
    }

    /// Those of them that follow a stream.
    package func blockers(of user: StreamID, following stream: StreamID) throws -> [StreamID] {
        guard try concern(user) else { return [] }
        return try access.all(
            """
            SELECT blocks.user FROM blocks JOIN follows ON follows.follower = blocks.user AND follows.stream = ?
            WHERE blocks.other = ? ORDER BY blocks.user
            """,
            [stream.value, user.value]
        ) { try $0[0] }
    }

    /// The members of a room that block a user, or that the user blocks.
    package func members(ofRoom chat: Int64, apartFrom user: StreamID) throws -> [StreamID] {
        guard try concern(user) else { return [] }
        return try access.all(
            """
            SELECT user FROM room_members WHERE chat = ?1 AND (user IN (SELECT other FROM blocks WHERE user = ?2)
            OR user IN (SELECT user FROM blocks WHERE other = ?2)) ORDER BY user
            """,
            [chat, user.value]
        ) { try $0[0] }
    }

    /// A page of those whom a user blocks: users with numbers above `after`, in the order of numbers.
    package func page(
        of user: StreamID, after: StreamID, limit: Int
    ) throws -> [(id: StreamID, name: UserID)] {
        try access.people(
            """
            SELECT users.id, users.name FROM blocks JOIN users ON users.id = blocks.other
            WHERE blocks.user = ? AND blocks.other > ? ORDER BY blocks.other LIMIT ?
            """,
            [user.value, after.value, limit]
        )
    }

    /// How many people a user blocks.
    package func count(of user: StreamID) throws -> Int64 {
        try access.number("SELECT count(*) FROM blocks WHERE user = ?", [user.value])
    }
}

extension BlockTable where Access == WriteAccess {
    /// A user blocks another; there must be no such block.
    package func insert(_ other: StreamID, by user: StreamID, at position: Position, _ now: Timestamp) throws {
        try access.run(
            "INSERT INTO blocks(user, other, seq, at) VALUES (?, ?, ?, ?)",
            [user.value, other.value, position.value, now.milliseconds])
        access.mark(user)
        access.mark(other)
    }

    /// A user blocks another no longer.
    package func delete(_ other: StreamID, by user: StreamID) throws {
        try access.run("DELETE FROM blocks WHERE user = ? AND other = ?", [user.value, other.value])
    }
}
