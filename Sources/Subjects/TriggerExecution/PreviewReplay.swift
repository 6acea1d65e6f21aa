package import Execution
import Model
import Notifying
import Store
import Triggers

/// `POST /v1/triggers/NAME/replay` by default: what would be sent, change by change.
///
/// - Confinement: any
package struct PreviewReplay: ReadUseCase {
    let range: ReplayRange

    package init(_ range: ReplayRange) { self.range = range }

    package func perform(in context: ReadContext) throws -> ReplayReport {
        let transaction = context.transaction
        let trigger = try CompiledTrigger(named: range.name, in: transaction)
        try range.checkMayRead(for: trigger)
        let history = ChangeHistory(transaction: transaction, collections: context.collections)
        let head = try transaction.log.head()
        let slice = try range.slice(of: trigger, in: history, head: head)
        var again = RunAgain(history: history, now: context.now)
        var report = ReplayReport(
            range, isDry: true, upTo: slice?.upTo, head: head, knownFrom: try history.knownFrom())
        for past in slice?.changes ?? [] {
            let outcome = try again.decide(trigger, on: past)
            if case .notify = outcome { again.assumed.insert(past.position) }
            let (effect, audience) = try Self.effect(of: outcome, transaction)
            report.add(past, TriggerReport(trigger: range.name, effect: effect), audience: audience)
            trigger.meter.charge(past.work)
            if report.hasFailed || trigger.meter.isSpent {
                report.end(with: past)
                break
            }
        }
        return report
    }

    private static func effect(
        of outcome: AgainOutcome,
        _ transaction: Transaction
    ) throws -> (TriggerReport.Effect, audience: String?) {
        switch outcome {
        case .nothing(let reason), .done(let reason): return (.skipped(reason), nil)
        case .failed(let failure): return (.failed("\(failure.field): \(failure.message)"), nil)
        case .schedule(let due, let wanted): return (.scheduled(due), wanted.audience.description)
        case .notify(let wanted):
            let rows = try AudienceReading(transaction: transaction).rowCount(of: wanted.audience)
            return (.notified(rows), wanted.audience.description)
        }
    }
}
