import ClientProtocol
package import Execution
package import Model
import Store
import Triggers

/// `POST /v1/triggers/NAME/replay` with `"dryRun": false`: one slice of a replay, which writes only what is missing.
/// The client goes on where the answer says, so that other writes come in between. If the server dies meanwhile, the
/// next try finds the finished part done.
///
/// - Confinement: any
package struct ReplayTrigger: WriteUseCase {
    let range: ReplayRange
    package let key: WriteKey?

    package init(_ range: ReplayRange, key: WriteKey?) {
        self.range = range
        self.key = key
    }

    package func addContent(to fingerprint: inout Fingerprint) {
        fingerprint.add("trigger.replay")
        fingerprint.add(range.name)
        fingerprint.add(range.from)
        fingerprint.add(range.to)
        fingerprint.add(Int64(range.limit))
    }

    package func perform(in context: WriteContext) throws -> ReplayReport {
        let trigger = try context.engine.existing(range.name)
        try range.checkMayRead(for: trigger)
        guard trigger.definition.isEnabled else {
            throw Refusal(
                .conflict,
                "the trigger \(range.name) is off; a dry run is allowed all the same", field: "name")
        }
        var again = FireAgain(in: context)
        let head = context.transaction.head
        let slice = try range.slice(of: trigger, in: again.history, head: head)
        var report = ReplayReport(
            range, isDry: false, upTo: slice?.upTo, head: head, knownFrom: try again.history.knownFrom())
        for past in slice?.changes ?? [] {
            report.add(past, try again.fire(trigger, on: past), audience: nil)
            trigger.meter.charge(past.work)
            // The answer lists the failure. A mistake in the row would fail on all later changes, too.
            if report.hasFailed || trigger.meter.isSpent {
                report.end(with: past)
                break
            }
        }
        return report
    }
}
