package import JSON
import Model
import Store

/// `GET /v1/stats`: counts of the database. The server adds its own counts.
///
/// - Confinement: any
package struct ReadStatistics: ReadUseCase {
    package init() {}

    package func perform(in context: ReadContext) throws -> JSONObject {
        let transaction = context.transaction
        return [
            "seq": .integer(try transaction.log.head().value),
            "users": .integer(try transaction.users.count()),
            "chats": .integer(try transaction.chats.count()),
            "documents": .integer(try transaction.documents.count()),
            "triggers": .integer(Int64(try transaction.triggers.all().count)),
            "dead": .integer(try transaction.triggers.countDead()),
        ]
    }
}
