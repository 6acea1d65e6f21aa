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

    /// As it was written.
    package let text: String
    private let kind: Kind
    private let name: ReferenceText

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
        name = try ReferenceText(rest, from: skipped + 1, names: names, event: event)
        guard kind == .everyone || !name.isEmpty else {
            throw PatternProblem("'\(text)' names nobody; it has the form \(Self.form)", character: skipped + 1)
        }
        // A literal is as good now as it will ever be.
        if name.isLiteral { _ = try resolve(names: [:], before: nil, after: nil) } else { try checkForm() }
    }

    /// Tries it with words that can stand for what is in the braces.
    ///
    /// - Throws: ``PatternProblem`` when what stands around them lets it never be anybody.
    private func checkForm() throws(PatternProblem) {
        // A brace of a chat may hold a user, a pair of them, or a room.
        let first = kind == .chat ? ["x0", "room:x0", "a:b"] : ["x0"]
        var found: PatternProblem?
        for word in first {
            do {
                _ = try audience(name.example { $0 == 0 ? word : "x\($0)" })
                return
            } catch { found = found ?? error }
        }
        guard let found else { return }
        throw PatternProblem("'\(text)' names nobody, whatever the braces contain: \(found.reason)")
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
            throw PatternProblem("'\(kind)' is not a kind of topic: 1 to 32 of a-z", character: 11)
        }
        return (.followers(kind: kind), 10 + kind.count + 1)
    }

    /// The kind of topic whose followers it is; nil for other audiences.
    package var followedKind: String? { if case .followers(let kind) = kind { kind } else { nil } }

    /// Whether it is one user.
    var isOnePerson: Bool { kind == .user }

    /// Who it is for one change.
    ///
    /// - Throws: ``PatternProblem`` that says what is missing, or what the text came to and is not.
    package func resolve(
        names: [String: String],
        before: JSONValue?,
        after: JSONValue?
    ) throws(PatternProblem) -> Audience {
        try audience(try name.resolve(names: names, before: before, after: after))
    }

    private func audience(_ value: String) throws(PatternProblem) -> Audience {
        switch kind {
        case .everyone: return .everyone
        case .user:
            if let user = UserID(value) { return .user(user) }
            throw PatternProblem("'\(value.prefix(200))' is not a user id: \(UserID.form)")
        case .followers(let kind):
            if let topic = Topic(kind: kind, id: value) { return .followers(topic) }
            throw PatternProblem("'\(kind):\(value.prefix(200))' is not a topic: \(Topic.form)")
        case .chat:
            if let chat = ChatID(value) ?? Self.unsortedPair(value) { return .chat(chat) }
            throw PatternProblem("'\(value.prefix(300))' is not a chat: \(ChatID.form)")
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
