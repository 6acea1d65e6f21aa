import ClientProtocol
import Model
import Store
import Triggers

/// What a trigger has done about a document before, and what a later change makes of it.
extension WriteContext {
    /// Takes away, from every device, what the trigger has told of the document, and drops what it has scheduled, when
    /// `withdraw` says so; whether something new is told is for the condition.
    ///
    /// - Returns: how many notifications were taken away.
    func withdraw(_ trigger: CompiledTrigger, _ change: DocumentChange) throws -> Int {
        guard try TriggerEvaluation.withdraws(trigger, change: change, now: now) else { return 0 }
        let path = change.path.text
        try unschedule(trigger, path: path)
        try transaction.snoozes.cancel(from: path, by: trigger.definition.name)
        let entries = try transaction.notifications.live(from: path, by: trigger.definition.name)
        for entry in entries {
            let isInbox = try transaction.users.find(entry.stream) != nil
            try remove(entry, reason: .retracted, isInbox: isInbox)
        }
        return entries.count
    }

    /// Whether the trigger may fire for the document; the change itself may rearm it.
    func isArmed(_ trigger: CompiledTrigger, _ change: DocumentChange) throws -> Bool {
        let row = trigger.definition
        guard row.rearm != nil, try !transaction.triggerStates.isArmed(row.name, path: change.path.text) else {
            return true
        }
        guard try TriggerEvaluation.rearms(trigger, change: change, now: now) else { return false }
        try transaction.triggerStates.rearm(row.name, path: change.path.text)
        return true
    }

    /// The trigger has fired for the document.
    func disarm(_ trigger: CompiledTrigger, path: String) throws {
        guard trigger.definition.rearm != nil else { return }
        try transaction.triggerStates.disarm(trigger.definition.name, path: path)
    }

    /// What the trigger comes to; nil when the change is not one of its events, and moves nothing it has scheduled.
    ///
    /// What a creation has scheduled follows the document: each update before it is due is judged as though the document
    /// had been created as it is now.
    func outcome(of trigger: CompiledTrigger, _ change: DocumentChange, isArmed: Bool) throws -> TriggerOutcome? {
        let row = trigger.definition
        let waiting = row.late == .skip ? try transaction.triggers.due(of: row.name, path: change.path.text) : nil
        if row.event.includes(change.event) {
            return TriggerEvaluation.evaluate(trigger, change: change, now: now, isArmed: isArmed, waiting: waiting)
        }
        guard row.at != nil, try transaction.triggers.isScheduled(row.name, path: change.path.text) else { return nil }
        guard row.event == .create, change.event == .update else {
            // What a deletion has scheduled is of no use to the document that is there again.
            return .skipped(.notWatched)
        }
        return TriggerEvaluation.evaluate(
            trigger, change: change.asCreation, now: now, isArmed: isArmed, waiting: waiting)
    }

    /// Drops what the trigger has scheduled for the document, if it is one that schedules, and notes when it was due.
    func unschedule(_ trigger: CompiledTrigger, path: String) throws {
        guard trigger.definition.at != nil else { return }
        dropped = try transaction.triggers.unschedule(trigger.definition.name, path: path) ?? dropped
    }

    /// Drops what waits for a document that is deleted. Only what watches its path can have left something.
    func forgetDeleted(_ path: DocumentPath, watchedBy lists: [WatchingTriggers]) throws {
        if lists.contains(where: \.hasSchedules) {
            droppedWithDocument = try transaction.triggers.unschedule(path: path)
        }
        if lists.contains(where: \.hasMemory) {
            try transaction.triggerStates.rearm(path: path.text)
        }
    }
}

/// What a change would make of what a trigger has done about a document before, without doing it.
///
/// - Confinement: any
struct TriggerMemory {
    /// Whether the trigger may fire for the document, the change itself considered.
    let isArmed: Bool
    /// The ids of the notifications that the change would take away.
    let withdrawn: [String]
    /// Why `withdraw` or `rearm` cannot be told; nil when they can.
    let failure: String?

    init(
        of trigger: CompiledTrigger,
        for change: DocumentChange,
        in transaction: Transaction,
        at now: Timestamp
    ) throws {
        let name = trigger.definition.name
        let path = change.path.text
        var (isArmed, withdraws, failure) = (true, false, String?.none)
        do {
            withdraws = try TriggerEvaluation.withdraws(trigger, change: change, now: now)
            isArmed =
                try trigger.definition.rearm == nil || transaction.triggerStates.isArmed(name, path: path)
                || TriggerEvaluation.rearms(trigger, change: change, now: now)
        } catch let problem as TriggerFailure {
            failure = "\(problem.field): \(problem.message)"
        }
        self.isArmed = isArmed
        self.failure = failure
        withdrawn = withdraws ? try transaction.notifications.live(from: path, by: name).map(\.id) : []
    }
}
