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

    package func perform(in context: ReadContext) throws -> Answer {
        try checkRight(in: context)
        if let document = try find(in: context) { return document }
        if case .user = context.actor { throw DocumentRights.notThere(path.text) }
        throw Refusal(.notFound, "there is no document \(path)", field: "path")
    }

    /// A document as it is.
    package struct Answer: UseCaseAnswer {
        let path: DocumentPath
        let version: Int64
        let position: Position
        let data: JSONValue

        package func write(to reply: inout JSONWriter) {
            reply.member("path", path.text)
            reply.member("version", version)
            reply.member("seq", position.value)
            reply.member("data", data)
        }

        package var fact: AnswerFact { .version(version) }
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

    /// What is there, whoever may see it; nil when there is nothing.
    func find(in context: ReadContext) throws -> Answer? { try standing(in: context) ?? stored(in: context) }

    private func stored(in context: ReadContext) throws -> Answer? {
        guard let entry = try context.transaction.documents.find(path), let body = entry.body else { return nil }
        let data = try StoredJSON.object(body, place: "documents.body")
        return Answer(path: path, version: entry.version, position: entry.position, data: .object(data))
    }

    private func standing(in context: ReadContext) throws -> Answer? {
        if let (topic, follower) = context.collections.follow(at: path) {
            return try follow(topic, by: follower, in: context)
        }
        guard let (chat, n, isRecommendation) = StandingDocuments.message(at: path) else { return nil }
        return try message(chat, n, isRecommendation: isRecommendation, in: context)
    }

    private func follow(_ topic: Topic, by follower: UserID, in context: ReadContext) throws -> Answer? {
        let transaction = context.transaction
        guard let id = try transaction.users.number(of: follower), let stream = try transaction.streams.find(topic),
            let since = try transaction.follows.since(follower: id, stream: stream.id)
        else { return nil }
        let data: JSONObject = ["follower": .string(follower.text), "topic": .string(topic.text)]
        return Answer(path: path, version: 1, position: since, data: .object(data))
    }

    private func message(
        _ name: ChatID,
        _ n: MessageNumber,
        isRecommendation: Bool,
        in context: ReadContext
    ) throws -> Answer? {
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
            return Answer(path: path, version: 1, position: message.position, data: document)
        }
        guard let product, let to = name.other(than: from) else { return nil }
        let document = StandingDocuments.recommendation(
            from: from,
            to: to,
            product: product,
            note: message.text,
            seen: message.seen ?? false
        )
        return Answer(path: path, version: 1, position: message.position, data: document)
    }
}
