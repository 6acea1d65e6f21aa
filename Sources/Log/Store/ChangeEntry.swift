package import Log
package import Model

/// One entry of the log as a reader gets it.
///
/// - Confinement: any
package struct ChangeEntry: Sendable {
    package let position: Position
    package let content: Content

    /// An event is stored as its bytes, or as a notification, whose bytes depend on the reader's language, or as a message
    /// that was changed since.
    package enum Content: Sendable {
        case event(String)
        /// Also one that was taken away since: a connected session got it as well, and then its removal.
        case notification(NotificationEntry)
        /// A message that has been edited, deleted or reacted to: its reader gets it as it is now.
        case message(MessageNumber, chat: Int64)
    }
}

extension ChangeLog {
    /// The entry at a position.
    ///
    /// - Throws: `StoredValueProblem` when there is none, or its notification is not there.
    package func entry(at position: Position) throws -> ChangeEntry {
        if let body: String = try access.value("SELECT body FROM changes WHERE seq = ?", [position.value]) {
            return ChangeEntry(position: position, content: .event(body))
        }
        if let entry = try NotificationTable(access: access).findWritten(at: position) {
            return ChangeEntry(position: position, content: .notification(entry))
        }
        let message = try access.first(
            "SELECT stream, n FROM changes WHERE seq = ? AND n IS NOT NULL", [position.value]
        ) { row -> (stream: StreamID, n: MessageNumber) in try (row[0], row[1]) }
        guard let message, case .chat(let chat) = message.stream.kind else {
            throw StoredValueProblem(place: "changes.body, seq \(position)")
        }
        return ChangeEntry(position: position, content: .message(message.n, chat: chat))
    }
}
