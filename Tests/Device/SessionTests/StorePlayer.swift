import JSON
import Session
import Testing

/// Plays the inputs of a mirror as `Tests/SessionVectors/README.md` writes them, and writes the changes in the same way.
struct MirrorPlayer {
    private let user: String

    init(_ head: JSONValue) { user = head["configuration"]?["user"]?.stringValue ?? "" }

    /// Plays one input.
    func play(_ input: JSONValue) throws -> [JSONValue] {
        if let event = input["needs"] { return Mirror.needs(of: event).map(Self.written) }
        if let history = input["history"] {
            let asked = history["asked"]
            let page = Mirror.HistoryPage(
                before: asked?["before"]?.integerValue, after: asked?["after"]?.integerValue,
                hasNext: asked?["next"] != nil)
            return Mirror.changes(
                of: try #require(history["chat"]?.objectValue),
                byHistory: (history["messages"]?.arrayValue ?? []).compactMap(\.objectValue), page,
                asOf: try #require(history["asOf"]?.integerValue)
            ).map(Self.written)
        }
        let given = try #require(input["event"])
        let mirror = Mirror(user: user, head: given["head"]?.integerValue ?? 0)
        let rows = try Self.rows(given["rows"])
        return mirror.changes(by: try #require(given["event"]), in: rows).map(Self.written)
    }

    private static func rows(_ value: JSONValue?) throws -> KnownRows {
        var known = KnownRows()
        for (name, value) in value?.objectValue?.members ?? [] {
            let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
            let table = try #require(StoreTable(rawValue: parts[0]))
            if let list = value.arrayValue {
                known.messages[parts[1]] = list.compactMap(\.objectValue)
            } else if let row = value.objectValue {
                let n = table == .messages ? parts[1].split(separator: "/").last.flatMap { Int64($0) } : nil
                let name =
                    table == .messages ? parts[1].split(separator: "/").dropLast().joined(separator: "/") : parts[1]
                known.rows[RowKey(table, name, n: n)] = row
            }
        }
        return known
    }

    private static func written(_ need: RowNeed) -> JSONValue {
        switch need {
        case .row(let key): written(key)
        case .messages(let chat, let after): ["messages", .string(chat), .integer(after)]
        }
    }

    private static func written(_ key: RowKey) -> JSONValue {
        let name: JSONValue = key.n.map { [.string(key.name), .integer($0)] } ?? .string(key.name)
        return [.string(key.table.rawValue), name]
    }

    private static func written(_ change: StoreChange) -> JSONValue {
        switch change {
        case .put(let table, let row): ["put": [.string(table.rawValue), .object(row)]]
        case .delete(let key): ["delete": written(key)]
        case .deleteMessages(let chat, _): ["deleteMessages": .string(chat)]
        case .moveMessages(let chat, let name): ["moveMessages": [.string(chat), .string(name)]]
        case .clear(let table): ["clear": .string(table.rawValue)]
        case .keep(let entry): ["keepEntry": .string(entry.key)]
        case .remove(let key): ["removeEntry": .string(key)]
        }
    }
}

/// Plays the inputs of an overlay in the same way.
struct OverlayPlayer {
    private let user: String
    private var items: [JSONObject] = []

    init(_ head: JSONValue) { user = head["configuration"]?["user"]?.stringValue ?? "" }

    /// Plays one input.
    mutating func play(_ input: JSONValue) throws -> [JSONValue] {
        let show = try #require(input["show"])
        let overlay = Overlay(user: user, entries: try (show["entries"]?.arrayValue ?? []).map(OutboxPlayer.entry))
        let context = show["context"] ?? [:]
        let rows = (show["rows"]?.arrayValue ?? []).compactMap(\.objectValue)
        let seenUpTo = context["seenUpTo"]?.integerValue ?? 0
        let next: [JSONObject]
        switch show["list"]?.stringValue {
        case "messages": next = overlay.messages(rows, of: context["chat"]?.stringValue ?? "")
        case "chats": next = overlay.chats(rows)
        case "inbox": next = overlay.inbox(rows, seenUpTo: seenUpTo, now: context["now"]?.stringValue ?? "")
        case "topics": next = overlay.topics(rows)
        case "invitations": next = overlay.invitations(rows, now: context["now"]?.stringValue ?? "")
        case "documents":
            next = overlay.documents(
                rows, at: context["path"]?.stringValue ?? "", isCollection: context["isCollection"]?.boolValue ?? false)
        case "unread":
            let chats = (context["chats"]?.arrayValue ?? []).compactMap(\.objectValue)
            let inbox = (context["inbox"]?.arrayValue ?? []).compactMap(\.objectValue)
            let counts = show["rows"] ?? [:]
            return [["value": overlay.unread(counts, chats: chats, inbox: inbox, seenUpTo: seenUpTo)]]
        case "preferences": return [["value": overlay.preferences(show["rows"] ?? [:])]]
        case let list:
            Issue.record("an unknown list: \(list ?? "none")")
            return []
        }
        let steps = ListChange.steps(from: items, to: next, user: user)
        items = next
        return [["items": .array(next.map { .object($0) })], ["changes": .array(steps.map(Self.written))]]
    }

    private static func written(_ change: ListChange) -> JSONValue {
        let (kind, item, index, from): (JSONValue, JSONObject, Int, Int?) =
            switch change {
            case .add(let item, let index): ("add", item, index, nil)
            case .change(let item, let index): ("change", item, index, nil)
            case .remove(let item, let index): ("remove", item, index, nil)
            case .move(let item, let from, let index): ("move", item, index, from)
            }
        var value: JSONValue = ["kind": kind, "index": .integer(Int64(index)), "item": .object(item)]
        value["from"] = from.map { .integer(Int64($0)) }
        return value
    }
}
