import ClientProtocol
package import JSON
import Model
import Store

/// `GET /v1/documents?collection=…`: a page of a collection, in the order of ids; of what stands in tables of its own, in
/// theirs: followers in the order of users, messages in that of numbers, recommendations in that of chats.
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
        reply.name("documents")
        reply.beginArray()
        if let paths = try standingPaths(in: context) {
            for path in paths.prefix(limit) {
                guard let document = try ReadDocument(path).find(in: context) else { continue }
                Self.begin(path, document.version, document.position, &reply)
                reply.member("data", document.data)
                reply.endObject()
            }
            reply.endArray()
            if paths.count > limit { reply.member("next", paths[limit - 1].id) }
            return
        }
        let page = try context.transaction.documents.page(of: collection, after: after ?? "", limit: limit + 1)
        for entry in page.prefix(limit) {
            guard let body = entry.body else { continue }
            Self.begin(entry.path, entry.version, entry.position, &reply)
            reply.name("data")
            reply.raw(Array(body.utf8))
            reply.endObject()
        }
        reply.endArray()
        if page.count > limit { reply.member("next", page[limit - 1].path.id) }
    }

    private static func begin(
        _ path: DocumentPath,
        _ version: Int64,
        _ position: Position,
        _ reply: inout JSONWriter
    ) {
        reply.beginObject()
        reply.member("path", path.text)
        reply.member("version", version)
        reply.member("seq", position.value)
    }

    /// The paths of what commands write, one more than a page holds; nil when the collection is another one.
    private func standingPaths(in context: ReadContext) throws -> [DocumentPath]? {
        let any = try DocumentPath(collection + "/1")
        if let (topic, _) = context.collections.follow(at: any) { return try followers(of: topic, in: context) }
        if let (chat, _, _) = StandingDocuments.message(at: any) { return try messages(of: chat, in: context) }
        return any.levels.count == 1 && any.collection == "recommendations" ? try recommendations(in: context) : nil
    }

    private func followers(of topic: Topic, in context: ReadContext) throws -> [DocumentPath] {
        let transaction = context.transaction
        guard let stream = try transaction.streams.find(topic)?.id else { return [] }
        var last = StreamID.nobody
        if let after {
            guard let number = try UserID(after).flatMap({ try transaction.users.number(of: $0) }) else {
                throw unknown
            }
            last = number
        }
        return try transaction.follows.followers(of: stream, after: last, limit: limit + 1).compactMap {
            context.collections.followPath(of: topic, by: $0.name)
        }
    }

    private func messages(of chat: ChatID, in context: ReadContext) throws -> [DocumentPath] {
        guard let id = try context.transaction.chats.find(chat)?.id else { return [] }
        var last: MessageNumber = 0
        if let after {
            guard let n = MessageNumber(after) else { throw unknown }
            last = n
        }
        return try context.transaction.messages.page(of: id, after: last, limit: limit + 1).compactMap {
            StandingDocuments.messagePath(chat: chat, n: $0.n)
        }
    }

    private func recommendations(in context: ReadContext) throws -> [DocumentPath] {
        var last: (chat: ChatID, n: MessageNumber)?
        if let after {
            guard let place = try? DocumentPath("recommendations/" + after),
                let (chat, n, isRecommendation) = StandingDocuments.message(at: place), isRecommendation
            else { throw unknown }
            last = (chat, n)
        }
        return try context.transaction.messages.recommendations(after: last, limit: limit + 1).compactMap {
            StandingDocuments.recommendationPath(chat: $0.chat, n: $0.n)
        }
    }

    private var unknown: Refusal { Refusal.badRequest(field: "after", "must be the member next of an earlier page") }
}
