import ClientProtocol
package import JSON
package import Model
import Store

/// `GET` of one document, those that stand in tables of their own included.
///
/// - Confinement: any
package struct ReadDocument: ReadUseCase {
    let path: DocumentPath

    package init(_ path: DocumentPath) { self.path = path }

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        try checkRight(in: context)
        let document = try find(in: context)
        guard let document else {
            if case .user = context.actor { throw DocumentRights.notThere(path.text) }
            throw Refusal(.notFound, "there is no document \(path)", field: "path")
        }
        reply.member("path", path.text)
        reply.member("version", document.version)
        reply.member("seq", document.position.value)
        reply.member("data", document.data)
    }

    /// A user needs the right: of a follow everybody has it, as `followers` tells; of messages and recommendations who
    /// is a member of the chat; of all others whom the access rules name.
    private func checkRight(in context: ReadContext) throws {
        guard case .user(let id, let name) = context.actor else { return }
        if context.collections.follow(at: path) != nil { return }
        guard let (chat, _, _) = StandingDocuments.message(at: path) else {
            _ = try context.documentRights.checkRead(of: .document(path), by: name, id)
            return
        }
        do {
            _ = try ConversationRights(transaction: context.transaction).memberChat(chat, of: id, name)
        } catch is Refusal {
            throw DocumentRights.notThere(path.text)
        }
    }

    typealias Found = (version: Int64, position: Position, data: JSONValue)

    /// What is there, whoever may see it; nil when there is nothing.
    func find(in context: ReadContext) throws -> Found? { try standing(in: context) ?? stored(in: context) }

    private func stored(in context: ReadContext) throws -> Found? {
        guard let entry = try context.transaction.documents.find(path), let body = entry.body else { return nil }
        return (entry.version, entry.position, .object(try StoredJSON.object(body, place: "documents.body")))
    }

    private func standing(in context: ReadContext) throws -> Found? {
        if let (topic, follower) = context.collections.follow(at: path) {
            return try follow(topic, by: follower, in: context)
        }
        guard let (chat, n, isRecommendation) = StandingDocuments.message(at: path) else { return nil }
        return try message(chat, n, isRecommendation: isRecommendation, in: context)
    }

    private func follow(_ topic: Topic, by follower: UserID, in context: ReadContext) throws -> Found? {
        let transaction = context.transaction
        guard let id = try transaction.users.number(of: follower), let stream = try transaction.streams.find(topic),
            let since = try transaction.follows.since(follower: id, stream: stream.id)
        else { return nil }
        return (1, since, ["follower": .string(follower.text), "topic": .string(topic.text)])
    }

    private func message(
        _ name: ChatID,
        _ n: MessageNumber,
        isRecommendation: Bool,
        in context: ReadContext
    ) throws -> Found? {
        let transaction = context.transaction
        guard let chat = try transaction.chats.find(name), let message = try transaction.messages.find(n, in: chat.id),
            let from = try transaction.users.name(of: message.author)
        else { return nil }
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
            return (1, message.position, document)
        }
        guard let product, let to = name.other(than: from) else { return nil }
        let document = StandingDocuments.recommendation(
            from: from,
            to: to,
            product: product,
            note: message.text,
            seen: message.seen ?? false
        )
        return (1, message.position, document)
    }
}

/// `GET /v1/documents?collection=…`: a page of a collection, in the order of ids; of followers, in the order in which
/// the server came to know them.
///
/// - Confinement: any
package struct ListDocuments: ReadUseCase {
    let collection: String
    let after: String?
    let limit: Int

    package init(collection: String, after: String?, limit: Int) {
        self.collection = collection
        self.after = after
        self.limit = limit
    }

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        if let topic = context.collections.topic(ofFollowers: collection) {
            return try listFollowers(of: topic, in: context.transaction, to: &reply)
        }
        let page = try context.transaction.documents.page(of: collection, after: after ?? "", limit: limit + 1)
        reply.name("documents")
        reply.beginArray()
        for entry in page.prefix(limit) {
            guard let body = entry.body else { continue }
            reply.beginObject()
            reply.member("path", entry.path.text)
            reply.member("version", entry.version)
            reply.member("seq", entry.position.value)
            reply.name("data")
            reply.raw(Array(body.utf8))
            reply.endObject()
        }
        reply.endArray()
        if page.count > limit { reply.member("next", page[limit - 1].path.id) }
    }

    /// The documents that stand for the follows of a topic, as each is read by its path.
    private func listFollowers(of topic: Topic, in transaction: Transaction, to reply: inout JSONWriter) throws {
        let last = try after.map { after in
            guard let last = try UserID(after).flatMap({ try transaction.users.number(of: $0) }) else {
                throw Refusal.badRequest(field: "after", "must be what 'next' of the page before says")
            }
            return last
        }
        let stream = try transaction.streams.find(topic)
        let page = try stream.map { stream in
            try transaction.follows.followers(of: stream.id, after: last ?? StreamID(0), limit: limit + 1)
        }
        let followers = page ?? []
        reply.name("documents")
        reply.beginArray()
        for follower in followers.prefix(limit) {
            guard let stream, let since = try transaction.follows.since(follower: follower.id, stream: stream.id)
            else { continue }
            reply.beginObject()
            reply.member("path", "\(collection)/\(follower.name.text)")
            reply.member("version", Int64(1))
            reply.member("seq", since.value)
            reply.member("data", ["follower": .string(follower.name.text), "topic": .string(topic.text)])
            reply.endObject()
        }
        reply.endArray()
        if followers.count > limit { reply.member("next", followers[limit - 1].name.text) }
    }
}
