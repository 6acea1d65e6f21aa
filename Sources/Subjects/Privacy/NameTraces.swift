import Execution
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
    private let places: NamedPlaces<Never>

    init(name: UserID, pseudonym: UserID) {
        let (name, pseudonym) = (name.text, pseudonym.text)
        places = NamedPlaces { $0 == name ? pseudonym : nil }
    }

    /// A text in which the person stands in a form that a table declares; free words stay.
    func rewritten(_ text: String, as form: TraceForm) -> String {
        switch form {
        case .user: rewritten(user: text)
        case .path: rewritten(path: text)
        case .chat: rewritten(chat: text)
        case .topic: rewritten(topic: text)
        case .topics: text.split(separator: " ").map { rewritten(topic: String($0)) }.joined(separator: " ")
        case .stream: rewritten(stream: text)
        case .target: places.rewritten(target: text)
        case .detail: places.rewritten(detail: text)
        case .json: rewritten(json: text) ?? text
        case .writer, .versionOwner, .digestSubject, .words: text
        }
    }

    // MARK: Values

    /// The id of a user.
    func rewritten(user text: String) -> String { places.rewritten(user: text) }

    /// A chat of two.
    func rewritten(chat text: String) -> String { places.rewritten(chat: text) }

    /// A topic: that of the person. Topics of other kinds may have the name for an id.
    func rewritten(topic text: String) -> String { places.rewritten(topic: text) }

    /// The path of a document: of the person's own, of a follow or a role of the person's, of a message in a chat of two.
    func rewritten(path text: String) -> String { places.rewritten(path: text) }

    /// Whether the path of a document has the person in it.
    func isIn(path text: String?) -> Bool { text.map { rewritten(path: $0) != $0 } ?? false }

    /// The name of a stream: a topic, perhaps of readers in some time zones, or what is watched.
    func rewritten(stream text: String) -> String {
        let (document, collection) = ("document/", "documents/")
        if text.hasPrefix(document) { return document + rewritten(path: String(text.dropFirst(document.count))) }
        if text.hasPrefix(collection) {
            return collection + places.rewritten(collection: String(text.dropFirst(collection.count)))
        }
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return ([rewritten(topic: parts[0])] + parts.dropFirst()).joined(separator: " ")
    }

    // MARK: JSON

    /// The JSON of an event, a reply or another object of the server's own, with the pseudonym; nil when the person is not
    /// in it.
    func rewritten(json text: String) -> String? {
        guard let object = try? JSONValue(parsing: Array(text.utf8)).objectValue else { return nil }
        let new = rewritten(object)
        return new == object ? nil : JSONValue.object(new).text
    }

    func rewritten(_ object: JSONObject) -> JSONObject {
        var new = object
        for member in object.members {
            guard let meaning = Self.meanings[member.name] else { continue }
            new[member.name] = rewritten(member.value, as: meaning)
        }
        return new
    }

    private enum Meaning { case user, chat, topic, path, collection, object, choices }

    /// The members that hold people, in events and replies.
    private static let meanings: [String: Meaning] = [
        "from": .user, "user": .user, "users": .user, "by": .user, "with": .user, "members": .user,
        "invited": .user, "leftOut": .user,
        "chat": .chat, "to": .chat, "topic": .topic, "topics": .topic, "audience": .topic,
        "audiences": .topic, "except": .topic, "unknown": .user,
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
            case .collection: return .string(places.rewritten(collection: text))
            case .object, .choices: return value
            }
        case .null, .bool, .integer, .number: return value
        }
    }
}
