package import Log
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
    /// The number of its present form; 1 until it is edited or deleted.
    package private(set) var revision: Int64 = 1
    /// When it got its present text; nil for a message that was never edited.
    package private(set) var editedAt: Timestamp?
    /// Position of its newest event `message.edited`, or of `message.deleted`.
    package private(set) var changePosition: Position?
    /// When it was deleted: then text, product and reply are gone.
    package private(set) var deletedAt: Timestamp?
    /// How many reactions it has.
    package private(set) var reactionCount: Int64 = 0

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
package struct MessageTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// Whether a user wrote any of the newest messages of a chat.
    package func hasWritten(_ user: StreamID, in chat: Int64, newest: Int64) throws -> Bool {
        try access.number(
            """
            SELECT EXISTS (SELECT 1 FROM (SELECT author FROM messages WHERE chat = ? ORDER BY n DESC LIMIT ?)
            WHERE author = ?)
            """,
            [chat, newest, user.value]) > 0
    }

    /// The message of a number; nil when there is none.
    package func find(_ n: MessageNumber, in chat: Int64) throws -> MessageEntry? {
        try access.first(
            "SELECT \(MessageEntry.columns) FROM messages WHERE chat = ? AND n = ?",
            [chat, n],
            MessageEntry.init
        )
    }

    /// At most `limit` messages before number `before`, newest first, down to number `first`.
    package func page(
        of chat: Int64, before: MessageNumber, from first: MessageNumber = 1, limit: Int
    ) throws -> [MessageEntry] {
        try access.all(
            "SELECT \(MessageEntry.columns) FROM messages WHERE chat = ? AND n < ? AND n >= ? ORDER BY n DESC LIMIT ?",
            [chat, before, first, limit],
            MessageEntry.init
        )
    }

    /// At most `limit` messages after number `after`, oldest first.
    package func page(of chat: Int64, after: MessageNumber, limit: Int) throws -> [MessageEntry] {
        try access.all(
            "SELECT \(MessageEntry.columns) FROM messages WHERE chat = ? AND n > ? ORDER BY n LIMIT ?",
            [chat, after, limit],
            MessageEntry.init
        )
    }

    /// At most `limit` recommendations of all chats, in the order of their names and numbers. Visits the messages
    /// between.
    package func recommendations(
        after last: (chat: ChatID, n: MessageNumber)?,
        limit: Int
    ) throws -> [(chat: ChatID, n: MessageNumber)] {
        try access.all(
            """
            SELECT chats.name, n FROM chats JOIN messages ON messages.chat = chats.id
            WHERE chats.name >= ?1 AND (chats.name > ?1 OR n > ?2) AND product IS NOT NULL
            ORDER BY chats.name, n LIMIT ?3
            """,
            [last?.chat.text ?? "", last?.n ?? 0, limit]
        ) { row in
            guard let chat = try ChatID(row[0] as String) else { throw StoredValueProblem(place: "chats.name") }
            return try (chat, row[1])
        }
    }

    /// The number of the first message after `position`, of a chat whose newest is number `last`; else `last + 1`.
    ///
    /// Positions ascend with numbers; looks at few messages when few lie after it, and never at more than the logarithm
    /// of all.
    func firstNumber(of chat: Int64, after position: Position, last: MessageNumber) throws -> MessageNumber {
        var above = last + 1
        var below: MessageNumber = last
        var step: MessageNumber = 1
        while below > 0, try isAfter(position, below, in: chat) {
            above = below
            below -= step
            step *= 2
        }
        below = max(0, below)
        while above - below > 1 {
            let middle = below + (above - below) / 2
            if try isAfter(position, middle, in: chat) { above = middle } else { below = middle }
        }
        return above
    }

    private func isAfter(_ position: Position, _ n: MessageNumber, in chat: Int64) throws -> Bool {
        try access.number("SELECT seq FROM messages WHERE chat = ? AND n = ?", [chat, n]) > position.value
    }

    /// The positions of at most `limit` messages from a number on, ascending.
    func positions(of chat: Int64, from n: MessageNumber, limit: Int) throws -> [Position] {
        try access.all(
            "SELECT seq FROM messages WHERE chat = ? AND n >= ? ORDER BY n LIMIT ?",
            [chat, n, limit]
        ) { try $0[0] }
    }

    /// How many messages in a range of numbers somebody else than `user` wrote, without deleted ones. Visits each message
    /// of the range.
    package func countOthers(
        of chat: Int64,
        in range: ClosedRange<MessageNumber>,
        than user: StreamID
    ) throws -> Int64 {
        try access.number(
            """
            SELECT count(*) FROM messages WHERE chat = ? AND n BETWEEN ? AND ? AND author <> ? AND deleted IS NULL
            """,
            [chat, range.lowerBound, range.upperBound, user.value]
        )
    }

    /// How many messages in a range of numbers a user wrote, without deleted ones. Visits each message of the range.
    package func countOwn(
        of chat: Int64, in range: ClosedRange<MessageNumber>, by user: StreamID
    ) throws -> Int64 {
        try access.number(
            "SELECT count(*) FROM messages WHERE chat = ? AND n BETWEEN ? AND ? AND author = ? AND deleted IS NULL",
            [chat, range.lowerBound, range.upperBound, user.value])
    }

    /// The newest message of a chat that is not deleted; nil when there is none.
    package func newest(of chat: Int64) throws -> (n: MessageNumber, author: StreamID)? {
        try access.first(
            "SELECT n, author FROM messages WHERE chat = ? AND deleted IS NULL ORDER BY n DESC LIMIT 1", [chat]
        ) { (try $0[0], try $0[1]) }
    }

    /// The newest message in a range of numbers that somebody else than `user` wrote and that is not deleted; nil when
    /// there is none.
    package func newestOfOthers(
        of chat: Int64,
        in range: ClosedRange<MessageNumber>,
        than user: StreamID
    ) throws -> MessageNumber? {
        try access.value(
            """
            SELECT n FROM messages WHERE chat = ? AND n BETWEEN ? AND ? AND author <> ? AND deleted IS NULL
            ORDER BY n DESC LIMIT 1
            """,
            [chat, range.lowerBound, range.upperBound, user.value]
        )
    }

    /// How many recommendations of `author` the others in a chat have not seen yet, counted up to a limit.
    package func countUnseenRecommendations(of chat: Int64, by author: StreamID, limit: Int) throws -> Int {
        Int(
            try access.number(
                """
                SELECT count(*) FROM (SELECT 1 FROM messages INDEXED BY messages_unseen
                WHERE chat = ? AND author = ? AND seen = 0 LIMIT ?)
                """,
                [chat, author.value, limit]
            )
        )
    }

    /// Recommendations of others to `user` in `range` that are not yet seen.
    package func unseenRecommendations(
        of chat: Int64,
        in range: ClosedRange<MessageNumber>,
        to user: StreamID
    ) throws -> [MessageEntry] {
        try access.all(
            """
            SELECT \(MessageEntry.columns) FROM messages
            WHERE chat = ? AND n BETWEEN ? AND ? AND seen = 0 AND author <> ? ORDER BY n
            """,
            [chat, range.lowerBound, range.upperBound, user.value],
            MessageEntry.init
        )
    }
}

