import JSON
import Model

/// Finds the name of a person in texts, and puts the pseudonym in its place.
///
/// A name counts only where it stands alone: `alice` is not in `alice2`. In JSON it is looked for in values, and not among
/// words that mean something to programs, such as the type of an event.
///
/// - Confinement: any
struct NameTraces {
    let name: UserID
    let pseudonym: UserID

    /// The text with the pseudonym; the same text when the name is not in it.
    func rewritten(_ text: String) -> String { rewritten(text, as: .text) }

    /// The same for the name of a topic.
    func rewritten(topic text: String) -> String { rewritten(text, as: .topic) }

    private func rewritten(_ text: String, as place: Place) -> String {
        var (result, run) = ("", "")
        for scalar in text.unicodeScalars {
            if Self.isOfNames(scalar) {
                run.unicodeScalars.append(scalar)
            } else {
                result += rewritten(run: run, as: place)
                run = ""
                result.unicodeScalars.append(scalar)
            }
        }
        return result + rewritten(run: run, as: place)
    }

    func mentions(_ text: String?) -> Bool { text.map { rewritten($0) != $0 } ?? false }

    /// Whether any value of a JSON text mentions the name.
    func mentions(json text: String?) -> Bool {
        guard let text, let json = try? JSONValue(parsing: Array(text.utf8)) else { return mentions(text) }
        return rewritten(json, skipping: []) != json
    }

    /// A JSON text with the pseudonym; nil when the name is not in it.
    func rewritten(json text: String) -> String? {
        guard let json = try? JSONValue(parsing: Array(text.utf8)) else { return nil }
        let new = rewritten(json, skipping: Self.words)
        return new == json ? nil : new.text
    }

    /// Members whose values are words for programs, or what people wrote.
    private static let words: Set = [
        "type", "kind", "level", "key", "emoji", "text", "title", "body", "note", "change", "reason", "id", "data",
        "role",
        "state", "device",
    ]

    /// Where a text stands: `user:zoe` is the topic of a person, and could be the chat of somebody whose name is `user`.
    private enum Place {
        case text, topic, chat

        init(_ member: String) {
            switch member {
            case "topic", "topics", "audience": self = .topic
            case "chat", "to": self = .chat
            default: self = .text
            }
        }
    }

    private func rewritten(_ json: JSONValue, skipping words: Set<String>, as place: Place = .text) -> JSONValue {
        switch json {
        case .string(let text): return .string(rewritten(text, as: place))
        case .array(let elements): return .array(elements.map { rewritten($0, skipping: words, as: place) })
        case .object(let object):
            var new = object
            for member in object.members where !words.contains(member.name) {
                new[member.name] = rewritten(member.value, skipping: words, as: Place(member.name))
            }
            return .object(new)
        case .null, .bool, .integer, .number: return json
        }
    }

    private static func isOfNames(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", ".", "@", "-", ":": true
        default: false
        }
    }

    /// Characters of names in a row: a name, a chat of two, a topic; perhaps with the end of a sentence, or a number.
    private func rewritten(run: String, as place: Place) -> String {
        guard run.utf8.count >= name.text.utf8.count, run.contains(name.text) else { return run }
        if run == name.text { return pseudonym.text }
        let isTopic = place == .topic || place == .text && run.hasPrefix("user:")
        if !isTopic, case .pair(let first, let second)? = ChatID(run), first == name || second == name {
            return ChatID(between: pseudonym, and: first == name ? second : first)?.text ?? run
        }
        let parts = run.split(separator: ":", omittingEmptySubsequences: false)
        if parts.contains(where: { $0 == name.text }) {
            return parts.map { $0 == name.text ? pseudonym.text : String($0) }.joined(separator: ":")
        }
        if let last = run.last, last == "." || last == ":" {
            return rewritten(run: String(run.dropLast()), as: place) + String(last)
        }
        // `alice:bob-12` is the path of a recommendation.
        guard let dash = run.lastIndex(of: "-"), run[run.index(after: dash)...].allSatisfy(\.isNumber) else {
            return run
        }
        return rewritten(run: String(run[..<dash]), as: place) + String(run[dash...])
    }
}
