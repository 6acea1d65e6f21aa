import ClientProtocol
import Execution
import Model
import Notifying
import Store
import Triggers

/// The run of one trigger on one change.
///
/// - Confinement: store (the writer's thread)
struct TriggerRun {
    private let context: WriteContext
    private let trigger: CompiledTrigger
    private var change: DocumentChange
    /// The text of the document's path.
    private let path: String
    private let position: Position
    private let chain: TriggerChain
    private let isBackfill: Bool
    /// The time for which the trigger had scheduled a notification of the document, if this change drops it.
    private var dropped: Timestamp?

    /// - Parameters:
    ///   - chain: the triggers through which the write came about.
    ///   - isBackfill: whether the document was there before anybody asked for it: then the trigger schedules, and notifies
    ///     of nothing.
    ///   - dropped: the time of what the trigger had scheduled, if the deletion of the document has dropped it.
    init(
        of trigger: CompiledTrigger, on change: DocumentChange, at position: Position, chain: TriggerChain,
        isBackfill: Bool, dropped: Timestamp?, in context: WriteContext
    ) {
        self.context = context
        self.trigger = trigger
        self.change = change
        path = change.path.text
        self.position = position
        self.chain = chain
        self.isBackfill = isBackfill
        self.dropped = dropped
    }

    private var transaction: WriteTransaction { context.transaction }
    private var engine: TriggerEngine { context.engine }

    /// Runs the trigger.
    ///
    /// - Returns: nil when there is nothing to report: the change is not one of the row's events, and moved nothing.
    mutating func perform(_ notifier: inout Notifier) throws -> TriggerReport? {
        engine.meter.beginRun(usualWork: trigger.usualWork)
        defer { engine.meter.endRun(of: trigger.definition.name) }
        change = try OtherDocumentsReading(transaction: transaction.reading).complete(change, for: trigger)
        do {
            // A row that withdraws, rearms or calls a webhook may have written something before it fails.
            let row = trigger.definition
            guard row.withdraw == nil, row.rearm == nil, row.webhook == nil else {
                let report = try transaction.savepoint { try performInSavepoint(&notifier) }
                noteEnd()
                return report
            }
            guard let outcome = try judge(isArmed: true) else { return nil }
            let effect = try carryOut(outcome, &notifier)
            noteEnd()
            var report = TriggerReport(
                trigger: row.name, effect: effect, isUnmet: outcome.isUnmet && dropped == nil, earlier: dropped)
            report.warnings = Self.warnings(outcome)
            return report
        } catch let failure as TriggerFailure {
            notifier.forgetStreams()
            return try listFailure(failure)
        }
    }

    /// Nothing is left of the run: lists the failure among the dead letters.
    private mutating func listFailure(_ failure: TriggerFailure) throws -> TriggerReport {
        // The notification that an earlier version of the document had scheduled no longer holds.
        try unschedule()
        var reason = "\(failure.field): \(failure.message)"
        engine.meter.charge(TriggerLimits.rowWork)
        if !engine.meter.ranOut {
            noteEnd()
        } else if engine.noteOverrun(of: trigger) {
            reason = try setAside(reason)
        }
        try transaction.triggers.insertDead(
            trigger: trigger.definition.name,
            path: path,
            change: position,
            reason: reason,
            at: context.now
        )
        var report = TriggerReport(trigger: trigger.definition.name, effect: .failed(reason), earlier: dropped)
        if failure.isAboutTime {
            // Not everybody who may write this document may know what other documents say.
            let isOwn = trigger.definition.with.isEmpty
            let reason = isOwn ? failure.message : "it is in this document, or in another document that the row reads"
            report.warnings = ["the document is written, but a time or a zone in it cannot be read: \(reason)"]
        } else if failure.isAboutPeople {
            report.warnings = ["the document is written, but nobody is notified: \(failure.message)"]
        }
        return report
    }

    /// The sentences for the writer about parts of the audience that are nobody.
    private static func warnings(_ outcome: TriggerOutcome) -> [String] {
        outcome.missingPeople.map { "the document is written, but fewer people are notified: \($0)" }
    }

    /// Notes that the row did not run out of its budget.
    private func noteEnd() {
        if trigger.overruns > 0 { trigger.overruns = 0 }
        if engine.meter.spentInRun > trigger.usualWork { trigger.usualWork = engine.meter.spentInRun }
    }

    /// Stops a row that ran out of its budget once too often, in the transaction of the write.
    ///
    /// The changes that it misses from now on have no letters of their own, because there would be as many letters as
    /// changes. The letter of this change says from where to replay.
    ///
    /// - Parameter failure: the reason why it ran out this time.
    /// - Returns: the reason for the letter.
    private func setAside(_ failure: String) throws -> String {
        let name = trigger.definition.name
        let times = "exceeded its budget \(TriggerLimits.overrunsMax) times in a row"
        let reason = "\(times), the last time at seq \(position): \(failure)"
        if let row = try transaction.triggers.find(name) {
            let noted = try SetAside.note(reason, since: position, at: context.now, inRow: row)
            try transaction.triggers.note(name, row: noted)
        }
        engine.setAside(trigger, reason)
        return "\(failure); \(times) and is disabled: put it again, then replay it from seq \(position)"
    }

