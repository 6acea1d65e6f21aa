import Execution
import Model
import Store
import Triggers

/// Whether triggers with `rearm` may fire for a document: once, until a change rearms them.
///
/// - Confinement: store (the writer's thread)
struct TriggerArming {
    private let context: WriteContext

    init(in context: WriteContext) { self.context = context }

    /// Whether the trigger may fire for the document. The change itself may rearm it.
    func isArmed(_ trigger: CompiledTrigger, _ change: DocumentChange) throws -> Bool {
        let row = trigger.definition
        let states = context.transaction.triggerStates
        guard row.rearm != nil, try !states.isArmed(row.name, path: change.path.text) else { return true }
        guard try TriggerEvaluation.rearms(trigger, change: change, now: context.now) else { return false }
        try states.rearm(row.name, path: change.path.text)
        return true
    }

    /// Notes that the trigger has fired for the document.
    func disarm(_ trigger: CompiledTrigger, path: String) throws {
        guard trigger.definition.rearm != nil else { return }
        try context.transaction.triggerStates.disarm(trigger.definition.name, path: path)
    }
}
