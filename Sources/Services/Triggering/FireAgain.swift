import ClientProtocol
import JSON
import Model
import Store
import Triggers

/// What running a trigger again on a past change comes to.
///
/// - Confinement: any
enum AgainOutcome: Sendable {
    /// It is missing, and still worth to be sent.
    case notify(NotificationWanted)
    case schedule(at: Timestamp, NotificationWanted)
    /// Nothing is to be done, and why.
    case nothing(String)
    /// The same, since it has been done.
    case done(String)
    case failed(TriggerFailure)

    /// What a first run would have come to; nil where nothing is done.
    fileprivate var fired: TriggerOutcome? {
        switch self {
        case .notify(let wanted): .wanted(wanted)
        case .schedule(let at, let wanted): .scheduled(at: at, wanted)
        case .nothing, .done, .failed: nil
        }
    }
}

extension WriteContext {
    /// What is known of the past.
    var history: ChangeHistory { ChangeHistory(transaction: transaction, collections: collections) }

    /// Runs one trigger again on the change at a position, also one that is off: for a dead letter. Harmless when it was
    /// done before: only what is missing is written.
    ///
    /// - Returns: what it came to, for each change at the position that the trigger's path matches; a failure is listed
    ///   there, and not among the dead again.
    /// - Throws: `Refusal`: `not-found` when there is no such trigger, `conflict` when the change is not known any more.
    func fireAgain(trigger name: String, at position: Position) throws -> [TriggerReport] {
        let trigger = try engine.existing(name)
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
        var again = RunAgain(history: history, now: now)
        return try changes.map { try fireAgain(trigger, on: $0, &again) }
    }

    /// The same for a change at hand, in a savepoint of its own.
    func fireAgain(_ trigger: CompiledTrigger, on past: PastChange, _ again: inout RunAgain) throws -> TriggerReport {
        let name = trigger.definition.name
        let outcome = try again.decide(trigger, on: past)
        let earlier = chain
        chain = past.chain
        defer { chain = earlier }
        let effect = try transaction.savepoint {
            let effect = try carryOut(outcome, of: trigger, past)
            if let fired = outcome.fired {
                try queueWebhook(of: trigger, fired, effect, past.change, at: past.position, isAgain: true)
            }
            return effect
        }
        if case .notified = effect, past.change.event != .delete, try again.leavesSpent(trigger, by: past) {
            try disarm(trigger, path: past.change.path.text)
        }
        var report = TriggerReport(trigger: name, effect: effect)
        if case .done = outcome { report.isDone = true }
        return report
    }

    private func carryOut(
        _ outcome: AgainOutcome,
        of trigger: CompiledTrigger,
        _ past: PastChange
    ) throws -> TriggerReport.Effect {
        let path = past.change.path.text
        switch outcome {
        case .nothing(let reason), .done(let reason): return .skipped(reason)
        case .failed(let failure): return .failed("\(failure.field): \(failure.message)")
        case .notify(let wanted):
            let draft = NotificationDraft(wanted, change: past.position, path: path)
            let count = try notify(wanted.audience, draft)
            engine.meter.charge(max(1, count) * TriggerLimits.rowWork)
            return .notified(count)
        case .schedule(let due, let wanted):
            try schedule(wanted, at: due, path: path, change: past.position)
            return .scheduled(due)
        }
    }
}
