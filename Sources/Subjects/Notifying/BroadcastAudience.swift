package import Model
import Store
import Triggers

/// The audience of a broadcast.
///
/// - Confinement: any
package enum BroadcastAudience: Sendable, Hashable {
    case everyone
    /// Those who have a session when it is sent, on any node.
    case online
    case followers(Topic)
    case user(UserID)

    /// Reads `everyone`, `online`, `user:ID` or a topic; nil for all other texts.
    package init?(_ text: String) {
        switch text {
        case "everyone": self = .everyone
        case "online": self = .online
        default:
            guard let topic = Topic(text) else { return nil }
            self = topic.user.map { .user($0) } ?? .followers(topic)
        }
    }

    package var text: String {
        switch self {
        case .everyone: "everyone"
        case .online: "online"
        case .followers(let topic): topic.text
        case .user(let user): Topic(user: user).text
        }
    }

    /// The audience of its row; those who are online have none.
    var audience: Audience {
        switch self {
        case .everyone, .online: .everyone
        case .followers(let topic): .followers(topic)
        case .user(let user): .user(user)
        }
    }

    /// The number of people that it reaches, now or when they next connect.
    ///
    /// - Parameter online: how many are online.
    func size(in transaction: Transaction, online: Int = 0, at now: Timestamp) throws -> Int64 {
        switch self {
        case .everyone: try AudienceReading.sizeOfEveryone(in: transaction, at: now)
        case .online: Int64(online)
        case .followers(let topic): try transaction.streams.find(topic)?.followers ?? 0
        case .user(let user): try transaction.users.number(of: user) == nil ? 0 : 1
        }
    }
}
