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
    /// The members of a room.
    case room(ChatID)
    /// Those that a document `roles/ROLE/users/USER` gives the role. A role that a token gives is unknown to the server before the
    /// token comes.
    case role(RoleName)
    /// Several of the others together, with exceptions.
    indirect case several(BroadcastScope)

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

    /// Reads a member of a list of audiences: the same, and `room:ID`, `role:NAME`, and `followers:TOPIC` for a topic whose kind is
    /// one of these words; nil for all other texts.
    package init?(ofList text: String) {
        if let topic = Self.rest(of: text, after: "followers:") {
            guard let topic = Topic(topic), topic.user == nil else { return nil }
            self = .followers(topic)
        } else if text.hasPrefix("room:") {
            guard let room = ChatID(text), room.isRoom else { return nil }
            self = .room(room)
        } else if let name = Self.rest(of: text, after: "role:") {
            guard let role = RoleName(name) else { return nil }
            self = .role(role)
        } else {
            self.init(text)
        }
    }

    /// The form of a member of a list, for error messages.
    package static let listForm =
        "everyone, user:ID, room:ID, role:NAME, or a topic such as person:525 (followers:room:7 for a topic of the kind room)"

    private static func rest(of text: String, after prefix: String) -> String? {
        text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
    }

    /// The form in a list.
    var listText: String {
        if case .followers(let topic) = self, ["room", "role", "followers"].contains(topic.kind) {
            return "followers:" + topic.text
        }
        return text
    }

    /// The person; nil for another audience.
    var user: UserID? { if case .user(let user) = self { user } else { nil } }

    /// Whether the single form of a request can name it.
    package var isSingle: Bool {
        switch self {
        case .everyone, .online, .followers, .user: true
        case .room, .role, .several: false
        }
    }

    /// The audiences of one that has several; nil for a single one.
    var scope: BroadcastScope? { if case .several(let scope) = self { scope } else { nil } }

    package var text: String {
        switch self {
        case .everyone: "everyone"
        case .online: "online"
        case .followers(let topic): topic.text
        case .user(let user): Topic(user: user).text
        case .room(let room): room.text
        case .role(let role): "role:" + role.text
        case .several(let scope): scope.text
        }
    }

    /// The audience of its row; those who are online have none, and people with rows of their own are not in it.
    var audience: Audience? {
        switch self {
        case .everyone, .online: .everyone
        case .followers(let topic): .followers(topic)
        case .user(let user): .user(user)
        case .several(let scope): scope.shared
        case .room, .role: nil
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
        case .several(let scope): try ScopePeople(scope, in: transaction).size(in: transaction, at: now)
        case .room, .role: 0
        }
    }
}
