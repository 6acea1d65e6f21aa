import Model
import Store
import Triggers

/// Decides what running a trigger again on past changes comes to: what is missing is sent, and nothing twice, nothing too
/// late, nothing over what came after it, nothing that was withheld then.
///
/// One value decides for a whole slice: it remembers what it has found behind the changes.
///
/// - Confinement: store
struct RunAgain {
    let history: ChangeHistory
    let now: Timestamp
    /// Changes of which a dry run has said that they are sent: what follows is judged as though they had been.
    var assumed: Set<Position> = []
    private var withdrawals = LaterChanges()
    private var rearmings = LaterChanges()

    init(history: ChangeHistory, now: Timestamp) {
        self.history = history
        self.now = now
    }

    private var transaction: Transaction { history.transaction }

    /// - Throws: the database's error; what the trigger fails on is an outcome.
    mutating func decide(_ trigger: CompiledTrigger, on past: PastChange) throws -> AgainOutcome {
        let name = trigger.definition.name
        let isArmed: Bool
        do {
            isArmed = try wasArmed(trigger, at: past)
        } catch let failure as TriggerFailure {
            return .failed(failure)
        }
        let change = try history.change(past, for: trigger)
        let outcome = try TriggerEvaluation.evaluate(trigger, change: change, now: then(past), isArmed: isArmed)
            .told(isBackfill: past.isBackfill)
        switch outcome {
        case .skipped(let reason): return .nothing(reason.description)
        case .failed(let failure): return .failed(failure)
        case .wanted(let wanted):
            if let objection = past.chain.objection(to: name) { return .nothing(objection) }
            switch try withdrawal(by: trigger, after: past) {
            case .at(let later): return .nothing("the later change at seq \(later) withdraws it")
            case .unknown: return .nothing("too many changes came after it to tell whether one withdraws it")
            case .none: return try decide(wanted, past)
            }
        case .scheduled(let due, let wanted):
            if let objection = past.chain.objection(to: name) { return .nothing(objection) }
            let path = past.change.path
            if let next = try history.following(path, after: past.position, limit: 1).first {
                return .nothing("the document has changed since, at seq \(next.position)")
            }
            let standing = try transaction.runs.schedule(of: name, path: path.text)
            if let standing, standing.change == past.position {
                return .done("it is already scheduled for \(standing.due.text)")
            }
            guard !trigger.definition.late.isOver(due, at: now) else {
                return .nothing("it was due at \(due.text), and it is too late for that now")
            }
            guard case .notify = try decide(wanted, past), due > now else { return try decide(wanted, past) }
            return .schedule(at: due, wanted)
        }
    }

    /// Whether the trigger stays spent for the document when it has now fired on a past change: no later change rearms it.
    /// One that cannot be known leaves the next alarm alone.
    mutating func leavesSpent(_ trigger: CompiledTrigger, by past: PastChange) throws -> Bool {
        guard trigger.definition.rearm != nil else { return true }
        let later = try rearmings.first(after: past, in: history, trigger.meter) { [history, now] later in
            try later.change.event == .delete
                || TriggerEvaluation.rearms(
                    trigger, change: history.change(later, for: trigger), now: Self.then(later, history, now))
        }
        if case .none = later { return true }
        return false
    }

    /// The time of the change itself, so that the condition comes to what it came to then.
    private func then(_ past: PastChange) throws -> Timestamp { try Self.then(past, history, now) }

    private static func then(_ past: PastChange, _ history: ChangeHistory, _ now: Timestamp) throws -> Timestamp {
        try past.at ?? history.transaction.retention.firstMark(from: past.position)?.at ?? now
    }

    /// Earlier changes of a document that are looked at for whether the trigger was armed.
    private static let earlierChangesMax = 50

    /// Whether the trigger was armed for the document when it changed, the change itself considered.
    ///
    /// - Throws: `TriggerFailure` when `rearm` fails on the change; the database's error.
    private func wasArmed(_ trigger: CompiledTrigger, at past: PastChange) throws -> Bool {
        guard trigger.definition.rearm != nil, past.change.event != .delete else { return true }
        if try TriggerEvaluation.rearms(trigger, change: history.change(past, for: trigger), now: then(past)) {
            return true
        }
        let earlier = try history.newest(of: past.change.path, before: past.position, limit: Self.earlierChangesMax)
        for change in earlier {
            trigger.meter.charge(change.work)
            if change.change.event == .delete { return true }
            if assumed.contains(change.position) { return false }
            if try transaction.runs.hasNotified(trigger.definition.name, of: change.position) { return false }
            do {
                let complete = try history.change(change, for: trigger)
                if try TriggerEvaluation.rearms(trigger, change: complete, now: then(change)) { return true }
            } catch is TriggerFailure {
                // Whether that one rearmed is not known; it has been listed among the dead.
            }
        }
        return true
    }

