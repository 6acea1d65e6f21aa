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
        guard case .user(let id, let name, let roles) = context.actor else { return }
        if context.collections.follow(at: path) != nil { return }
        guard let (chat, _, _) = StandingDocuments.message(at: path) else {
            try context.documentRights.checkRead(of: path, by: name, id, roles: roles)
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
