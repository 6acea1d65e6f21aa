package import Model

/// The receivers of a notification.
///
/// - Confinement: any
package enum Audience: Sendable, Hashable, CustomStringConvertible {
    case user(UserID)
    case followers(Topic)
    case chat(ChatID)
    case everyone
    /// The union of at least two different audiences of the other kinds; each person gets the notification once. Made
    /// by ``init(all:)``.
    indirect case several([Audience])

    /// The union of one or more audiences: repeated ones count once, and `everyone` absorbs all others.
    package init(all audiences: [Audience]) {
        var known: Set<Audience> = []
        let different = audiences.filter { known.insert($0).inserted }
        self = known.contains(.everyone) ? .everyone : different.count == 1 ? different[0] : .several(different)
    }

    /// The audiences of the union; an audience that is no union is its own only part.
    package var parts: [Audience] {
        if case .several(let audiences) = self { audiences } else { [self] }
    }

    /// The form of the trigger table: `user:alice`, `followers:person:525`, `chat:alice:bob`, `everyone`; the parts of
    /// a union are separated by commas.
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
