import ClientProtocol
import Execution
import Model
import Store
import TriggerExecution
import Triggers

/// The shared parts of the use cases about dead letters.
///
/// - Confinement: store
enum DeadLetters {
    static func missing(_ id: Int64) -> Refusal { Refusal(.notFound, "there is no dead letter \(id)", field: "id") }

    /// Fires a trigger again on the change on which it failed.
    ///
    /// - Throws: `Refusal` when it fails again, does nothing now, is not there, or the change is not known any more.
    ///   Then the letter stays.
    static func fireAgain(_ letter: DeadLetter, in context: WriteContext) throws -> [TriggerReport] {
        try checkIsOfTrigger(letter, in: context)
        var again = FireAgain(in: context)
        let reports = try again.fire(trigger: letter.trigger, at: letter.change)
        for report in reports {
            switch report.effect {
            case .notified, .scheduled: continue
            case .skipped where report.isDone: continue
            case .skipped(let reason):
                throw Refusal(
                    .conflict,
                    "\(letter.trigger) sends nothing: \(reason); the letter stays; delete it if that is right",
                    field: "id"
                )
            case .failed(let reason):
                throw Refusal(.conflict, "\(letter.trigger) fails again: \(reason); the letter stays", field: "id")
            }
        }
        return reports
    }

    /// Digests and snoozed notifications that could not be written are among the letters, under names that are not
    /// names of triggers.
    ///
    /// - Throws: `Refusal` for those letters.
    private static func checkIsOfTrigger(_ letter: DeadLetter, in context: WriteContext) throws {
        guard letter.trigger == "digest" || letter.trigger == "snooze" else { return }
        if let trigger = context.engine.trigger(named: letter.trigger), let path = try? DocumentPath(letter.path),
            trigger.definition.path.match(path) != nil
        {
            return
        }
        throw Refusal(
            .conflict,
            "this letter comes from a \(letter.trigger) of \(letter.path), not from a trigger: it cannot be retried; delete it",
            field: "id"
        )
    }
}
