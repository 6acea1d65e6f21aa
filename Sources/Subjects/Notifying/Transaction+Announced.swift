package import Model
import Push
package import Store

extension Transaction {
    /// Whether a notification in a user's inbox is pushed for a message: then the message needs no push of its own.
    ///
    /// Only a notification whose trigger was fired by the message itself counts, as a message or as a recommendation.
    package func isAnnounced(_ n: MessageNumber, of chat: ChatID, to user: StreamID) throws -> Bool {
        try ["recommendations/\(chat.text)-\(n)", "chats/\(chat.text)/messages/\(n)"].contains { path in
            try notifications.live(from: path).contains { entry in
                try entry.stream == user && pushJobs.jobs(about: entry.position).contains { $0.kind != .withdrawal }
            }
        }
    }
}
