package import Execution
package import JSON
import Model
import Store

/// `DELETE /v1/dead/ID`.
///
/// - Confinement: any
package struct DeleteDead: WriteUseCase {
    let id: Int64

    package init(id: Int64) { self.id = id }

    package func perform(in context: WriteContext) throws -> Answer {
        guard try context.transaction.dead.delete(id) else { throw DeadLetters.missing(id) }
        return Answer(id: id)
    }

    /// The answer: `id`.
    package struct Answer: UseCaseAnswer {
        let id: Int64

        package func write(to reply: inout JSONWriter) { reply.member("id", id) }
    }
}
