package import Execution
package import JSON
package import Model
package import Store

/// A document as it is now, in the table of documents or in a table of its own.
///
/// - Confinement: any
package struct CurrentDocument {
    package let version: Int64
    package let position: Position
    package let data: JSONValue

    /// Nil when there is no such document.
    ///
    /// - Throws: the database's error, or `StoredValueProblem` when the file is damaged.
    package init?(at path: DocumentPath, _ collections: TopicCollections, in transaction: Transaction) throws {
        let found: Self?
        if let (topic, follower) = collections.follow(at: path) {
            found = try Self.follow(topic, by: follower, in: transaction)
        } else if let (chat, n, isRecommendation) = StandingDocuments.message(at: path) {
            found = try Self.message(chat, n, isRecommendation: isRecommendation, in: transaction)
        } else {
            found = nil
        }
        guard let document = try found ?? Self.stored(at: path, in: transaction) else { return nil }
        self = document
    }

    private init(_ version: Int64, _ position: Position, _ data: JSONValue) {
        self.version = version
        self.position = position
        self.data = data
    }

    private static func stored(at path: DocumentPath, in transaction: Transaction) throws -> Self? {
        guard let entry = try transaction.documents.find(path), let body = entry.body else { return nil }
        return Self(entry.version, entry.position, .object(try StoredJSON.object(body, place: "documents.body")))
    }

    private static func follow(
        _ topic: Topic, by follower: UserID, in transaction: Transaction
    ) throws -> Self? {
        guard let id = try transaction.users.number(of: follower), let stream = try transaction.streams.find(topic),
            let since = try transaction.follows.since(follower: id, stream: stream.id)
        else { return nil }
        return Self(1, since, ["follower": .string(follower.text), "topic": .string(topic.text)])
    }

    private static func message(
        _ name: ChatID,
        _ n: MessageNumber,
        isRecommendation: Bool,
        in transaction: Transaction
    ) throws -> Self? {
        guard let chat = try transaction.chats.find(name), let message = try transaction.messages.find(n, in: chat.id),
            message.deletedAt == nil, let from = try transaction.users.name(of: message.author)
        else { return nil }
        let position = message.changePosition ?? message.position
        let product = try message.product.map { try StoredJSON.object($0, place: "messages.product") }
        guard isRecommendation else {
            let document = StandingDocuments.message(
                chat: name,
                n: n,
                from: from,
                at: message.at,
                text: message.text,
                product: product,
                replyTo: message.replyTo
            )
            return Self(message.revision, position, document)
        }
        guard let product, let to = name.other(than: from) else { return nil }
        let document = StandingDocuments.recommendation(
            from: from,
            to: to,
            product: product,
            note: message.text,
            seen: message.seen ?? false
        )
        return Self(message.revision, position, document)
    }
}
