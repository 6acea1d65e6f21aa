import Model
import Notifying
import Store
import Triggers

/// Decides the outcome of running a trigger again on past changes: it sends what is missing, and nothing twice, nothing
/// too late, nothing that a later change has replaced, and nothing that was not sent then for a reason.
///
/// One value decides for a whole slice: it remembers what it has found after the changes.
///
/// - Confinement: store
struct RunAgain {
    let history: ChangeHistory
    let now: Timestamp
    /// Changes for which a dry run has said that it sends: later changes are judged as though it had sent.
    var assumed: Set<Position> = []
    private var withdrawals = LaterChanges()
    private var rearmings = LaterChanges()

    init(history: ChangeHistory, now: Timestamp) {
        self.history = history
        self.now = now
    }

    private var transaction: Transaction { history.transaction }

    /// - Throws: the database's error; a failure of the trigger is an outcome.
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

    /// Whether the trigger stays disarmed for the document after it has fired on a past change: no later change rearms
    /// it. If that is not known, it stays armed for the next alarm.
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

    /// The time of the change, so that the condition has the same value as then.
    private func then(_ past: PastChange) throws -> Timestamp { try Self.then(past, history, now) }

    private static func then(_ past: PastChange, _ history: ChangeHistory, _ now: Timestamp) throws -> Timestamp {
        try past.at ?? history.transaction.retention.firstMark(from: past.position)?.at ?? now
    }

    /// The most earlier changes of a document to read to learn whether the trigger was armed.
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
                // Whether this change rearmed is not known. It is among the dead letters.
            }
        }
        return true
    }

    /// The next change that takes away what the trigger sends about the document.
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

    /// Whether the path is a message or a recommendation that all these users have read.
    private func hasBeenRead(_ path: DocumentPath, by streams: [StreamID]) throws -> Bool {
        guard !streams.isEmpty, let (chat, n, _) = StandingDocuments.message(at: path),
            let entry = try transaction.chats.find(chat)
        else { return false }
        let members = try transaction.chats.members(of: entry.id)
        return streams.allSatisfy { stream in members.contains { $0.user == stream && $0.read >= n } }
    }
}

/// Looks for the first later change of a document with some effect, and remembers what it found: in a slice, each
/// change is read once, however many changes come before it.
///
/// - Confinement: store
private struct LaterChanges {
    enum Found {
        case none
        case at(Position)
        /// There are more changes than may be read.
        case unknown
    }

    /// Between `from` and `hit` nothing was found. If `hit` is nil, there is nothing after `from`.
    private var known: [DocumentPath: (from: Position, hit: Position?)] = [:]
    /// The number of changes that may still be read, so that a slice does not hold up the writer.
    private var budget = TriggerLimits.laterChangesMax
    /// Changes to read at a time: often the first is enough, and each may be two documents of 64 KiB.
    private static let page = 20

    /// - Parameters:
    ///   - meter: counts the work; when it is spent, it is not known what comes after.
    ///   - isIt: throws `TriggerFailure` if that is not known; then the change does not count.
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
            // That is not known of this change. It is among the dead letters.
            return false
        }
    }
}
