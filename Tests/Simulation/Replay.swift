import ClientProtocol
import JSON
import Model

/// The state that follows from a user's events alone, computed as a client would that trusts nobody.
/// - Confinement: any
struct Replay {
    struct Message {
        let n: Int64
        let seq: Int64
        let from: String
        let body: JSONValue
    }

    struct Notification {
        let id: String
        let seq: Int64
        /// The topics of its audience; nearly always one.
        let topics: [String]
        let kind: String
        fileprivate(set) var title: String
        fileprivate(set) var data: JSONValue
    }

    let user: String
    private(set) var messages: [String: [Message]] = [:]
    /// Numbers of messages that were deleted, by chat.
    private var deleted: [String: Set<Int64>] = [:]
    /// The rooms of the user.
    private(set) var rooms: Set<String> = []
    private(set) var read: [String: Int64] = [:]
    /// The followed topics, and the position since which.
    private(set) var follows: [String: Int64] = [:]
    /// How often a follow of a topic began.
    private(set) var followCount: [String: Int] = [:]
    /// All notifications, including removed ones.
    private(set) var notifications: [Notification] = []
    /// The reasons of removals, by id.
    private(set) var removed: [String: String] = [:]
    private(set) var seenUpTo: Int64 = 0
    /// Single notifications that were seen: a digest that was read and is updated stays read.
    private(set) var seen: Set<String> = []

    init(_ events: [Device.Event], of user: UserID) throws {
        self.user = user.text
        for event in events { try apply(event) }
    }

    /// Applies one more event.
    mutating func apply(_ event: Device.Event) throws {
        let body = event.body
        func text(_ name: String) throws -> String {
            guard let text = body[name]?.stringValue else { throw Broken("an event without \(name): \(body.text)") }
            return text
        }
        func number(_ name: String) throws -> Int64 {
            guard let number = body[name]?.integerValue else { throw Broken("no \(name) in \(body.text)") }
            return number
        }
        switch event.name {
        case .message:
            let message = Message(n: try number("n"), seq: event.seq, from: try text("from"), body: body)
            messages[try text("chat"), default: []].append(message)
        case .messageDeleted: deleted[try text("chat"), default: []].insert(try number("n"))
        case .room where event.people.contains(user): changeMembership(try text("chat"), body["change"])
        case .read where try text("user") == user: read[try text("chat")] = try number("n")
        case .followed:
            follows[try text("topic")] = event.seq
            followCount[try text("topic"), default: 0] += 1
        case .unfollowed: follows[try text("topic")] = nil
        case .notification:
            notifications.append(
                Notification(
                    id: try text("id"), seq: event.seq, topics: try topics(text("topic"), body), kind: try text("kind"),
                    title: try text("title"), data: body["data"] ?? .null))
        case .notificationEdited:
            let id = try text("id")
            guard let place = notifications.lastIndex(where: { $0.id == id }) else { break }
            notifications[place].title = try text("title")
            notifications[place].data = body["data"] ?? .null
        case .notificationRemoved: removed[try text("id")] = try text("reason")
        case .notificationSeen:
            if let ids = body["ids"]?.arrayValue {
                seen.formUnion(ids.compactMap(\.stringValue))
            } else {
                seenUpTo = max(seenUpTo, try number("upTo"))
            }
        default: break
        }
    }

    /// The user enters or leaves a room: what was there before counts no more.
    private mutating func changeMembership(_ room: String, _ change: JSONValue?) {
        switch change {
        case "created", "joined": rooms.insert(room)
        case "left", "removed": rooms.remove(room)
        default: return
        }
        messages[room] = nil
        read[room] = nil
    }

    private func topics(_ first: String, _ body: JSONValue) -> [String] {
        body["topics"]?.arrayValue?.compactMap(\.stringValue) ?? [first]
    }

    /// The notifications that a list would show: those of the inbox, and those since a follow began.
    var visible: [Notification] {
        notifications.filter { entry in
            removed[entry.id] == nil
                && entry.topics.contains { topic in
                    topic == "user:\(user)" || topic == "everyone" || entry.seq > follows[topic, default: .max]
                }
        }
    }

    /// The counts that must be unread.
    var unread: UnreadCounts {
        let chats = messages.count { chat, messages in
            messages.contains {
                $0.from != user && $0.n > read[chat, default: 0] && deleted[chat]?.contains($0.n) != true
            }
        }
        return UnreadCounts(
            chats: Int64(chats), notifications: Int64(visible.count { $0.seq > seenUpTo && !seen.contains($0.id) }))
    }
}
