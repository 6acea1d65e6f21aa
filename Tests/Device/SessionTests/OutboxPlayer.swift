import JSON
import Session
import Testing

/// Plays the inputs of an outbox as `Tests/SessionVectors/README.md` writes them, and writes the actions in the same way.
struct OutboxPlayer {
    private(set) var outbox: Outbox

    init(_ head: JSONValue) {
        let given = head["configuration"] ?? [:]
        var configuration = OutboxConfiguration(user: given["user"]?.stringValue ?? "")
        configuration.asksAboutConflicts = given["onConflict"]?.boolValue ?? false
        configuration.lanesMax = Int(given["lanesMax"]?.integerValue ?? 16)
        configuration.entriesMax = Int(given["entriesMax"]?.integerValue ?? 1000)
        configuration.bytesMax = Int(given["bytesMax"]?.integerValue ?? 8 << 20)
        configuration.backoff = Backoff(
            baseMilliseconds: given["baseMs"]?.integerValue ?? 500,
            capMilliseconds: given["capMs"]?.integerValue ?? 30_000)
        outbox = Outbox(configuration, chance: Chance((head["random"]?.arrayValue ?? []).map { $0.numberValue ?? 0 }))
    }

    /// Plays one input.
    mutating func play(_ input: JSONValue, at now: Int64) throws -> [JSONValue] {
        let (name, value) = try #require(input.objectValue?.members.first.map { ($0.name, $0.value) })
        let key = value["key"]?.stringValue ?? value.stringValue ?? ""
        switch name {
        case "restored":
            let entries = try (value["entries"]?.arrayValue ?? []).map(Self.entry)
            outbox.restore(entries, isForeign: value["isForeign"]?.boolValue ?? false)
        case "write":
            let command = try #require(value["command"]?.objectValue)
            outbox.write(key, command, base: WriteEntry.Version(value["base"]), at: now)
        case "added": outbox.added(try Self.entry(value))
        case "kept":
            let order = try #require(value["order"]?.integerValue)
            outbox.kept(key, order: order, isDurable: value["durable"]?.boolValue ?? true)
        case "removed": outbox.removed(key)
        case "live": outbox.live(time: try #require(value["time"]?.integerValue), at: now)
        case "offline": outbox.offline(value == true ? nil : SessionPlayer.end(value))
        case "limits": if let most = value["messageBytes"]?.integerValue { outbox.limits(messageBytes: most) }
        case "reset": outbox.reset()
        case "event": outbox.receive(value)
        case "preferences": outbox.fetched(preferences: value)
        case "reply":
            if let ok = value["ok"] {
                outbox.reply(key, .success(ok), at: now)
            } else if let error = value["error"] {
                outbox.reply(key, .failure(WriteRefusal(error)), at: now)
            } else {
                outbox.lost(key)
            }
        case "retry": outbox.retry(key)
        case "discard": outbox.discard(key)
        case "cancel": outbox.cancel(key)
        case "resolve":
            switch value["choice"] {
            case "mine": outbox.resolve(key, .mine)
            case "theirs": outbox.resolve(key, .theirs)
            case let choice: outbox.resolve(key, .data(choice?["data"] ?? .null))
            }
        case "tick": break
        default: Issue.record("an unknown input: \(name)")
        }
        return outbox.takeActions(at: now).map(Self.written)
    }

    /// An entry as the vectors write it.
    static func entry(_ value: JSONValue) throws -> WriteEntry { try #require(WriteEntry(value)) }

    // MARK: Writing

    private static func written(_ action: OutboxAction) -> JSONValue {
        switch action {
        case .keep(let entry): ["keep": .object(entry.json)]
        case .save(let entry): ["save": .object(entry.json)]
        case .remove(let key): ["remove": .string(key)]
        case .kept(let key, let isDurable): ["kept": ["key": .string(key), "durable": .bool(isDurable)]]
        case .send(let key, let command): ["send": ["key": .string(key), "command": .object(command)]]
        case .done(let key, let ok): ["done": ["key": .string(key), "ok": ok]]
        case .ended(let key, let error): ["done": ["key": .string(key), "error": error]]
        case .refused(let key, let error): ["refused": ["key": .string(key), "error": error]]
        case .merged(let key, let other): ["merged": ["key": .string(key), "into": .string(other)]]
        case .renamed(let key, let other): ["renamed": ["key": .string(key), "to": .string(other)]]
        case .conflict(let key, let mine, let base, let current):
            [
                "conflict": [
                    "key": .string(key), "path": mine["path"] ?? .null, "mine": .object(mine),
                    "base": base?.json ?? .null, "current": current.json,
                ]
            ]
        }
    }
}
