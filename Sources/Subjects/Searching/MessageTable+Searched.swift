package import Log
package import Model
import Store

/// The parts of a message that are indexed.
///
/// - Confinement: any
package struct SearchedMessage: Sendable {
    package let position: Position
    package let chat: Int64
    package let n: MessageNumber
    package let revision: Int64
    package let text: String?
    /// The title of the recommended product.
    package let title: String?
    package let isDeleted: Bool
}

extension MessageTable {
    /// The next messages of all chats after a place, in the order of chats and numbers.
    package func searched(afterChat chat: Int64, n: MessageNumber, limit: Int) throws -> [SearchedMessage] {
        try access.all(
            "SELECT \(SearchedMessage.columns) FROM messages WHERE (chat, n) > (?, ?) ORDER BY chat, n LIMIT ?",
            [chat, n, limit], SearchedMessage.init)
    }

    /// A message as it is; nil when there is none.
    package func searched(_ n: MessageNumber, in chat: Int64) throws -> SearchedMessage? {
        try access.first(
            "SELECT \(SearchedMessage.columns) FROM messages WHERE chat = ? AND n = ?", [chat, n],
            SearchedMessage.init)
    }

    /// A message as it was in an earlier revision; nil when that is not kept any more.
    package func searched(
        _ message: SearchedMessage, inRevision revision: Int64
    ) throws -> (text: String?, title: String?)? {
        try access.first(
            """
            SELECT text, json_extract(product, '$.title') FROM past_messages WHERE chat = ? AND n = ? AND rev = ?
            """,
            [message.chat, message.n, revision]
        ) { row in try (row.optional(0), row.optional(1)) }
    }
}

/// A message in the log, or an event that changed one.
///
/// - Confinement: any
package struct LoggedMessage: Sendable {
    package let position: Position
    package let chat: Int64
    package let n: MessageNumber
    /// Whether it is an edit or a deletion.
    package let isChange: Bool
}

extension ChangeLog {
    /// The first messages in a range of positions, and edits and deletions of messages.
    package func messages(after position: Position, upTo end: Position, limit: Int) throws -> [LoggedMessage] {
        try access.all(
            """
            SELECT seq, \(StreamSQL.chat), coalesce(n, json_extract(body, '$.n')), n IS NULL FROM changes
            WHERE seq > ? AND seq <= ? AND \(StreamSQL.isChat)
            AND (n IS NOT NULL OR instr(body, '"type":"message.') > 0) ORDER BY seq LIMIT ?
            """,
            [position.value, end.value, limit]
        ) { row in try LoggedMessage(position: row[0], chat: row[1], n: row[2], isChange: row[3]) }
    }
}

extension SearchedMessage {
    fileprivate static let columns = "seq, chat, n, rev, text, json_extract(product, '$.title'), deleted IS NOT NULL"

    fileprivate init(_ row: Columns) throws {
        try self.init(
            position: row[0], chat: row[1], n: row[2], revision: row[3], text: row.optional(4), title: row.optional(5),
            isDeleted: row[6])
    }
}
