package import JSON
import Model
import Store

/// `GET /v1/stats`: counts of the database. The server adds its own counts.
///
/// - Confinement: any
package struct ReadStatistics: ReadUseCase {
    package init() {}

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        let transaction = context.transaction
        reply.member("seq", try transaction.log.head().value)
        reply.member("users", try transaction.users.count())
        reply.member("chats", try transaction.chats.count())
        reply.member("documents", try transaction.documents.count())
        reply.member("triggers", try transaction.triggers.all().count)
        reply.member("dead", try transaction.triggers.countDead())
    }
}
