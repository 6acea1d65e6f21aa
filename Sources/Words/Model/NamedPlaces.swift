/// The places in which the id of a person stands: chats of two, topics, levels of paths, targets of the audit. The same
/// characters elsewhere are a word, or the id of something else, and stay.
///
/// The caller says which text stands there instead: a pseudonym, or a word of the log.
///
/// - Confinement: any
package struct NamedPlaces<Failure: Error> {
    private let replacement: (String) throws(Failure) -> String?

    /// - Parameter replacement: the text for the id of a user; nil for an id that stays.
    package init(_ replacement: @escaping (String) throws(Failure) -> String?) { self.replacement = replacement }

    /// The id of a user.
    package func rewritten(user text: String) throws(Failure) -> String { try replacement(text) ?? text }

    /// A chat of two.
    package func rewritten(chat text: String) throws(Failure) -> String {
        guard case .pair(let first, let second)? = ChatID(text) else { return text }
        let (one, other) = (try replacement(first.text), try replacement(second.text))
        guard one != nil || other != nil else { return text }
        return [one ?? first.text, other ?? second.text].sorted().joined(separator: ":")
    }

    /// A topic: that of a person. Topics of other kinds may have the name for an id.
    package func rewritten(topic text: String) throws(Failure) -> String {
        let kind = "user:"
        guard text.hasPrefix(kind), let new = try replacement(String(text.dropFirst(kind.count))) else { return text }
        return kind + new
    }

    /// The receivers of notifications, as the trigger table writes them, or a topic.
    package func rewritten(audience text: String) throws(Failure) -> String {
        let (followers, chat, separator) = ("followers:", "chat:", ", ")
        var parts: [String] = []
        for part in text.split(separator: separator, omittingEmptySubsequences: false).map(String.init) {
            if part.hasPrefix(followers) {
                parts.append(followers + (try rewritten(topic: String(part.dropFirst(followers.count)))))
            } else if part.hasPrefix(chat) {
                parts.append(chat + (try rewritten(chat: String(part.dropFirst(chat.count)))))
            } else {
                parts.append(try rewritten(topic: part))
            }
        }
        return parts.joined(separator: separator)
    }

    /// The path of a document: of a person's own, of a follow or a role of a person's, of a message in a chat of two.
    package func rewritten(path text: String) throws(Failure) -> String {
        guard let levels = (try? DocumentPath(text))?.levels else { return text }
        var parts: [String] = []
        for place in levels.indices {
            parts.append("\(levels[place].collection)/\(try rewritten(idAt: place, of: levels))")
        }
        return parts.joined(separator: "/")
    }

    /// The path of a collection: that of its documents without their ids.
    package func rewritten(collection text: String) throws(Failure) -> String {
        // No user has this id.
        let id = "/~"
        return String(try rewritten(path: text + id).dropLast(id.count))
    }

    /// The paths that a trigger matches: parts in braces stand for any.
    package func rewritten(pattern text: String) throws(Failure) -> String {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        // No user has this id.
        let path = parts.map { $0.hasPrefix("{") ? "~" : $0 }.joined(separator: "/")
        let new = try rewritten(path: path).split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        return zip(parts, new).map { $0.hasPrefix("{") ? $0 : $1 }.joined(separator: "/")
    }

    /// The thing that a row of the audit is about: a part of a request's path.
    package func rewritten(target text: String) throws(Failure) -> String {
        let (documents, publish) = ("documents/", "publish/")
        if text.hasPrefix(documents) {
            return documents + (try rewritten(path: String(text.dropFirst(documents.count))))
        }
        if text.hasPrefix(publish) { return publish + (try rewritten(topic: String(text.dropFirst(publish.count)))) }
        var parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 1 else { return text }
        switch parts[0] {
        case "users": parts[1] = try rewritten(user: parts[1])
        case "chats": parts[1] = try rewritten(chat: parts[1])
        default: return text
        }
        return parts.joined(separator: "/")
    }

    private func rewritten(idAt place: Int, of levels: [DocumentPath.Level]) throws(Failure) -> String {
        let id = levels[place].id
        switch (place, levels[place].collection) {
        case (0, "users"): return try rewritten(user: id)
        case (1, "followers") where levels.count == 2: return try rewritten(user: id)
        case (1, "users") where levels[0].collection == "roles": return try rewritten(user: id)
        case (0, "chats"): return try rewritten(chat: id)
        case (0, "recommendations"):
            guard let dash = id.lastIndex(of: "-") else { return id }
            return (try rewritten(chat: String(id[..<dash]))) + id[dash...]
        default: return id
        }
    }
}
