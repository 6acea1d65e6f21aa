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

/// An emoji without U+FE0F, as ``EmojiForm`` compares them.
private let bareEmoji = "replace(emoji, char(65039), '')"

/// The reactions to messages: each person gives each emoji once, in whatever form.
///
/// - Confinement: store
package struct ReactionTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// The reactions to the messages of a range, by message; those of one in the order, and the form, in which they came.
    package func counts(
        of chat: Int64, in range: ClosedRange<MessageNumber>, for user: StreamID
    ) throws -> [ReactionCount] {
        try access.all(
            """
            SELECT n, emoji, count(DISTINCT user), sum(user = ?) > 0, min(seq) FROM reactions
            WHERE chat = ? AND n BETWEEN ? AND ? GROUP BY n, \(bareEmoji) ORDER BY n, min(seq), emoji
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

    /// The people who have given an emoji to a message, in the form in which it came first; nil when nobody has.
    package func find(
        _ emoji: String, on n: MessageNumber, in chat: Int64, for user: StreamID
    ) throws -> ReactionCount? {
        try counts(of: chat, in: n...n, for: user).first { EmojiForm.bare($0.emoji) == EmojiForm.bare(emoji) }
    }

    /// How many other emoji than one people have given to a message.
    package func countOtherKinds(than emoji: String, of n: MessageNumber, in chat: Int64) throws -> Int {
        Int(
            try access.number(
                "SELECT count(DISTINCT \(bareEmoji)) FROM reactions WHERE chat = ? AND n = ? AND \(bareEmoji) <> ?",
                [chat, n, EmojiForm.bare(emoji)]))
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

    /// A user takes a reaction back: one row, or two that an earlier version has written for two forms of the emoji.
    package func delete(_ emoji: String, by user: StreamID, from n: MessageNumber, in chat: Int64) throws {
        let gone = try access.change(
            "DELETE FROM reactions WHERE chat = ? AND n = ? AND \(bareEmoji) = ? AND user = ?",
            [chat, n, EmojiForm.bare(emoji), user.value])
        try MessageTable(access: access).addReactions(Int64(-gone), to: n, in: chat)
    }

    /// The message is deleted, and everybody's reactions with it.
    func deleteAll(from n: MessageNumber, in chat: Int64) throws {
        try access.run("DELETE FROM reactions WHERE chat = ? AND n = ?", [chat, n])
    }
}
