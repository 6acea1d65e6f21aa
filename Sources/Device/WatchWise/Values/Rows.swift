import JSON
import Session

/// A value that a list shows, made of a row of the store.
protocol ListItem: Sendable, Hashable {
    /// Nil when the row lacks a member.
    init?(_ row: JSONObject)
}

extension JSONValue {
    /// A list of texts.
    static func strings(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

    /// The objects of a member that is a list; none when it is missing.
    func rows(_ name: String) -> [JSONObject] { (self[name]?.arrayValue ?? []).compactMap(\.objectValue) }
}

/// How far a write has come that a list shows already.
/// - Confinement: any
public enum Pending: String, Sendable, Hashable {
    case queued, sent
    /// Nobody knows whether it was done: the application decides, see ``Outbox``.
    case uncertain
    /// A write before it on its document was refused.
    case blocked
    case failed

    init?(_ row: JSONObject) {
        guard let pending = row.string("pending").flatMap(Pending.init(rawValue:)) else { return nil }
        self = pending
    }
}

/// A product that is recommended: a film, a series.
/// - Confinement: any
public struct Product: Sendable, Hashable {
    /// For example `movie/603`.
    public var id: String
    public var title: String?
    public var year: Int64?
    public var poster: String?

    public init(id: String, title: String? = nil, year: Int64? = nil, poster: String? = nil) {
        self.id = id
        self.title = title
        self.year = year
        self.poster = poster
    }

    init?(_ value: JSONValue?) {
        guard let value, let id = value["id"]?.stringValue else { return nil }
        self.init(
            id: id, title: value["title"]?.stringValue, year: value["year"]?.integerValue,
            poster: value["poster"]?.stringValue)
    }

    var json: JSONValue {
        var object: JSONObject = ["id": .string(id)]
        object["title"] = title.map { .string($0) }
        object["year"] = year.map { .integer($0) }
        object["poster"] = poster.map { .string($0) }
        return .object(object)
    }
}

/// A message of a chat.
/// - Confinement: any
public struct Message: Sendable, Hashable {
    /// A reaction of one kind.
    /// - Confinement: any
    public struct Reaction: Sendable, Hashable {
        public let emoji: String
        public let count: Int64
        /// Whether this user is among them.
        public let isMine: Bool
    }

    public let chat: String
    /// Its number in the chat; nil as long as it waits.
    public let n: Int64?
    public let from: String
    /// The server's time (RFC 3339).
    public let at: String?
    /// The key of the write, for one's own.
    public let key: String?
    public let text: String?
    public let product: Product?
    public let replyTo: Int64?
    public let editedAt: String?
    public let isDeleted: Bool
    public let reactions: [Reaction]
    /// Nil when the server has it as it is shown.
    public let pending: Pending?
    /// Why it was refused.
    public let error: WatchWiseError?
}

extension Message: ListItem {
    init?(_ row: JSONObject) {
        guard let chat = row.string("chat"), let from = row.string("from") else { return nil }
        self.chat = chat
        self.from = from
        n = row["n"]?.integerValue
        at = row.string("at")
        key = row.string("key")
        text = row.string("text")
        product = Product(row["product"])
        replyTo = row["replyTo"]?.integerValue
        editedAt = row.string("editedAt")
        isDeleted = row.isTrue("deleted")
        reactions = (row["reactions"]?.arrayValue ?? []).compactMap(\.objectValue).map {
            Reaction(emoji: $0.string("emoji") ?? "", count: $0.integer("count"), isMine: $0.isTrue("mine"))
        }
        pending = Pending(row)
        error = row["error"].flatMap { $0.isNull ? nil : WatchWiseError($0) }
    }
}

/// A chat of two people, or a room.
/// - Confinement: any
public struct ChatItem: Sendable, Hashable {
    public let chat: String
    /// The other person; nil in a room.
    public let with: String?
    /// The title of a room.
    public let title: String?
    /// `owner`, `moderator` or `member` in a room.
    public let role: String?
    public let members: Int64?
    /// The profile of the other person.
    public let profile: AnyJSON?
    public let last: Message?
    public let unread: Int64
    /// This user has read up to here.
    public let read: Int64
    /// The other person has read up to here.
    public let peerRead: Int64
    /// The other person's devices have everything up to here.
    public let delivered: Int64
    public let isMuted: Bool
    public let isArchived: Bool
}

extension ChatItem: ListItem {
    init?(_ row: JSONObject) {
        guard let chat = row.string("chat") else { return nil }
        self.chat = chat
        with = row.string("with")
        title = row.string("title")
        role = row.string("role")
        members = row["members"]?.integerValue
        profile = row["profile"].map(AnyJSON.init)
        last = row["last"]?.objectValue.flatMap(Message.init)
        unread = row.integer("unread")
        read = row.integer("read")
        peerRead = row.integer("peerRead")
        delivered = row.integer("delivered")
        isMuted = row.isTrue("muted")
        isArchived = row.isTrue("archived")
    }
}

/// A notification of the inbox.
/// - Confinement: any
public struct InboxItem: Sendable, Hashable {
    public let id: String
    public let seq: Int64
    public let kind: String
    /// `passive`, `active`, `time-sensitive` or `critical`.
    public let level: String
    public let title: String
    public let body: String
    public let data: AnyJSON
    public let topic: String
    /// The server's time (RFC 3339).
    public let at: String
    public let isSeen: Bool
}

extension InboxItem: ListItem {
    init?(_ row: JSONObject) {
        guard let id = row.string("id") else { return nil }
        self.id = id
        seq = row.integer("seq")
        kind = row.string("kind") ?? ""
        level = row.string("level") ?? "active"
        title = row.string("title") ?? ""
        body = row.string("body") ?? ""
        data = AnyJSON(row["data"] ?? [:])
        topic = row.string("topic") ?? ""
        at = row.string("at") ?? ""
        isSeen = row.isTrue("seen")
    }
}

/// A topic that the user follows.
/// - Confinement: any
public struct FollowedTopic: Sendable, Hashable {
    /// For example `person:525`.
    public let topic: String
    public let pending: Pending?
}

extension FollowedTopic: ListItem {
    init?(_ row: JSONObject) {
        guard let topic = row.string("topic") else { return nil }
        self.topic = topic
        pending = Pending(row)
    }
}

/// How much is unread: the server's counts, less what waiting writes take; never more.
/// - Confinement: any
public struct UnreadCount: Sendable, Hashable {
    /// Chats with something unread.
    public let chats: Int64
    public let notifications: Int64
}

extension UnreadCount: ListItem {
    init?(_ row: JSONObject) {
        chats = row.integer("chats")
        notifications = row.integer("notifications")
    }
}
