package import JSON
import Model

/// The audience column of a row: `user:{…}`, `followers:KIND:{…}`, `chat:{…}` or `everyone`.
///
/// In the braces stand names of the path or dotted fields of `before` and `after`; outside of them literal text
/// (`followers:feed:announcements`, `chat:room:{room}`).
///
/// - Confinement: any
package struct AudiencePattern: Sendable, Hashable {
    /// What the form is, for error messages.
    package static let form = "user:{…}, followers:KIND:{…}, chat:{…} or everyone"

    private enum Kind: Sendable, Hashable {
        case user, chat, everyone
        case followers(kind: String)
    }

    private enum Part: Sendable, Hashable {
        case literal(String)
        case reference(FieldReference)
    }

    /// As it was written.
    package let text: String
    private let kind: Kind
    private let parts: [Part]

    /// Reads a pattern.
    ///
    /// - Parameters:
    ///   - names: The names of the path, which are all that may stand in braces beside fields.
    ///   - event: What the row watches: a document before a create or after a delete cannot be named.
    /// - Throws: ``PatternProblem`` with the place.
    package init(_ text: String, names: [String], event: WatchedEvent = .write) throws(PatternProblem) {
        self.text = text
        let (kind, skipped) = try Self.kind(of: text)
        self.kind = kind
        let rest = Array(text.dropFirst(skipped))
        parts = try Self.parts(of: rest, from: skipped + 1, names: names, event: event)
        guard kind == .everyone || !parts.isEmpty else {
            throw PatternProblem("'\(text)' names nobody; it has the form \(Self.form)", character: skipped + 1)
        }
        // A literal is as good now as it will ever be.
        if !parts.contains(where: { if case .reference = $0 { true } else { false } }) {
            _ = try resolve(names: [:], before: nil, after: nil)
        }
    }

    /// The kind, and how many characters before what it is applied to.
    private static func kind(of text: String) throws(PatternProblem) -> (Kind, Int) {
        if text == "everyone" { return (.everyone, text.count) }
        if text.hasPrefix("user:") { return (.user, 5) }
        if text.hasPrefix("chat:") { return (.chat, 5) }
        guard text.hasPrefix("followers:") else {
            throw PatternProblem("an audience is \(form)", character: 1)
        }
        let rest = text.dropFirst(10)
        guard let colon = rest.firstIndex(of: ":") else {
            throw PatternProblem("followers need a kind of topic: followers:KIND:{…}", character: 11)
        }
        let kind = String(rest[..<colon])
        guard Topic(kind: kind, id: "x") != nil else {
            throw PatternProblem("'\(kind)' is no kind of topic: 1 to 32 of a-z", character: 11)
        }
        return (.followers(kind: kind), 10 + kind.count + 1)
    }

    private static func parts(
        of text: [Character],
        from place: Int,
        names: [String],
        event: WatchedEvent
    ) throws(PatternProblem) -> [Part] {
        var parts: [Part] = []
        var index = 0
        while index < text.count {
            if text[index] == "{" {
                guard let end = text[index...].firstIndex(of: "}") else {
                    throw PatternProblem("this brace is not closed", character: place + index)
                }
                let inside = String(text[(index + 1)..<end])
                parts.append(.reference(try reference(inside, at: place + index, names: names, event: event)))
                index = end + 1
            } else {
                let end = text[index...].firstIndex(of: "{") ?? text.count
                if let stray = text[index..<end].firstIndex(of: "}") {
                    throw PatternProblem("this brace closes nothing", character: place + stray)
                }
                parts.append(.literal(String(text[index..<end])))
                index = end
            }
        }
        return parts
    }

    private static func reference(
        _ text: String,
        at place: Int,
        names: [String],
        event: WatchedEvent
    ) throws(PatternProblem) -> FieldReference {
        let reference: FieldReference
        do { reference = try FieldReference(text) } catch { throw PatternProblem(error.reason, character: place) }
        switch reference.target {
        case .name(let name) where !names.contains(name):
            let known = names.isEmpty ? "the path has no names" : "the path has {\(names.joined(separator: "}, {"))}"
            throw PatternProblem("there is no {\(name)}; \(known)", character: place)
        case .field(.before, _) where event == .create:
            throw PatternProblem("{\(text)}: a create has no document before", character: place)
        case .field(.after, _) where event == .delete:
            throw PatternProblem("{\(text)}: a delete leaves no document after", character: place)
        case .name, .field: return reference
        }
    }

    /// Who it is for one change.
    ///
    /// - Throws: ``PatternProblem`` that says what is missing, or what the text came to and is not.
    package func resolve(
        names: [String: String],
        before: JSONValue?,
        after: JSONValue?
    ) throws(PatternProblem) -> Audience {
        var value = ""
        for part in parts {
            switch part {
            case .literal(let text): value += text
            case .reference(let reference): value += try reference.value(names: names, before: before, after: after)
            }
        }
        switch kind {
        case .everyone: return .everyone
        case .user:
            if let user = UserID(value) { return .user(user) }
            throw PatternProblem("'\(value.prefix(200))' is no user id: \(UserID.form)")
        case .followers(let kind):
            if let topic = Topic(kind: kind, id: value) { return .followers(topic) }
            throw PatternProblem("'\(kind):\(value.prefix(200))' is no topic: \(Topic.form)")
        case .chat:
            if let chat = ChatID(value) ?? Self.unsortedPair(value) { return .chat(chat) }
            throw PatternProblem("'\(value.prefix(300))' is no chat: \(ChatID.form)")
        }
    }

    /// The chat of `bob:alice`, since whoever writes `chat:{after.from}:{after.to}` cannot sort.
    private static func unsortedPair(_ text: String) -> ChatID? {
        let halves = text.split(separator: ":", omittingEmptySubsequences: false)
        guard halves.count == 2, let one = UserID(String(halves[0])), let other = UserID(String(halves[1])) else {
            return nil
        }
        return ChatID(between: one, and: other)
    }
}
