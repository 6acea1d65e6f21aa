import Execution
import JSON
import Model
import Store
import Triggers

/// Schedules the next notification of triggers with `repeat`.
///
/// - Confinement: store (the writer's thread)
struct TriggerRepetition {
    private let context: WriteContext
    private let chain: TriggerChain
    private let writer: StreamID?

    /// - Parameters:
    ///   - chain: the triggers through which the write came about.
    ///   - writer: the user that wrote the change, where it is not the one of this transaction.
    init(in context: WriteContext, _ chain: TriggerChain = .none, by writer: StreamID? = nil) {
        self.context = context
        self.chain = chain
        self.writer = writer
    }

    /// A trigger has notified of a document: schedules its next notification, or notes that it has fired.
    func goOnOrDisarm(_ trigger: CompiledTrigger, path: String) throws {
        if try !goOn(trigger, path: path) { try TriggerArming(in: context).disarm(trigger, path: path) }
    }

    /// Schedules the next notification of a trigger that has just notified of a document: `at` is judged as though the
    /// document had been written again as it is, in the transaction of the notification. So nothing is sent twice or left
    /// out, whatever happens to the process.
    ///
    /// Only a later time is taken, at least a minute ahead: one firing leads to at most one more, and never in the same
    /// turn. A document that is deleted, or for which the condition is no longer true, has no next time.
    ///
    /// - Returns: whether there is a next time.
    @discardableResult
    func goOn(_ trigger: CompiledTrigger, path text: String) throws -> Bool {
        let row = trigger.definition
        let transaction = context.transaction
        guard row.repeats, row.isEnabled, row.event != .delete, !trigger.isSetAside,
            let path = try? DocumentPath(text), let stored = try transaction.reading.storedDocument(path)
        else { return false }
        let document = JSONValue.object(stored)
        let written = DocumentChange(path: path, event: .update, before: document, after: document)
        let change = try OtherDocumentsReading(transaction: transaction.reading)
            .complete(row.event == .create ? written.asCreation : written, for: trigger)
        context.engine.meter.beginRun(usualWork: trigger.usualWork)
        defer { context.engine.meter.endRun(of: row.name) }
        let outcome = TriggerEvaluation.evaluate(trigger, change: change, now: context.now)
        switch outcome {
        case .scheduled(let due, let wanted):
            // A position of its own: a trigger notifies each recipient of one change once.
            let position = try transaction.appendSilently()
            let next = max(due, context.now.adding(milliseconds: TriggerLimits.repeatMillisecondsMin))
            try TriggerSchedule(in: context).put(wanted, at: next, path: text, change: position, by: writer)
            try WebhookQueue(in: context, chain).add(trigger, outcome, .scheduled(next), change, at: position)
            return true
        case .failed(let failure):
            try transaction.triggers.insertDead(
                trigger: row.name, path: text, change: transaction.appendSilently(),
                reason: "\(failure.field): \(failure.message)", at: context.now)
            return false
        case .skipped, .wanted: return false
        }
    }
}