extension MessageTable where Access == WriteAccess {
    /// Adds a message under its number, which must be the next of the chat.
    package func insert(_ message: MessageEntry, in chat: Int64) throws {
        var input = StatementInput(access.subjects.statements.insertMessage, noting: access.recorder)
        input.add(chat)
        input.add(message.n)
        input.add(message.position.value)
        input.add(message.author.value)
        input.add(message.at.milliseconds)
        input.add(message.text)
        input.add(message.product)
        input.add(message.replyTo)
        input.add(message.seen)
        input.add(message.key?.text)
        try input.run()
    }

    /// The recommendation of number `n` is seen.
    package func setSeen(_ n: MessageNumber, in chat: Int64) throws {
        try access.run("UPDATE messages SET seen = 1 WHERE chat = ? AND n = ?", [chat, n])
    }
}

extension MessageEntry {
    private enum Column: Int, ColumnName {
        case n, seq, author, at, text, product, replyTo, seen, key
    }

    /// The columns of changes, which a new message has by default.
    private enum Changed: Int, ColumnName {
        case rev = 9
        case edited, changedSeq, deleted, reactions
    }

    fileprivate static let columns = Column.list() + ", " + Changed.list()

    static let insertSQL = "INSERT INTO messages(chat, \(Column.list())) VALUES (?, \(Column.parameters))"

    fileprivate init(_ row: Columns) throws {
        let key: String? = try row.optional(Column.key)
        n = try row[Column.n]
        position = try row[Column.seq]
        author = try row[Column.author]
        at = try row[Column.at]
        text = try row.optional(Column.text)
        product = try row.optional(Column.product)
        replyTo = try row.optional(Column.replyTo)
        self.key = key.flatMap(WriteKey.init)
        seen = try row.optional(Column.seen)
        revision = try row[Changed.rev]
        editedAt = try row.optional(Changed.edited)
        changePosition = try row.optional(Changed.changedSeq)
        deletedAt = try row.optional(Changed.deleted)
        reactionCount = try row[Changed.reactions]
    }
}
