import GRDB
package import Model

/// A message as stored.
///
/// - Confinement: any
package struct MessageEntry: Sendable {
    package let n: MessageNumber
    package let position: Position
    package let author: StreamID
    package let at: Timestamp
    package let text: String?
    /// The recommended product as the JSON the sender gave; nil for plain messages.
    package let product: String?
    package let replyTo: MessageNumber?
    /// The author's own id of the write; nil for messages from before it was kept.
    package let key: WriteKey?
    /// For a recommendation whether the recipient has read past it; nil for plain messages.
    package let seen: Bool?

    package init(
        n: MessageNumber,
        position: Position,
        author: StreamID,
        at: Timestamp,
        text: String?,
        product: String? = nil,
        replyTo: MessageNumber? = nil,
        key: WriteKey? = nil,
        seen: Bool? = nil
    ) {
        self.n = n
        self.position = position
        self.author = author
        self.at = at
        self.text = text
        self.product = product
        self.replyTo = replyTo
        self.key = key
        self.seen = seen
    }
}

/// The messages of every chat, clustered by chat and number: history is one range of one tree.
///
/// - Confinement: store
package struct MessageTable {
    let database: Database

    private static let columns = "n, seq, author, at, text, product, reply_to, seen, key"

    /// Adds a message under its number, which must be the next of the chat.
    package func insert(_ message: MessageEntry, in chat: Int64) throws {
        try database.run(
            "INSERT INTO messages(chat, \(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                chat, message.n, message.position.value, message.author.value, message.at.milliseconds, message.text,
                message.product, message.replyTo, message.seen, message.key?.text,
            ]
        )
    }

    /// The message of a number; nil when there is none.
    package func find(_ n: MessageNumber, in chat: Int64) throws -> MessageEntry? {
        try database.first(
            "SELECT \(Self.columns) FROM messages WHERE chat = ? AND n = ?",
            [chat, n],
            Self.entry
        )
    }

    /// At most `limit` messages before number `before`, newest first.
    package func page(of chat: Int64, before: MessageNumber, limit: Int) throws -> [MessageEntry] {
        try database.all(
            "SELECT \(Self.columns) FROM messages WHERE chat = ? AND n < ? ORDER BY n DESC LIMIT ?",
            [chat, before, limit],
            Self.entry
        )
    }

    /// At most `limit` messages after number `after`, oldest first.
    package func page(of chat: Int64, after: MessageNumber, limit: Int) throws -> [MessageEntry] {
        try database.all(
            "SELECT \(Self.columns) FROM messages WHERE chat = ? AND n > ? ORDER BY n LIMIT ?",
            [chat, after, limit],
            Self.entry
        )
    }

    /// Messages behind number `after` that `user` did not write.
    package func countOthers(of chat: Int64, after: MessageNumber, than user: StreamID) throws -> Int64 {
        try database.number(
            "SELECT count(*) FROM messages WHERE chat = ? AND n > ? AND author <> ?",
            [chat, after, user.value]
        )
    }

    /// Recommendations of others to `user` in `range` that are not yet seen.
    package func unseenRecommendations(
        of chat: Int64,
        in range: ClosedRange<MessageNumber>,
        to user: StreamID
    ) throws -> [MessageEntry] {
        try database.all(
            """
            SELECT \(Self.columns) FROM messages
            WHERE chat = ? AND n BETWEEN ? AND ? AND seen = 0 AND author <> ? ORDER BY n
            """,
            [chat, range.lowerBound, range.upperBound, user.value],
            Self.entry
        )
    }

    /// The recommendation of number `n` is seen.
    package func setSeen(_ n: MessageNumber, in chat: Int64) throws {
        try database.run("UPDATE messages SET seen = 1 WHERE chat = ? AND n = ?", [chat, n])
    }

    private static func entry(_ row: Columns) throws -> MessageEntry {
        let key: String? = try row.optional(8)
        return MessageEntry(
            n: try row[0],
            position: try Position(row[1]),
            author: try StreamID(row[2]),
            at: try Timestamp(milliseconds: row[3]),
            text: try row.optional(4),
            product: try row.optional(5),
            replyTo: try row.optional(6),
            key: key.flatMap(WriteKey.init),
            seen: try row.optional(7)
        )
    }
}
