import JSON
import Session

/// The name of rows that changed, for the lists that show them.
enum ChangedName: Sendable, Hashable {
    case chats, inbox, topics, outbox, state, everything
    /// The messages of a chat.
    case chat(String)
    case document(String)
    case note(String)
}

/// A change of the store, as the lists of all processes hear of it: names, and the keys of rows.
///
/// ```swift
/// var changes: Changes = [.state]
/// changes.add(.put(.messages, message))
/// changes[.chat("room:1")]  // the key of that message
/// ```
struct Changes: Sendable, Equatable, ExpressibleByArrayLiteral {
    /// The rows of one name that changed.
    enum Keys: Sendable, Equatable {
        case all
        case only(Set<RowKey>)
    }

    private(set) var byName: [ChangedName: Keys] = [:]

    init() {}
    /// Of each name all rows may be others.
    init(arrayLiteral names: ChangedName...) { for name in names { add(name) } }

    var isEmpty: Bool { byName.isEmpty }
    /// Nil when no row of the name changed.
    subscript(name: ChangedName) -> Keys? { byName[name] }
    func has(_ name: ChangedName) -> Bool { byName[name] != nil }

    /// Whether a row may have changed.
    func hasRow(_ name: ChangedName, _ key: RowKey) -> Bool {
        switch byName[name] {
        case nil: false
        case .all: true
        case .only(let keys): keys.contains(key)
        }
    }

    /// Adds a row; without a key all rows of the name may be others.
    mutating func add(_ name: ChangedName, _ key: RowKey? = nil) {
        guard let key else {
            byName[name] = .all
            return
        }
        switch byName[name] {
        case nil: byName[name] = .only([key])
        case .all: break
        case .only(var keys):
            byName[name] = nil  // so that the set is not copied
            keys.insert(key)
            byName[name] = .only(keys)
        }
    }

    /// Adds the rows that a change of the store touches.
    mutating func add(_ change: StoreChange) {
        switch change {
        case .put(let table, let row): add(RowKey(table, of: row))
        case .delete(let key): add(key)
        case .deleteMessages(let chat, _): add(.chat(chat))
        case .moveMessages, .clear: add(.everything)
        case .keep, .remove: add(.outbox)
        }
    }

    private mutating func add(_ key: RowKey) {
        switch key.table {
        case .meta: add(.note(key.name))
        case .chats: add(.chats, key)
        case .messages: add(.chat(key.name), key)
        case .inbox: add(.inbox, key)
        case .documents: add(.document(key.name))
        case .topics: add(.topics, key)
        case .outbox: add(.outbox)
        case .watches: break
        }
    }

    /// Adds those of another change.
    mutating func add(_ other: Changes) {
        for (name, keys) in other.byName {
            switch keys {
            case .all: add(name)
            case .only(let keys): for key in keys { add(name, key) }
            }
        }
    }
}

/// As the store notes them for other processes.
extension Changes {
    /// More keys than this are not noted: a list reads all of its rows then.
    private static let keysMax = 500

    /// An object of the keys by name; null stands for all.
    var json: JSONValue {
        .object(JSONObject(byName.map { (name: Self.text(of: $0), value: Self.json(of: $1)) }))
    }

    /// - Returns: nil when a later version of the library has written it.
    init?(_ value: JSONValue) {
        for (text, keys) in value.objectValue?.members ?? [] {
            guard let name = Self.name(of: text) else { return nil }
            if keys.isNull { add(name) }
            for key in keys.arrayValue ?? [] {
                switch name {
                case .chat(let chat): add(name, RowKey(.messages, chat, n: key.integerValue ?? 0))
                case .chats: add(name, RowKey(.chats, key.stringValue ?? ""))
                case .inbox: add(name, RowKey(.inbox, key.stringValue ?? ""))
                case .topics: add(name, RowKey(.topics, key.stringValue ?? ""))
                case .document, .note, .outbox, .state, .everything: add(name)
                }
            }
        }
    }

    private static func json(of keys: Keys) -> JSONValue {
        guard case .only(let keys) = keys, keys.count <= keysMax else { return .null }
        return .array(keys.map { key in key.n.map { .integer($0) } ?? .string(key.name) })
    }

    private static func text(of name: ChangedName) -> String {
        switch name {
        case .chats: "chats"
        case .inbox: "inbox"
        case .topics: "topics"
        case .outbox: "outbox"
        case .state: "state"
        case .everything: "everything"
        case .chat(let chat): "chat/\(chat)"
        case .document(let path): "document/\(path)"
        case .note(let note): "note/\(note)"
        }
    }

    private static func name(of text: String) -> ChangedName? {
        let plain: [String: ChangedName] = [
            "chats": .chats, "inbox": .inbox, "topics": .topics, "outbox": .outbox, "state": .state,
            "everything": .everything,
        ]
        if let name = plain[text] { return name }
        guard let slash = text.firstIndex(of: "/") else { return nil }
        let rest = String(text[text.index(after: slash)...])
        switch text[..<slash] {
        case "chat": return .chat(rest)
        case "document": return .document(rest)
        case "note": return .note(rest)
        default: return nil
        }
    }
}
