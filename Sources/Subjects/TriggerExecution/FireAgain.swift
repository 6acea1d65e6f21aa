import ClientProtocol
package import Execution
package import Model
import Notifying
import Store
import Triggers

/// Runs triggers again on past changes, also triggers that are off. It writes only what is missing, so it does no harm to
/// what was done before.
///
/// - Confinement: store (the writer's thread)
package struct FireAgain {
    private let context: WriteContext
    /// The changes of the past.
    let history: ChangeHistory
    private var again: RunAgain
    private var notifier: Notifier

    package init(in context: WriteContext) {
        self.context = context
        history = ChangeHistory(transaction: context.transaction.reading, collections: context.collections)
        again = RunAgain(history: history, now: context.now)
        notifier = Notifier(in: context)
    }

    /// Runs one trigger again on the change at a position: for a dead letter.
    ///
    /// - Returns: a report for each change at the position that the trigger's path matches. A failure is in the report; it
    ///   is not listed among the dead letters again.
    /// - Throws: `Refusal`: `not-found` when there is no such trigger, `conflict` when the change is not known any more.
    package mutating func fire(trigger name: String, at position: Position) throws -> [TriggerReport] {
        let trigger = try context.engine.existing(name)
        let changes = try history.changes(at: position).filter { past in
            trigger.definition.path.match(past.change.path) != nil
        }
        guard !changes.isEmpty else {
            let from = try history.knownFrom()
            throw Refusal(
                .conflict,
                position > from
                    ? "the change at seq \(position) is not on a document that the trigger \(name) watches"
                    : "the change at seq \(position) is no longer known: the log begins after seq \(from)",
                field: "seq"
            )
        }
        return try changes.map { try fire(trigger, on: $0) }
    }

    /// Runs a trigger again on a change, in a savepoint of its own.
    mutating func fire(_ trigger: CompiledTrigger, on past: PastChange) throws -> TriggerReport {
        let outcome = try again.decide(trigger, on: past)
        let effect = try context.transaction.savepoint {
            let effect = try carryOut(outcome, past)
            if let fired = outcome.fired {
                try WebhookQueue(in: context, past.chain)
                    .add(trigger, fired, effect, past.change, at: past.position, isAgain: true)
            }
            return effect
        }
        if case .notified = effect, past.change.event != .delete, try again.leavesSpent(trigger, by: past) {
            try TriggerArming(in: context).disarm(trigger, path: past.change.path.text)
        }
        var report = TriggerReport(trigger: trigger.definition.name, effect: effect)
        if case .done = outcome { report.isDone = true }
        return report
    }

    private mutating func carryOut(_ outcome: AgainOutcome, _ past: PastChange) throws -> TriggerReport.Effect {
        let path = past.change.path.text
        switch outcome {
        case .nothing(let reason), .done(let reason): return .skipped(reason)
        case .failed(let failure): return .failed("\(failure.field): \(failure.message)")
        case .notify(let wanted):
            var draft = NotificationDraft(wanted, change: past.position, path: path)
            draft.writer = try writer(of: past)
            let count = try notifier.notify(wanted.audience, draft)
            context.engine.meter.charge(max(1, count) * TriggerLimits.rowWork)
            return .notified(count)
        case .schedule(let due, let wanted):
            try TriggerSchedule(in: context).put(
                wanted, at: due, path: path, change: past.position, by: writer(of: past))
            return .scheduled(due)
        }
    }

    private func writer(of past: PastChange) throws -> StreamID? {
        try past.writer.flatMap { try context.transaction.users.number(of: $0) }
    }
}