    /// The next change that takes away what the trigger tells of the document.
    private mutating func withdrawal(by trigger: CompiledTrigger, after past: PastChange) throws -> LaterChanges.Found {
        guard trigger.definition.withdraw != nil else { return .none }
        return try withdrawals.first(after: past, in: history, trigger.meter) { [history, now] later in
            try TriggerEvaluation.withdraws(
                trigger, change: history.change(later, for: trigger), now: Self.then(later, history, now))
        }
    }

    private func decide(_ wanted: NotificationWanted, _ past: PastChange) throws -> AgainOutcome {
        if let expires = wanted.expires, expires <= now { return .nothing("it would have expired at \(expires.text)") }
        let streams = try AudienceReading(transaction: transaction).streams(of: wanted.audience)
        var first: Position?
        var missing: [StreamID] = []
        for stream in streams {
            let written = try transaction.runs.notifications(of: wanted.trigger, for: past.position, in: stream).first
            if let written { first = min(first ?? written.position, written.position) } else { missing.append(stream) }
            if let collapse = wanted.collapse,
                let later = try transaction.notifications.find(collapse: collapse, in: stream),
                let change = later.change, change > past.position
            {
                return .nothing("\(later.id), from the later change at seq \(change), has replaced it")
            }
        }
        if let first, missing.isEmpty {
            return .done("it was sent already: \(NotificationEntry.id(of: first))")
        }
        if try hasBeenRead(past.change.path, by: missing) { return .nothing("it has been read") }
        return .notify(wanted)
    }

    /// Whether the path is a message, or a recommendation, that each of these has read.
    private func hasBeenRead(_ path: DocumentPath, by streams: [StreamID]) throws -> Bool {
        guard !streams.isEmpty, let (chat, n, _) = StandingDocuments.message(at: path),
            let entry = try transaction.chats.find(chat)
        else { return false }
        let members = try transaction.chats.members(of: entry.id)
        return streams.allSatisfy { stream in members.contains { $0.user == stream && $0.read >= n } }
    }
}

/// Looks behind changes for the first later one of the document that does something, and remembers what it found: over a
/// slice each change is looked at once, however many wait in front of it.
///
/// - Confinement: store
private struct LaterChanges {
    enum Found {
        case none
        case at(Position)
        /// There are more changes than may be looked at.
        case unknown
    }

    /// Between `from` and `hit` nothing was found; behind `from` nothing at all where `hit` is nil.
    private var known: [DocumentPath: (from: Position, hit: Position?)] = [:]
    /// Changes that may still be looked at, so that a slice does not hold up the writer.
    private var budget = TriggerLimits.laterChangesMax
    /// Read at a time: what is looked at may be the first of them, and each may be two documents of 64 KiB.
    private static let page = 20

    /// - Parameters:
    ///   - meter: counts the work; when it is spent, it is not known what comes after.
    ///   - isIt: throws `TriggerFailure` where it cannot tell; then it is not.
    mutating func first(
        after past: PastChange,
        in history: ChangeHistory,
        _ meter: WorkMeter,
        where isIt: (PastChange) throws -> Bool
    ) throws -> Found {
        let path = past.change.path
        if let (from, hit) = known[path], from <= past.position {
            guard let hit else { return .none }
            if past.position < hit { return .at(hit) }
        }
        var position = past.position
        while budget > 0, !meter.isSpent {
            let limit = min(Self.page, budget)
            let later = try history.following(path, after: position, limit: limit)
            budget -= max(1, later.count)
            for change in later {
                position = change.position
                meter.charge(change.work)
                guard try isTrue(isIt, of: change) else { continue }
                known[path] = (past.position, position)
                return .at(position)
            }
            if later.count < limit {
                known[path] = (past.position, nil)
                return .none
            }
        }
        return .unknown
    }

    private func isTrue(_ isIt: (PastChange) throws -> Bool, of change: PastChange) throws -> Bool {
        do {
            return try isIt(change)
        } catch is TriggerFailure {
            // It is not known of that one; it has been listed among the dead.
            return false
        }
    }
}
