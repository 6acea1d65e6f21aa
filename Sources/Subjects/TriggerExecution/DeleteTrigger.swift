import ClientProtocol
package import Execution
package import JSON
import Model
import Store

/// `DELETE /v1/triggers/NAME`.
///
/// - Confinement: any
package struct DeleteTrigger: WriteUseCase {
    let name: String

    package init(name: String) { self.name = name }

    package func perform(in context: WriteContext) throws -> JSONObject {
        guard try context.transaction.triggers.delete(name) else {
            throw Refusal.noTrigger(name)
        }
        let position = try context.transaction.appendSilently()
        try context.transaction.triggers.unschedule(trigger: name)
        try context.transaction.triggerStates.forget(name)
        context.engine.tally.forget(name)
        try context.engine.reload(rows: context.transaction.triggers.all())
        return ["name": .string(name), "seq": .integer(position.value)]
    }
}
