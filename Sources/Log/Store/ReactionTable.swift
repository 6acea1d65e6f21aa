package import Log
package import Model

/// The people who reacted to a message with one emoji.
///
/// - Confinement: any
package struct ReactionCount: Sendable, Hashable {
    package let n: MessageNumber
    package let emoji: String
    package let count: Int64
    /// Whether the asking user is one of them.
    package let isMine: Bool
}

/// The reactions to messages: each person gives each emoji once.
///
/// - Confinement: store
package struct ReactionTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// The reactions to the messages of a range, by message; those of one message in the order in which their emoji came.
    package func counts(
        of chat: Int64, in range: ClosedRange<MessageNumber>, for user: StreamID
    ) throws -> [ReactionCount] {
        try access.all(
            """
            SELECT n, emoji, count(*), max(user = ?) FROM reactions WHERE chat = ? AND n BETWEEN ? AND ?
            GROUP BY n, emoji ORDER BY n, min(seq), emoji
            """,
            [user.value, chat, range.lowerBound, range.upperBound]
        ) { row in try ReactionCount(n: row[0], emoji: row[1], count: row[2], isMine: row[3]) }
    }

    /// The reactions of one user to the messages of a range.
    package func all(
        of user: StreamID, to numbers: ClosedRange<MessageNumber>, in chat: Int64
    ) throws -> [(n: MessageNumber, emoji: String)] {
        try access.all(
            "SELECT n, emoji FROM reactions WHERE chat = ? AND n BETWEEN ? AND ? AND user = ? ORDER BY n, emoji",
            [chat, numbers.lowerBound, numbers.upperBound, user.value]
        ) { try ($0[0], $0[1]) }
    }

    /// Whether a user has reacted to a message with an emoji.
    package func contains(_ emoji: String, by user: StreamID, to n: MessageNumber, in chat: Int64) throws -> Bool {
        try access.number(
            "SELECT count(*) FROM reactions WHERE chat = ? AND n = ? AND emoji = ? AND user = ?",
            [chat, n, emoji, user.value]) > 0
    }

    /// How many people have given an emoji to a message.
    package func count(of emoji: String, to n: MessageNumber, in chat: Int64) throws -> Int64 {
        try access.number(
            "SELECT count(*) FROM reactions WHERE chat = ? AND n = ? AND emoji = ?", [chat, n, emoji])
    }

    /// How many other emoji than one people have given to a message.
    package func countOtherKinds(than emoji: String, of n: MessageNumber, in chat: Int64) throws -> Int {
        Int(
            try access.number(
                "SELECT count(DISTINCT emoji) FROM reactions WHERE chat = ? AND n = ? AND emoji <> ?",
                [chat, n, emoji]))
    }
}

extension ReactionTable where Access == WriteAccess {
    /// A user reacts to a message, which the user has not done with this emoji.
    package func insert(
        _ emoji: String, by user: StreamID, to n: MessageNumber, in chat: Int64, at position: Position
    ) throws {
        try access.run(
            "INSERT INTO reactions(chat, n, emoji, user, seq) VALUES (?, ?, ?, ?, ?)",
            [chat, n, emoji, user.value, position.value])
        try MessageTable(access: access).addReactions(1, to: n, in: chat)
    }

    /// A user takes a reaction back, which must be there.
    package func delete(_ emoji: String, by user: StreamID, from n: MessageNumber, in chat: Int64) throws {
        try access.run(
            "DELETE FROM reactions WHERE chat = ? AND n = ? AND emoji = ? AND user = ?",
            [chat, n, emoji, user.value])
        try MessageTable(access: access).addReactions(-1, to: n, in: chat)
    }

    /// The message is deleted, and everybody's reactions with it.
    func deleteAll(from n: MessageNumber, in chat: Int64) throws {
        try access.run("DELETE FROM reactions WHERE chat = ? AND n = ?", [chat, n])
    }
}
