import JSON
import Model
import Store
import Triggers

/// The times that one trigger has set for one document, from the document's history: which change set one, which moved
/// it, which dropped it.
///
/// - Confinement: store
struct ScheduleStory {
    private let trigger: CompiledTrigger
    private let path: DocumentPath
    private let history: ChangeHistory
    let now: Timestamp

    init(_ trigger: CompiledTrigger, _ path: DocumentPath, history: ChangeHistory, now: Timestamp) {
        self.trigger = trigger
        self.path = path
        self.history = history
        self.now = now
    }

    /// The document's next change; nil when there is none.
    func next(after past: PastChange) throws -> PastChange? {
        try history.following(path, after: past.position, limit: 1).first
    }

    /// The effect of a change on the time that an earlier one had set; nil when nothing was waiting then.
    func told(by past: PastChange) throws -> (says: String, facts: JSONObject)? {
        guard trigger.definition.at != nil,
            let earlier = try history.newest(of: path, before: past.position, limit: 1).first,
            try isOf(rowAt: earlier), case .scheduled(let due, _) = try outcome(of: earlier), due > (try time(of: past))
        else { return nil }
        let before = "what the change at seq \(earlier.position) had scheduled for \(due.text)"
        switch try outcome(of: past) {
        case .scheduled(let other, _) where other == due: return ("\(before) was not moved", [:])
        case .scheduled(let other, _):
            return ("\(before) was moved to \(other.text)", ["moved": .string(due.text)])
        case .wanted: return ("\(before) was sent at once", ["moved": .string(due.text)])
        case .skipped, .failed: return ("\(before) was dropped", ["dropped": .string(due.text)])
        }
    }

    /// Says what happened to the time that a change had set and that is not scheduled any more.
    func end(of due: Timestamp, _ wanted: NotificationWanted, setBy past: PastChange) throws -> String {
        let start = "it was scheduled for \(due.text)"
        if let put = try history.transaction.runs.position(ofRow: trigger.definition.name), put > past.position {
            return "\(start) as the row stands; the row was put at seq \(put), after this"
        }
        if let next = try next(after: past), try time(of: next) < due {
            let change = "the change at seq \(next.position)"
            switch try outcome(of: next) {
            case .scheduled(let other, _) where other == due: return "\(start), and \(change) scheduled it again"
            case .scheduled(let other, _): return "\(start), and \(change) moved it to \(other.text)"
            case .wanted: return "\(start), and \(change) sent it at once"
            case .skipped(let reason):
                let why = next.change.event == .delete ? "the document was deleted" : reason.description
                return "\(start), and \(change) dropped it: \(why)"
            case .failed(let failure): return "\(start), and \(change) dropped it: \(failure.message)"
            }
        }
        if !trigger.definition.isEnabled { return "\(start); the trigger is off" }
        guard due <= now else { return "\(start), and no longer is: the row was different then, or off" }
        if trigger.definition.late == .skip, wanted.expires.map({ $0 > now }) ?? true {
            let minutes = TriggerLimits.lateMilliseconds / 60_000
            return "\(start), and the server was more than \(minutes) minutes late: it was skipped"
        }
        guard let expires = wanted.expires, expires <= now else {
            return "\(start), and nothing was written then"
        }
        return "\(start), and expired at \(expires.text), before the server came to it"
    }

    /// The outcome of the trigger for a change. An update moves the time that a creation has set.
    private func outcome(of past: PastChange) throws -> TriggerOutcome {
        var change = try history.change(past, for: trigger)
        if trigger.definition.event == .create, change.event == .update { change = change.asCreation }
        return TriggerEvaluation.evaluate(trigger, change: change, now: try time(of: past))
            .told(isBackfill: past.isBackfill)
    }

    /// Whether the row was there already when the document changed.
    private func isOf(rowAt past: PastChange) throws -> Bool {
        try history.transaction.runs.position(ofRow: trigger.definition.name).map { $0 < past.position } ?? false
    }

    private func time(of past: PastChange) throws -> Timestamp {
        try past.at ?? history.transaction.retention.firstMark(from: past.position)?.at ?? now
    }
}
