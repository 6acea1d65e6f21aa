package import Model

/// Who gets a notification.
///
/// - Confinement: any
package enum Audience: Sendable, Hashable, CustomStringConvertible {
    case user(UserID)
    case followers(Topic)
    case chat(ChatID)
    case everyone
    /// At least two of the others, all different; each person gets it once. Made by ``init(all:)``.
    indirect case several([Audience])

    /// The union of audiences, at least one: what comes twice is there once, and nobody is added to everyone.
    package init(all audiences: [Audience]) {
        var known: Set<Audience> = []
        let different = audiences.filter { known.insert($0).inserted }
        self = known.contains(.everyone) ? .everyone : different.count == 1 ? different[0] : .several(different)
    }

    /// The audiences whose union it is: itself alone, unless it is several.
    package var parts: [Audience] {
        if case .several(let audiences) = self { audiences } else { [self] }
    }

    /// The form of the trigger table: `user:alice`, `followers:person:525`, `chat:alice:bob`, `everyone`; of several with
    /// commas between.
    package var description: String {
        switch self {
        case .user(let user): "user:\(user.text)"
        case .followers(let topic): "followers:\(topic.text)"
        case .chat(let chat): "chat:\(chat.text)"
        case .everyone: "everyone"
        case .several(let audiences): audiences.map(\.description).joined(separator: ", ")
        }
    }
}
