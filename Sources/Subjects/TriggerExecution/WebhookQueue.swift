import Execution
import JSON
import Model
import Store
import Triggers
import Webhooks

/// Queues the webhooks of rows that have fired, in the savepoint of the rows' notifications.
///
/// - Confinement: store (the writer's thread)
struct WebhookQueue {
    private let context: WriteContext
    private let chain: TriggerChain

    /// - Parameter chain: the triggers through which the write came about.
    init(in context: WriteContext, _ chain: TriggerChain = .none) {
        self.context = context
        self.chain = chain
    }

    /// Queues the webhook of a row that has notified. The webhook of a row that has scheduled goes out with its
    /// notification.
    ///
    /// - Parameters:
    ///   - effect: the effect of the row; only notifying and scheduling call the webhook.
    ///   - isAgain: whether the change is a past one: then the document's version at that time is not known any more.
    func add(
        _ trigger: CompiledTrigger,
        _ outcome: TriggerOutcome,
        _ effect: TriggerReport.Effect,
        _ change: DocumentChange,
        at position: Position,
        isAgain: Bool = false
    ) throws {
        let row = trigger.definition
        let transaction = context.transaction
        guard let url = row.webhook else { return }
        func event(_ wanted: NotificationWanted) throws -> WebhookEvent {
            // Follows and messages are not rows of documents, and have no version.
            let version = try isAgain ? nil : transaction.documents.find(change.path)?.version
            return WebhookEvent(url, row.name, change, wanted, chain, at: position, version: version)
        }
        switch (outcome, effect) {
        case (.wanted(let wanted), .notified(let count)):
            let draft = try event(wanted).draft(written: count)
            context.engine.meter.charge(TriggerLimits.rowWork + draft.data.utf8.count / TriggerLimits.bytesPerWork)
            try transaction.webhooks.queue(draft, at: context.now)
        case (.scheduled(_, let wanted), .scheduled):
            let stored = try event(wanted).stored
            try transaction.triggers.schedule(webhook: stored, of: row.name, path: change.path.text)
        default: return
        }
    }

    /// Queues the webhook of a scheduled notification that was sent.
    ///
    /// - Parameter count: the number of notifications written.
    /// - Throws: `StoredValueProblem` when the stored webhook cannot be read.
    func add(_ schedule: ScheduleEntry, written count: Int) throws {
        guard let stored = schedule.webhook else { return }
        let event = try WebhookEvent(parsing: stored, of: schedule)
        try context.transaction.webhooks.queue(event.draft(written: count), at: context.now)
    }
}
