import JSON
import Model
import Notifying
import PersonalData
import Store

/// Finds a person where a value stands for a person, and puts the pseudonym in the name's place.
///
/// The place of a value says what it stands for: a member of an event, a column, a level of a path. The same characters
/// elsewhere are a word that others wrote, the id of something else, or a part of a time: they stay.
///
/// - Confinement: any
struct NameTraces {
    let name: UserID
    let pseudonym: UserID

    /// A text in which the person stands in a form that a table declares; free words stay.
    ///
    /// - Parameter names: the members of JSON that may hold people; nil for all that do in events.
    func rewritten(_ text: String, as form: TraceForm, jsonOnly names: Set<String>? = nil) -> String {
        switch form {
        case .user: rewritten(user: text)
        case .path: rewritten(path: text)
        case .chat: rewritten(chat: text)
        case .topic: rewritten(topic: text)
        case .topics: text.split(separator: " ").map { rewritten(topic: String($0)) }.joined(separator: " ")
        case .stream: rewritten(stream: text)
        case .target: rewritten(target: text)
        case .json: rewritten(json: text, only: names) ?? text
        case .writer, .versionOwner, .digestSubject, .words: text
        }
    }

    // MARK: Values

    /// The id of a user.
    func rewritten(user text: String) -> String { text == name.text ? pseudonym.text : text }

    /// A chat of two.
    func rewritten(chat text: String) -> String {
        guard let other = ChatID(text)?.other(than: name) else { return text }
        return ChatID(between: pseudonym, and: other)?.text ?? text
    }

    /// A topic: that of the person. Topics of other kinds may have the name for an id.
    func rewritten(topic text: String) -> String {
        text == Topic(user: name).text ? Topic(user: pseudonym).text : text
    }

    /// The path of a document: of the person's own, of a follow or a role of the person's, of a message in a chat of two.
    func rewritten(path text: String) -> String {
        guard let levels = (try? DocumentPath(text))?.levels else { return text }
        return levels.indices.map { "\(levels[$0].collection)/\(rewritten(idAt: $0, of: levels))" }
            .joined(separator: "/")
    }

    /// Whether the path of a document has the person in it.
    func isIn(path text: String?) -> Bool { text.map { rewritten(path: $0) != $0 } ?? false }

    /// The path of a collection: that of its documents without their ids.
    func rewritten(collection text: String) -> String {
        // No user has this id.
        let id = "/~"
        return String(rewritten(path: text + id).dropLast(id.count))
    }

    /// The name of a stream: a topic, perhaps of readers in some time zones, or what is watched.
    func rewritten(stream text: String) -> String {
        let (document, collection) = ("document/", "documents/")
        if text.hasPrefix(document) { return document + rewritten(path: String(text.dropFirst(document.count))) }
        if text.hasPrefix(collection) {
            return collection + rewritten(collection: String(text.dropFirst(collection.count)))
        }
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return ([rewritten(topic: parts[0])] + parts.dropFirst()).joined(separator: " ")
    }

    /// The thing that a row of the audit is about: a part of a request's path.
    func rewritten(target text: String) -> String {
        for (prefix, rewritten) in [("documents/", rewritten(path:)), ("publish/", rewritten(topic:))]
        where text.hasPrefix(prefix) {
            return prefix + rewritten(String(text.dropFirst(prefix.count)))
        }
        var parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 1, ["users", "chats"].contains(parts[0]) else { return text }
        parts[1] = parts[0] == "users" ? rewritten(user: parts[1]) : rewritten(chat: parts[1])
        return parts.joined(separator: "/")
    }

    private func rewritten(idAt place: Int, of levels: [DocumentPath.Level]) -> String {
        let id = levels[place].id
        switch (place, levels[place].collection) {
        case (0, "users"): return rewritten(user: id)
        case (1, "followers") where levels.count == 2: return rewritten(user: id)
        case (1, "users") where levels[0].collection == "roles": return rewritten(user: id)
        case (0, "chats"): return rewritten(chat: id)
        case (0, "recommendations"):
            guard let dash = id.lastIndex(of: "-") else { return id }
            return rewritten(chat: String(id[..<dash])) + id[dash...]
        default: return id
        }
    }

    // MARK: JSON

    /// The JSON of an event, a reply or another object of the server's own, with the pseudonym; nil when the person is not
    /// in it.
    ///
    /// - Parameter names: of the members that may hold people; nil for all that do in events.
    func rewritten(json text: String, only names: Set<String>? = nil) -> String? {
        guard let object = try? JSONValue(parsing: Array(text.utf8)).objectValue else { return nil }
        let new = rewritten(object, only: names)
        return new == object ? nil : JSONValue.object(new).text
    }

    func rewritten(_ object: JSONObject, only names: Set<String>? = nil) -> JSONObject {
        var new = object
        for member in object.members {
            guard names?.contains(member.name) != false, let meaning = Self.meanings[member.name] else { continue }
            new[member.name] = rewritten(member.value, as: meaning)
        }
        return new
    }

    private enum Meaning { case user, chat, topic, path, collection, object, choices }

    /// The members of the audit's details that hold people: `from` is a place in the log there.
    static let detailNames: Set = ["user", "audience", "collection"]

    /// The members that hold people, in events and replies.
    private static let meanings: [String: Meaning] = [
        "from": .user, "user": .user, "users": .user, "by": .user, "with": .user, "members": .user,
        "invited": .user, "leftOut": .user,
        "chat": .chat, "to": .chat, "topic": .topic, "topics": .topic, "audience": .topic,
        "path": .path, "collection": .collection, "documents": .object,
        // Of preferences, as a row holds them, and as an event and a reply show them.
        "preferences": .object, "mute": .choices, "digest": .choices,
    ]

    /// The mutes or the digests in preferences, which are members named for topics and for chats of two.
    private func rewritten(choices object: JSONObject) -> JSONObject {
        JSONObject(
            object.members.map { name, value in
                if case .topic(let topic) = DigestSubject(name) {
                    return (DigestSubject.topic(rewritten(topic: topic)).name, value)
                }
                guard let named = value.objectValue?.members else { return (name, value) }
                switch name {
                case "topics": return (name, .object(JSONObject(named.map { (rewritten(topic: $0.name), $0.value) })))
                case "chats": return (name, .object(JSONObject(named.map { (rewritten(chat: $0.name), $0.value) })))
                default: return (name, value)
                }
            })
    }

    private func rewritten(_ value: JSONValue, as meaning: Meaning) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map { rewritten($0, as: meaning) })
        case .object(let object):
            switch meaning {
            case .object: return .object(rewritten(object))
            case .choices: return .object(rewritten(choices: object))
            case .user, .chat, .topic, .path, .collection: return value
            }
        case .string(let text):
            switch meaning {
            case .user: return .string(rewritten(user: text))
            case .chat: return .string(rewritten(chat: text))
            case .topic: return .string(rewritten(topic: text))
            case .path: return .string(rewritten(path: text))
            case .collection: return .string(rewritten(collection: text))
            case .object, .choices: return value
            }
        case .null, .bool, .integer, .number: return value
        }
    }
}
