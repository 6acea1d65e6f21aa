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

    package func perform(in context: WriteContext) throws -> JSONObject {
        guard try context.transaction.dead.delete(id) else { throw DeadLetters.missing(id) }
        return ["id": .integer(id)]
    }
}
