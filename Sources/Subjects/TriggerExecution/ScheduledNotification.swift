import Execution
import JSON
import Model
import Notifying
import Store
import Triggers

/// A notification that waits for its time, as the schedule stores it. Its texts were made when the time was set: a
/// later change of the document sets it again.
///
/// - Confinement: any
struct ScheduledNotification {
    private(set) var wanted: NotificationWanted
    /// By the recipients' clocks: recipients whose clock had shown the time by then have got it; nil when nobody has.
    var toldUpTo: Timestamp?
    /// By the recipients' clocks: when the time was first set; nil when that does not matter.
    var setAt: Timestamp?
    /// The user whose write it comes from.
    var writer: StreamID?

    init(_ wanted: NotificationWanted) { self.wanted = wanted }

    /// - Throws: `StoredValueProblem` when the row is damaged.
    init(parsing stored: String, trigger: String) throws {
        let object = try StoredJSON.object(stored, place: "schedules.wanted")
        guard let audience = object["audience"].flatMap(Audience.init(stored:)),
            let level = object["level"]?.stringValue.flatMap(InterruptionLevel.init(rawValue:)),
            let kind = object["kind"]?.stringValue, let texts = object["texts"], let data = object["data"]
        else { throw StoredValueProblem(place: "schedules.wanted") }
        wanted = NotificationWanted(
            trigger: trigger,
            audience: audience,
            kind: kind,
            level: level,
            collapse: object["collapse"]?.stringValue,
            expires: object["expires"]?.integerValue.map(Timestamp.init(milliseconds:)),
            texts: try StoredTexts(parsing: texts.text).texts,
            data: data,
            throttle: try object["throttle"].map { try Throttle(json: $0) },
            alertsOnce: object["alertOnce"]?.boolValue ?? false,
            needsAllMuted: object["mutesAll"]?.boolValue ?? false,
            isOnceAcrossTopics: object["acrossTopics"]?.boolValue ?? false,
            wall: object["wall"]?.integerValue.map(Timestamp.init(milliseconds:)),
            ignoresBlocks: object["ignoresBlocks"]?.boolValue ?? false
        )
        setAt = object["setAt"]?.integerValue.map(Timestamp.init(milliseconds:))
        writer = object["writer"]?.integerValue.map(StreamID.init(stored:))
        toldUpTo = object["toldUpTo"]?.integerValue.map(Timestamp.init(milliseconds:))
    }

    /// The time on each recipient's clock, as though it were UTC; nil when all get it at once.
    var wall: Timestamp? { wanted.wall }

    var audience: Audience { wanted.audience }

    /// The same with other words.
    func saying(texts: Localized<NotificationText>, data: JSONValue) -> ScheduledNotification {
        var same = self
        same.wanted = wanted.saying(texts: texts, data: data)
        return same
    }

    /// The notification to write when it is due.
    func draft(change: Position, path: String) -> NotificationDraft {
        var draft = NotificationDraft(wanted, change: change, path: path)
        draft.writer = writer
        return draft
    }

    var json: String {
        var object: JSONObject = [
            "audience": wanted.audience.stored, "kind": .string(wanted.kind),
            "level": .string(wanted.level.rawValue), "data": wanted.data,
        ]
        object["texts"] = StoredTexts(wanted.texts).jsonValue
        if let collapse = wanted.collapse { object["collapse"] = .string(collapse) }
        if let expires = wanted.expires { object["expires"] = .integer(expires.milliseconds) }
        if let throttle = wanted.throttle { object["throttle"] = throttle.json }
        if wanted.alertsOnce { object["alertOnce"] = true }
        if wanted.needsAllMuted { object["mutesAll"] = true }
        if wanted.isOnceAcrossTopics { object["acrossTopics"] = true }
        if wanted.ignoresBlocks { object["ignoresBlocks"] = true }
        if let wall { object["wall"] = .integer(wall.milliseconds) }
        if let writer { object["writer"] = .integer(writer.value) }
        if let setAt { object["setAt"] = .integer(setAt.milliseconds) }
        if let toldUpTo { object["toldUpTo"] = .integer(toldUpTo.milliseconds) }
        return JSONValue.object(object).text
    }
}

extension Audience {
    fileprivate var stored: JSONValue {
        switch self {
        case .user(let user): .string("user \(user.text)")
        case .followers(let topic): .string("followers \(topic.text)")
        case .chat(let chat): .string("chat \(chat.text)")
        case .everyone: "everyone "
        case .several(let audiences): .array(audiences.map(\.stored))
        }
    }

    fileprivate init?(stored: JSONValue) {
        if let list = stored.arrayValue {
            let audiences = list.compactMap(Audience.init(stored:))
            guard !audiences.isEmpty, audiences.count == list.count else { return nil }
            self.init(all: audiences)
            return
        }
        guard let stored = stored.stringValue else { return nil }
        let parts = stored.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "user": guard let user = UserID(stored: parts[1]) else { return nil }; self = .user(user)
        case "followers": guard let topic = Topic(parts[1]) else { return nil }; self = .followers(topic)
        case "chat": guard let chat = ChatID(parts[1]) else { return nil }; self = .chat(chat)
        case "everyone": self = .everyone
        default: return nil
        }
    }
}