    private mutating func performInSavepoint(_ notifier: inout Notifier) throws -> TriggerReport? {
        let withdrawn = try withdraw()
        let isArmed = try TriggerArming(in: context).isArmed(trigger, change)
        let judged = try judge(isArmed: isArmed)
        guard judged != nil || withdrawn > 0 else { return nil }
        let outcome = judged ?? .skipped(.notWatched)
        engine.meter.charge(withdrawn * TriggerLimits.rowWork)
        let effect = try carryOut(outcome, &notifier)
        try WebhookQueue(in: context, chain).add(trigger, outcome, effect, change, at: position)
        var report = TriggerReport(
            trigger: trigger.definition.name,
            effect: effect,
            isUnmet: outcome.isUnmet && withdrawn == 0 && dropped == nil,
            withdrawn: withdrawn,
            earlier: dropped
        )
        report.warnings = Self.warnings(outcome)
        return report
    }

    /// The row's outcome, or the chain's objection to it; writes nothing.
    private func judge(isArmed: Bool) throws -> TriggerOutcome? {
        let judged = try outcome(isArmed: isArmed)?.told(isBackfill: isBackfill)
        // A write that came about through triggers may not fire this one. It withdraws like any other write.
        guard judged != nil, let objection = chain.objection(to: trigger.definition.name) else { return judged }
        return .skipped(.chain(objection))
    }

    /// The row's outcome; nil when the change is not one of its events, and moves nothing that it has scheduled.
    ///
    /// A notification that a creation has scheduled follows the document: each update before its time is judged as though
    /// the document had been created as it is now.
    private func outcome(isArmed: Bool) throws -> TriggerOutcome? {
        let row = trigger.definition
        let now = context.now
        let waiting = row.late == .skip ? try transaction.triggers.due(of: row.name, path: path) : nil
        if row.event.includes(change.event) {
            return TriggerEvaluation.evaluate(trigger, change: change, now: now, isArmed: isArmed, waiting: waiting)
        }
        guard row.at != nil, try transaction.triggers.isScheduled(row.name, path: path) else { return nil }
        guard row.event == .create, change.event == .update else {
            // A notification that a deletion has scheduled is of no use once the document is there again.
            return .skipped(.notWatched)
        }
        return TriggerEvaluation.evaluate(
            trigger, change: change.asCreation, now: now, isArmed: isArmed, waiting: waiting)
    }

    private mutating func carryOut(
        _ outcome: TriggerOutcome, _ notifier: inout Notifier
    ) throws -> TriggerReport.Effect {
        let schedule = TriggerSchedule(in: context)
        switch outcome {
        case .skipped(let reason):
            // The notification that an earlier version of the document had scheduled no longer holds. If some
            // recipients have got it by their own clocks already, the others get it, too.
            if try schedule.find(trigger, path: path)?.toldUpTo == nil { try unschedule() }
            return .skipped(reason.description)
        case .scheduled(let due, let wanted):
            let earlier = try schedule.find(trigger, path: path)
            try unschedule()
            let isSameTime = wanted.wall != nil && earlier?.wall == wanted.wall
            if dropped == due || isSameTime { dropped = nil }
            try schedule.put(wanted, at: due, path: path, change: position, after: isSameTime ? earlier : nil)
            return .scheduled(due)
        case .wanted(let wanted):
            try unschedule()
            var draft = NotificationDraft(wanted, change: position, path: path)
            draft.writer = context.writer
            draft.isFirst = true
            let count = try notifier.notify(wanted.audience, draft)
            engine.meter.charge(max(1, count) * TriggerLimits.rowWork)
            if change.event != .delete {
                try TriggerRepetition(in: context, chain).goOnOrDisarm(trigger, path: path)
            }
            return .notified(count)
        case .failed(let failure):
            throw failure
        }
    }

    /// Takes away from every device what the trigger has sent about the document, and drops what it has scheduled, if
    /// `withdraw` says so. The condition decides whether something new is sent.
    ///
    /// - Returns: how many notifications were taken away.
    private mutating func withdraw() throws -> Int {
        guard try TriggerEvaluation.withdraws(trigger, change: change, now: context.now) else { return 0 }
        try unschedule()
        try transaction.snoozes.cancel(from: path, by: trigger.definition.name)
        let entries = try transaction.notifications.live(from: path, by: trigger.definition.name)
        for entry in entries { try NotificationRemoval(in: context).remove(entry, reason: .retracted) }
        return entries.count
    }

    /// Drops what the trigger has scheduled for the document, if it is one that schedules, and notes the time of it.
    private mutating func unschedule() throws {
        guard trigger.definition.at != nil else { return }
        dropped = try transaction.triggers.unschedule(trigger.definition.name, path: path) ?? dropped
    }
}

extension TriggerOutcome {
    /// Whether nothing is to be done because the condition is not true.
    fileprivate var isUnmet: Bool {
        if case .skipped(.condition) = self { true } else { false }
    }
}
