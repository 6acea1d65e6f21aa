package import JSON
import Model

/// The audience column of a row: `user:{…}`, `followers:KIND:{…}`, `chat:{…}` or `everyone`.
///
/// Braces hold names of the path or dotted fields of `before` and `after`; outside of braces the text is literal
/// (`followers:feed:announcements`, `chat:room:{room}`).
///
/// - Confinement: any
package struct AudiencePattern: Sendable, Hashable {
    /// The form of a pattern, for error messages.
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
    ///   - names: The names of the path; braces may hold these and fields, nothing else.
    ///   - event: The event that the row watches: the document before a create and the one after a delete cannot be
    ///     named.
    /// - Throws: ``PatternProblem`` with the place.
    package init(_ text: String, names: [String], event: WatchedEvent = .write) throws(PatternProblem) {
        self.text = text
        let (kind, skipped) = try Self.kind(of: text)
        self.kind = kind
        let rest = Array(text.dropFirst(skipped))
        name = try ReferenceText(rest, separators: ":/", from: skipped + 1, names: names, event: event)
        guard kind == .everyone || !name.isEmpty else {
            throw PatternProblem("'\(text)' names nobody; it has the form \(Self.form)", character: skipped + 1)
        }
        // A pattern without braces means the same for every change, so it can be resolved now.
        if name.isLiteral { _ = try resolve(names: [:], before: nil, after: nil) } else { try checkForm() }
    }

    /// Tries the pattern with sample words in place of its braces.
    ///
    /// - Throws: ``PatternProblem`` when no word could make it an audience.
    private func checkForm() throws(PatternProblem) {
        // The braces of a chat may hold a user, a pair of users, or a room.
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

    /// The kind, and the number of characters before its argument.
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

    /// The kind of topic whose followers are the audience; nil for other audiences.
    package var followedKind: String? { if case .followers(let kind) = kind { kind } else { nil } }

    /// Whether the audience is one user.
    var isOnePerson: Bool { kind == .user }

    /// The audience for one change.
    ///
    /// - Throws: ``PatternProblem`` that says which field is missing, or which text is not an audience.
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
            if let user = UserID(stored: value) { return .user(user) }
            throw PatternProblem("'\(value.prefix(200))' is not a user id: \(UserID.form)")
        case .followers(let kind):
            if let topic = Topic(kind: kind, id: value) { return .followers(topic) }
            throw PatternProblem("'\(kind):\(value.prefix(200))' is not a topic: \(Topic.form)")
        case .chat:
            if let chat = ChatID(value) ?? Self.unsortedPair(value) { return .chat(chat) }
            throw PatternProblem("'\(value.prefix(300))' is not a chat: \(ChatID.form)")
        }
    }

    /// The chat `alice:bob` for a text `bob:alice`: a pattern such as `chat:{after.from}:{after.to}` cannot sort the
    /// two.
    private static func unsortedPair(_ text: String) -> ChatID? {
        let halves = text.split(separator: ":", omittingEmptySubsequences: false)
        guard halves.count == 2, let one = UserID(stored: String(halves[0])),
            let other = UserID(stored: String(halves[1]))
        else { return nil }
        return ChatID(between: one, and: other)
    }
}
