import JSON
import Model
import Store
import Triggers

extension WriteContext {
    /// Schedules what a trigger with `repeat` tells next of a document of which it has just told: `at` is judged as though
    /// the document had been written again as it is, in the transaction that told. So nothing is told twice or left out,
    /// whatever happens to the process.
    ///
    /// Only a later time is taken, and none less than a minute ahead: one firing leads to one more at most, and never in
    /// the same turn. A document that is deleted, or of which the condition no longer holds, has none.
    ///
    /// - Returns: whether there is a next time.
    func goOnRepeating(_ trigger: CompiledTrigger, path text: String) throws -> Bool {
        let row = trigger.definition
        guard row.repeats, row.isEnabled, row.event != .delete, !trigger.isSetAside,
            let path = try? DocumentPath(text), let body = try transaction.documents.find(path)?.body
        else { return false }
        let document = JSONValue.object(try StoredJSON.object(body, place: "documents.body"))
        let written = DocumentChange(path: path, event: .update, before: document, after: document)
        let change = try OtherDocumentsReading(transaction: transaction)
            .complete(row.event == .create ? written.asCreation : written, for: trigger)
        engine.meter.beginRun(usualWork: trigger.usualWork)
        defer { engine.meter.endRun(of: row.name) }
        let outcome = TriggerEvaluation.evaluate(trigger, change: change, now: now)
        switch outcome {
        case .scheduled(let due, let wanted):
            // A position of its own: of one change a trigger tells each recipient once.
            let position = try transaction.appendSilently()
            let next = max(due, now.adding(milliseconds: TriggerLimits.repeatMillisecondsMin))
            try schedule(wanted, at: next, path: text, change: position)
            try queueWebhook(of: trigger, outcome, .scheduled(next), change, at: position)
            return true
        case .failed(let failure):
            try transaction.triggers.insertDead(
                trigger: row.name, path: text, change: transaction.appendSilently(),
                reason: "\(failure.field): \(failure.message)", at: now)
            return false
        case .skipped, .wanted: return false
        }
    }
}
