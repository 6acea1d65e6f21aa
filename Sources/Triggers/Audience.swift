package import Model

/// Who gets a notification.
///
/// - Confinement: any
package enum Audience: Sendable, Hashable, CustomStringConvertible {
    case user(UserID)
    case followers(Topic)
    case chat(ChatID)
    case everyone

    /// The form of the trigger table: `user:alice`, `followers:person:525`, `chat:alice:bob`, `everyone`.
    package var description: String {
        switch self {
        case .user(let user): "user:\(user.text)"
        case .followers(let topic): "followers:\(topic.text)"
        case .chat(let chat): "chat:\(chat.text)"
        case .everyone: "everyone"
        }
    }
}
