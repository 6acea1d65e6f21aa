package import JSON
package import Model

/// The documents that commands write: follows, recommendations, messages. They stand in tables of their own, and get
/// the form of a document only when it is needed: for a trigger whose path matches, or for a reader.
///
/// - Confinement: any
package enum StandingDocuments {
    /// The collections of ``messagePath(chat:n:)``.
    package static let messageCollections = ["chats", "messages"]
    /// The collections of ``recommendationPath(chat:n:)``.
    package static let recommendationCollections = ["recommendations"]

    /// `chats/CHAT/messages/N`; nil when a path cannot contain a user id in the name (a lone dot).
    package static func messagePath(chat: ChatID, n: MessageNumber) -> DocumentPath? {
        try? DocumentPath("chats/\(chat.text)/messages/\(n)")
    }

    /// `recommendations/CHAT-N`
    package static func recommendationPath(chat: ChatID, n: MessageNumber) -> DocumentPath? {
        try? DocumentPath("recommendations/\(chat.text)-\(n)")
    }

    /// The chat and number that a path of one of the two forms names.
    package static func message(at path: DocumentPath) -> (chat: ChatID, n: MessageNumber, isRecommendation: Bool)? {
        let levels = path.levels
        if levels.count == 2, levels[0].collection == "chats", levels[1].collection == "messages",
            let chat = ChatID(levels[0].id), let n = MessageNumber(levels[1].id), n > 0
        {
            return (chat, n, false)
        }
        guard levels.count == 1, levels[0].collection == "recommendations",
            let dash = levels[0].id.lastIndex(of: "-"), let chat = ChatID(String(levels[0].id[..<dash])),
            let n = MessageNumber(levels[0].id[levels[0].id.index(after: dash)...]), n > 0
        else { return nil }
        return (chat, n, true)
    }

    /// The document `chats/CHAT/messages/N`; members that a message does not have are absent.
    package static func message(
        chat: ChatID,
        n: MessageNumber,
        from: UserID,
        at: Timestamp,
        text: String?,
        product: JSONObject?,
        replyTo: MessageNumber?
    ) -> JSONValue {
        var document: JSONObject = [
            "chat": .string(chat.text), "n": .integer(n), "from": .string(from.text), "at": .string(at.text),
        ]
        if let text { document["text"] = .string(text) }
        if let product { document["product"] = .object(product) }
        if let replyTo { document["replyTo"] = .integer(replyTo) }
        return .object(document)
    }

    /// The document `recommendations/CHAT-N`; without a note its `note` is null.
    package static func recommendation(
        from: UserID,
        to: UserID,
        product: JSONObject,
        note: String?,
        seen: Bool
    ) -> JSONValue {
        [
            "from": .string(from.text), "to": .string(to.text), "product": .object(product),
            "note": note.map { .string($0) } ?? .null, "seen": .bool(seen),
        ]
    }

    /// The document `KIND/ID/followers/USER`, as the triggers of the follow see it.
    package static func follow(_ topic: Topic, by follower: UserID, at: Timestamp) -> JSONValue {
        ["follower": .string(follower.text), "topic": .string(topic.text), "at": .string(at.text)]
    }
}
