import ClientProtocol
package import Execution
package import JSON
import Model
package import Store
import TriggerExecution

/// `GET /v1/documents?collection=…`: a page of a collection, in the order of ids. Documents with tables of their own
/// have an order of their own: followers by user, messages by number, recommendations by chat.
///
/// - Confinement: any
package struct ListDocuments: ReadUseCase {
    package let collection: String
    let after: String?
    package let limit: Int

    package init(collection: String, after: String?, limit: Int) {
        self.collection = collection
        self.after = after
        self.limit = limit
    }

    package func perform(in context: ReadContext) throws -> Answer {
        if let paths = try standingPaths(in: context) {
            let page = Page(paths, limit: limit) { $0.id }
            let documents = try page.entries.compactMap { path in
                try CurrentDocument(at: path, context.collections, in: context.transaction).map {
                    ReadDocument.Answer(path: path, document: $0)
                }
            }
            return .standing(documents, next: page.next)
        }
        let entries = try context.transaction.documents.page(of: collection, after: after ?? "", limit: limit + 1)
        return .stored(Page(entries, limit: limit) { $0.path.id })
    }

    /// The answer: `documents`, each with `path`, `version`, `seq` and `data`, and `next`.
    package enum Answer: UseCaseAnswer {
        /// Of a collection that commands write.
        case standing([ReadDocument.Answer], next: String?)
        /// Of any other, as the table holds them.
        case stored(Page<DocumentEntry>)

        package func write(to reply: inout JSONWriter) {
            switch self {
            case .standing(let documents, let next):
                reply.array("documents") { reply in
                    for document in documents {
                        reply.beginObject()
                        document.write(to: &reply)
                        reply.endObject()
                    }
                }
                if let next { reply.member("next", next) }
            case .stored(let page):
                reply.array("documents") { reply in
                    for entry in page.entries { Self.write(entry, to: &reply) }
                }
                reply.next(of: page)
            }
        }

        private static func write(_ entry: DocumentEntry, to reply: inout JSONWriter) {
            guard let body = entry.body else { return }
            reply.beginObject()
            reply.member("path", entry.path.text)
            reply.member("version", entry.version)
            reply.member("seq", entry.position.value)
            reply.name("data")
            reply.raw(body)
            reply.endObject()
        }
    }

    /// The paths of documents that commands write, one more than a page holds; nil for all other collections.
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
            guard let number = try UserID(admitted: after).flatMap({ try transaction.users.number(of: $0) }) else {
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
