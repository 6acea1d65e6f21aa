import ClientProtocol
package import JSON
package import Model
import Store
import Triggers

/// `POST /v1/triggers/NAME/replay` with `"dryRun": false`: one slice of it, which writes only what is missing. Who asks
/// goes on where the answer says, so that the writes of others come in between, and a server that dies meanwhile has
/// done a part that the next try finds done.
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

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        let trigger = try context.engine.existing(range.name)
        guard trigger.definition.isEnabled else {
            throw Refusal(
                .conflict,
                "the trigger \(range.name) is off; a dry run is allowed all the same", field: "name")
        }
        let history = context.history
        let head = context.transaction.head
        let slice = try range.slice(of: trigger, in: history, head: head)
        var again = RunAgain(history: history, now: context.now)
        var report = ReplayReport()
        var upTo = slice?.upTo
        for past in slice?.changes ?? [] {
            report.add(past, try context.fireAgain(trigger, on: past, &again), audience: nil)
            trigger.meter.charge(past.work)
            // What failed is listed here; one mistake in the row would fail on all that follows.
            if report.hasFailed || trigger.meter.isSpent {
                upTo = past.position.value
                break
            }
        }
        report.write(
            range, isDry: false, upTo: upTo, head: head, knownFrom: try history.knownFrom(), to: &reply)
    }
}
