package import Model
import Store
import Triggers

/// The audience of a broadcast.
///
/// - Confinement: any
package enum BroadcastAudience: Sendable, Hashable {
    case everyone
    case followers(Topic)
    case user(UserID)

    /// Reads `everyone`, `user:ID` or a topic; nil for all other texts.
    package init?(_ text: String) {
        if text == "everyone" {
            self = .everyone
        } else if let topic = Topic(text) {
            self = topic.user.map { .user($0) } ?? .followers(topic)
        } else {
            return nil
        }
    }

    package var text: String {
        switch self {
        case .everyone: "everyone"
        case .followers(let topic): topic.text
        case .user(let user): Topic(user: user).text
        }
    }

    var audience: Audience {
        switch self {
        case .everyone: .everyone
        case .followers(let topic): .followers(topic)
        case .user(let user): .user(user)
        }
    }

    /// The number of people that it reaches, now or when they next connect.
    func size(in transaction: Transaction) throws -> Int64 {
        switch self {
        case .everyone: try transaction.users.count()
        case .followers(let topic): try transaction.streams.find(topic)?.followers ?? 0
        case .user(let user): try transaction.users.number(of: user) == nil ? 0 : 1
        }
    }
}
