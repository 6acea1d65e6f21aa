import JSON

/// The rules for each kind of write: its lane, its own event, and the writes that it may become one with.
/// - Confinement: any
enum WriteKind {
    private static let documents: Set = ["put", "patch", "remove"]
    private static let lanes = [
        "follow": "topics", "unfollow": "topics", "block": "people", "unblock": "people", "report": "people",
        "seen": "inbox", "snooze": "inbox",
    ]
    /// A repetition of these changes nothing, or is found out by comparing; of all others only their own event tells.
    private static let repeatable = documents.union([
        "read", "seen", "snooze", "archive", "block", "unblock", "preferences",
    ])
    private static let events = [
        "send": "message", "recommend": "message", "edit": "message.edited", "delete": "message.deleted",
        "react": "reaction", "read": "read", "archive": "archived", "follow": "followed", "unfollow": "unfollowed",
        "block": "blocked", "unblock": "unblocked", "room.decline": "room.uninvited",
        "preferences": "preferences", "put": "document",
        "patch": "document", "remove": "document",
    ]

    private static func type(_ command: JSONObject) -> String { command["type"]?.stringValue ?? "" }

    /// Whether it writes a document; only these hold those after them when they are refused.
    static func isDocument(_ command: JSONObject) -> Bool { documents.contains(type(command)) }

    /// Whether the server does no harm when it does a write twice, also when it has forgotten the key.
    static func isRepeatable(_ command: JSONObject) -> Bool {
        // A message that one person reports twice is one report; of a person there may be a second one when the first is decided.
        repeatable.contains(type(command)) || type(command) == "report" && command["n"] != nil
    }

    static func lane(of command: JSONObject, _ user: String) -> String {
        let type = type(command)
        if documents.contains(type) { return "doc:" + (command["path"]?.stringValue ?? "") }
        if let lane = lanes[type] { return lane }
        if let chat = command["chat"]?.stringValue { return "chat:" + chat }
        if type == "archive" { return "inbox" }
        if let other = command["to"]?.stringValue { return "chat:" + ChatAddress.pair(user, other) }
        return type == "preferences" ? "preferences" : "other"
    }

    /// The `ok` of a write as its own event tells it; nil when the event is of another write. A key is its user's own, so an
    /// event of somebody else with the same key proves nothing.
    static func ok(of command: JSONObject, from event: JSONValue, _ user: String) -> JSONValue? {
        let kind = type(command)
        guard let wanted = events[kind] ?? (kind.hasPrefix("room.") ? "room" : nil),
            event["type"]?.stringValue == wanted
        else { return nil }
        let isMessage = wanted == "message" || wanted == "message.edited"
        let author = isMessage ? event["from"] : event["by"] ?? event["user"]
        let namesAnother = wanted == "blocked" || wanted == "unblocked"
        if let author, author.stringValue != user, !namesAnother { return nil }
        guard command["path"] == event["path"], command["chat"].map({ $0 == event["chat"] }) ?? true else { return nil }
        if wanted == "preferences" { return event["preferences"] }
        let names: [String] =
            switch wanted {
            case "message": ["chat", "n", "seq", "at"]
            case "message.edited": ["seq", "rev"]
            case "document": ["path", "version", "seq", "data"]
            case "room": ["chat", "seq"]
            default: ["seq"]
            }
        return .object(JSONObject(names.compactMap { name in event[name].map { (name: name, value: $0) } }))
    }

    /// The document that a `put` or a `patch` makes of another one.
    static func result(of command: JSONObject, on base: JSONValue) -> JSONValue {
        let data = command["data"] ?? .null
        return command["type"] == "put" ? data : base.merged(with: data)
    }

    /// The command that does what both do; nil when they must stay two.
    static func merged(_ first: JSONObject, _ second: JSONObject) -> JSONObject? {
        guard type(first) == type(second) else { return nil }
        var merged = first
        switch type(first) {
        case "read": merged["n"] = greater(first["n"], second["n"])
        case "seen":
            guard first["upTo"] != nil, second["upTo"] != nil else { return nil }
            merged["upTo"] = greater(first["upTo"], second["upTo"])
        case "preferences":
            guard let one = first["set"]?.objectValue, let other = second["set"]?.objectValue,
                let both = one.composed(with: other)
            else { return nil }
            merged["set"] = .object(both)
        default: return nil
        }
        return merged
    }

    private static func greater(_ one: JSONValue?, _ other: JSONValue?) -> JSONValue {
        .integer(max(one?.integerValue ?? 0, other?.integerValue ?? 0))
    }
}

extension JSONObject {
    /// One merge patch (RFC 7396) that does what this one and then another do; nil when only the two can do it.
    func composed(with second: JSONObject) -> JSONObject? {
        var both = self
        for (name, change) in second.members {
            guard let first = self[name], let inner = change.objectValue else {
                both[name] = change
                continue
            }
            // The first puts something else in place of an object, of which the second would leave members.
            guard let outer = first.objectValue, let composed = outer.composed(with: inner) else { return nil }
            both[name] = .object(composed)
        }
        return both
    }

    /// Whether nothing that this merge patch names differs between the document it was made on and the present one.
    func isUntouched(between base: JSONValue, and current: JSONValue) -> Bool {
        members.allSatisfy { name, change in
            let (before, now) = (base[name], current[name])
            if let inner = change.objectValue, let before, let now, before.objectValue != nil, now.objectValue != nil {
                return inner.isUntouched(between: before, and: now)
            }
            return before == now
        }
    }
}
