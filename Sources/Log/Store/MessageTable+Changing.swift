import Log
package import Model

// Changes of a message that is there. Each leaves the entry of the message in the log without a body, so that everybody
// who reads the log from now on gets the message as it is.
extension MessageTable where Access == WriteAccess {
    /// The text of a message is another one.
    ///
    /// - Parameters:
    ///   - before: the message until now; its text is kept among the past ones.
    ///   - position: of the event `message.edited`, the only event from now on that contains the new text.
    package func edit(
        _ before: MessageEntry, in chat: Int64, text: String, at now: Timestamp, position: Position
    ) throws {
        try keepPast(before, in: chat, at: now)
        try access.run(
            "UPDATE messages SET text = ?, rev = rev + 1, edited = ?, changed_seq = ? WHERE chat = ? AND n = ?",
            [text, now.milliseconds, position.value, chat, before.n])
        try setChanged(before)
    }

    /// A message is deleted: text, product, reply and reactions go, and a recommendation waits no longer to be seen.
    ///
    /// - Parameters:
    ///   - before: the message until now; its text is kept among the past ones.
    ///   - position: of the event `message.deleted`.
    package func delete(_ before: MessageEntry, in chat: Int64, at now: Timestamp, position: Position) throws {
        try keepPast(before, in: chat, at: now)
        try access.run(
            """
            UPDATE messages SET text = NULL, product = NULL, reply_to = NULL, seen = NULL, rev = rev + 1, deleted = ?,
            changed_seq = ?, reactions = 0 WHERE chat = ? AND n = ?
            """,
            [now.milliseconds, position.value, chat, before.n])
        try setChanged(before)
        if before.reactionCount > 0 { try ReactionTable(access: access).deleteAll(from: before.n, in: chat) }
    }

    /// The number of reactions to a message changes by one.
    func addReactions(_ difference: Int64, to n: MessageNumber, in chat: Int64) throws {
        try access.run(
            "UPDATE messages SET reactions = reactions + ? WHERE chat = ? AND n = ?", [difference, chat, n])
        try access.run(
            "UPDATE changes SET body = NULL WHERE seq = (SELECT seq FROM messages WHERE chat = ? AND n = ?)",
            [chat, n])
    }

    /// Takes the body from the entry of a message, and the text from its event `message.edited`.
    private func setChanged(_ message: MessageEntry) throws {
        try access.run("UPDATE changes SET body = NULL WHERE seq = ?", [message.position.value])
        guard let edit = message.changePosition else { return }
        try access.run(
            "UPDATE changes SET body = json_remove(body, '$.text', '$.product') WHERE seq = ? AND body IS NOT NULL",
            [edit.value])
    }

    private func keepPast(_ message: MessageEntry, in chat: Int64, at now: Timestamp) throws {
        try access.run(
            "INSERT INTO past_messages(chat, n, rev, at, text, product) VALUES (?, ?, ?, ?, ?, ?)",
            [chat, message.n, message.revision, now.milliseconds, message.text, message.product])
    }

    /// When the oldest text that is kept was replaced or taken; nil when there is none.
    package func oldestPast() throws -> Timestamp? { try access.value("SELECT min(at) FROM past_messages") }
}

/// A text that a message had before an edit or its deletion.
///
/// - Confinement: any
package struct PastMessage: Sendable, Hashable {
    package let revision: Int64
    /// When it was replaced or taken.
    package let at: Timestamp
    package let text: String?
    /// The JSON of the recommended product.
    package let product: String?
}

extension MessageTable {
    /// The newest earlier texts of a message that are still kept, the oldest of them first. For reports alone.
    package func past(of n: MessageNumber, in chat: Int64, newest limit: Int) throws -> [PastMessage] {
        try access.all(
            """
            SELECT rev, at, text, product FROM past_messages WHERE chat = ? AND n = ? ORDER BY rev DESC LIMIT ?
            """,
            [chat, n, limit]
        ) { row in
            try PastMessage(revision: row[0], at: row[1], text: row.optional(2), product: row.optional(3))
        }.reversed()
    }

    /// How many earlier texts of a message are still kept. It looks at the first and the last of them: there may be
    /// thousands.
    package func pastCount(of n: MessageNumber, in chat: Int64) throws -> Int64 {
        try access.number(
            """
            SELECT coalesce((SELECT max(rev) FROM past_messages WHERE chat = ?1 AND n = ?2)
            - (SELECT min(rev) FROM past_messages WHERE chat = ?1 AND n = ?2) + 1, 0)
            """,
            [chat, n])
    }
}
