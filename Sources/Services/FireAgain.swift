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
    case failed(TriggerFailure)
}

/// Decides what running a trigger again on a past change comes to: what is missing is sent, and nothing twice, nothing
/// too late, nothing over what came after it.
///
/// - Confinement: store
struct RunAgain {
    let history: ChangeHistory
    let now: Timestamp

    private var transaction: Transaction { history.transaction }

    /// - Throws: the database's error; what the trigger fails on is an outcome.
    func decide(_ trigger: CompiledTrigger, on past: PastChange) throws -> AgainOutcome {
        // The time of the change itself, so that the condition comes to what it came to then.
        let then = try past.at ?? transaction.retention.firstMark(from: past.position)?.at ?? now
        switch TriggerEvaluation.evaluate(trigger, change: past.change, now: then) {
        case .skipped(let reason): return .nothing(reason.description)
        case .failed(let failure): return .failed(failure)
        case .wanted(let wanted): return try decide(wanted, past)
        case .scheduled(let due, let wanted):
            if let newest = try history.newest(of: past.change.path, before: Position(Position.bound), limit: 1).first,
                newest.position > past.position
            {
                return .nothing("the document has changed since, at seq \(newest.position)")
            }
            let standing = try transaction.runs.schedule(of: wanted.trigger, path: past.change.path.text)
            if let standing, standing.change == past.position {
                return .nothing("it is scheduled already, for \(standing.due.text)")
            }
            guard case .notify = try decide(wanted, past), due > now else { return try decide(wanted, past) }
            return .schedule(at: due, wanted)
        }
    }

    private func decide(_ wanted: NotificationWanted, _ past: PastChange) throws -> AgainOutcome {
        if let expires = wanted.expires, expires <= now { return .nothing("it would have expired at \(expires.text)") }
        let streams = try AudienceReading(transaction: transaction).streams(of: wanted.audience)
        var first: Position?
        var missing = streams.isEmpty
        for stream in streams {
            let written = try transaction.runs.notification(of: wanted.trigger, for: past.position, in: stream)
            if let written { first = min(first ?? written.position, written.position) } else { missing = true }
            if let collapse = wanted.collapse,
                let later = try transaction.notifications.find(collapse: collapse, in: stream),
                let change = later.change, change > past.position
            {
                return .nothing("\(later.id), of the later change at seq \(change), stands in its place")
            }
        }
        if let first, !missing {
            return .nothing("it was sent already: \(NotificationEntry.id(of: first))")
        }
        return .notify(wanted)
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
        guard let trigger = engine.trigger(named: name) else {
            throw Refusal(.notFound, "there is no trigger \(name)", field: "name")
        }
        let changes = try history.changes(at: position).filter { past in
            trigger.definition.path.match(past.change.path) != nil
        }
        guard !changes.isEmpty else {
            let from = try history.knownFrom()
            throw Refusal(
                .conflict,
                position > from
                    ? "at seq \(position) is no change of a document that the trigger \(name) watches"
                    : "what changed at seq \(position) is not known any more: the log is kept behind seq \(from)",
                field: "seq"
            )
        }
        return try changes.map { try fireAgain(trigger, on: $0) }
    }

    /// The same for a change at hand, in a savepoint of its own.
    func fireAgain(_ trigger: CompiledTrigger, on past: PastChange) throws -> TriggerReport {
        let name = trigger.definition.name
        let outcome = try RunAgain(history: history, now: now).decide(trigger, on: past)
        let effect = try transaction.savepoint { try carryOut(outcome, of: name, past) }
        return TriggerReport(trigger: name, effect: effect)
    }

    private func carryOut(_ outcome: AgainOutcome, of name: String, _ past: PastChange) throws -> TriggerReport.Effect {
        let path = past.change.path.text
        switch outcome {
        case .nothing(let reason): return .skipped(reason)
        case .failed(let failure): return .failed("\(failure.field): \(failure.message)")
        case .notify(let wanted):
            return .notified(try notify(wanted.audience, NotificationDraft(wanted, change: past.position, path: path)))
        case .schedule(let due, let wanted):
            try transaction.triggers.schedule(
                TriggerRowTable.Schedule(
                    trigger: name,
                    path: path,
                    due: due,
                    change: past.position,
                    wanted: ScheduledNotification(wanted).json
                )
            )
            return .scheduled(due)
        }
    }
}
