import Log
package import Model

// A chat comes back by itself with its next message: the position at which it was put away is before it then.
extension ChatTable {
    /// Whether a user has put a chat away, and nobody has written since.
    package func isArchived(_ chat: ChatEntry, by user: StreamID) throws -> Bool {
        try access.number(
            "SELECT count(*) FROM archived_chats WHERE user = ? AND chat = ? AND seq > ?",
            [user.value, chat.id, chat.lastPosition.value]) > 0
    }
}

extension ChatTable where Access == WriteAccess {
    /// A user puts a chat away.
    ///
    /// - Parameter position: of the event.
    package func archive(_ chat: Int64, by user: StreamID, at position: Position) throws {
        try access.run(
            "INSERT OR REPLACE INTO archived_chats(user, chat, seq) VALUES (?, ?, ?)",
            [user.value, chat, position.value])
    }

    /// A user takes a chat back.
    package func unarchive(_ chat: Int64, by user: StreamID) throws {
        try access.run("DELETE FROM archived_chats WHERE user = ? AND chat = ?", [user.value, chat])
    }
}
