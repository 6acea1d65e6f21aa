package import JSON
import Model
import Store

/// `GET /v1/stats`: counts of the database. The server adds its own counts.
///
/// - Confinement: any
package struct ReadStatistics: ReadUseCase {
    package init() {}

    package func perform(in context: ReadContext) throws -> Answer {
        let transaction = context.transaction
        return Answer(
            head: try transaction.log.head(), users: try transaction.users.count(),
            chats: try transaction.chats.count(), documents: try transaction.documents.count(),
            triggers: try transaction.triggers.all().count, dead: try transaction.triggers.countDead())
    }

    /// The answer: `seq`, `users`, `chats`, `documents`, `triggers` and `dead`.
    package struct Answer: UseCaseAnswer {
        let head: Position
        let users, chats, documents: Int64
        let triggers: Int
        let dead: Int64

        package func write(to reply: inout JSONWriter) {
            reply.member("seq", head.value)
            reply.member("users", users)
            reply.member("chats", chats)
            reply.member("documents", documents)
            reply.member("triggers", triggers)
            reply.member("dead", dead)
        }
    }
}
