import ClientProtocol
import Model
import Store
import Triggers

/// The state that a trigger would have on a document after a change, and the notifications that the change would take
/// away. Nothing is written.
///
/// - Confinement: any
struct TriggerMemory {
    /// Whether the trigger may fire for the document, including the effect of the change itself.
    let isArmed: Bool
    /// The ids of the notifications that the change would take away.
    let withdrawn: [String]
    /// Why `withdraw` or `rearm` fails; nil when they do not.
    let failure: String?

    init(
        of trigger: CompiledTrigger,
        for change: DocumentChange,
        in transaction: Transaction,
        at now: Timestamp
    ) throws {
        let name = trigger.definition.name
        let path = change.path.text
        var (isArmed, withdraws, failure) = (true, false, String?.none)
        do {
            withdraws = try TriggerEvaluation.withdraws(trigger, change: change, now: now)
            isArmed =
                try trigger.definition.rearm == nil || transaction.triggerStates.isArmed(name, path: path)
                || TriggerEvaluation.rearms(trigger, change: change, now: now)
        } catch let problem as TriggerFailure {
            failure = "\(problem.field): \(problem.message)"
        }
        self.isArmed = isArmed
        self.failure = failure
        withdrawn = withdraws ? try transaction.notifications.live(from: path, by: name).map(\.id) : []
    }
}
