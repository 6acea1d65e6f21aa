package import JSON
import Model
import Store

/// `DELETE /v1/dead/ID`.
///
/// - Confinement: any
package struct DeleteDead: WriteUseCase {
    let id: Int64

    package init(id: Int64) { self.id = id }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        guard try context.transaction.dead.delete(id) else { throw DeadLetters.missing(id) }
        reply.member("id", id)
    }
}
