import ClientProtocol
package import JSON
import Model
import Store

/// `DELETE /v1/triggers/NAME`.
///
/// - Confinement: any
package struct DeleteTrigger: WriteUseCase {
    let name: String

    package init(name: String) { self.name = name }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        guard try context.transaction.triggers.delete(name) else {
            throw Refusal(.notFound, "there is no trigger \(name)", field: "name")
        }
        let position = try context.transaction.appendSilently()
        try context.transaction.triggers.unschedule(trigger: name)
        try context.transaction.triggerStates.forget(name)
        context.engine.tally.forget(name)
        try context.engine.reload(rows: context.transaction.triggers.all())
        reply.member("name", name)
        reply.member("seq", position.value)
    }
}
