import JSON
import Model
import Store
import Triggers

extension WriteContext {
    /// Fires the triggers that watch a change, inside its transaction; a deletion drops what the document had scheduled.
    ///
    /// One that fails leaves no rows, is listed among the dead, and undoes neither the write nor what the others did.
    ///
    /// - Parameters:
    ///   - collections: those of the path, by which it is known whether anything watches it.
    ///   - path: made only then; nil when the change has no document's path.
    ///   - position: the change's place in the log, under which a trigger notifies each stream only once.
    ///   - documents: the document before and after, made only if a trigger watches the path.
    func fire(
        _ event: ChangeEvent,
        in collections: [String],
        path: @autoclosure () -> DocumentPath?,
        at position: Position,
        documents: () throws -> (before: JSONValue?, after: JSONValue?)
    ) throws -> TriggerReports {
        guard engine.watches(collections), let path = path() else { return TriggerReports() }
        return try fire(event, path: path, at: position, documents: documents)
    }

    /// The same for a change whose path is there already.
    ///
    /// - Parameter bytes: the JSON of the documents, where it is at hand.
    func fire(
        _ event: ChangeEvent,
        path: DocumentPath,
        at position: Position,
        bytes: (before: [UInt8]?, after: [UInt8]?) = (nil, nil),
        documents: () throws -> (before: JSONValue?, after: JSONValue?)
    ) throws -> TriggerReports {
        let watching = engine.watching(path)
        guard !watching.isEmpty else { return TriggerReports() }
        guard event == .delete else { return try run(watching, event, path, at: position, bytes, documents) }
        try forgetDeleted(path, watchedBy: watching)
        var found = try run(watching, event, path, at: position, bytes, documents)
        found.add(dropped: droppedWithDocument)
        droppedWithDocument = [:]
        return found
    }

    private func run(
        _ watching: [WatchingTriggers],
        _ event: ChangeEvent,
        _ path: DocumentPath,
        at position: Position,
        _ bytes: (before: [UInt8]?, after: [UInt8]?),
        _ documents: () throws -> (before: JSONValue?, after: JSONValue?)
    ) throws -> TriggerReports {
        guard watching.contains(where: { $0.isConcerned(by: event) }) else { return TriggerReports() }
        let (before, after) = try documents()
        var found = TriggerReports()
        let sifted = sift(watching, event, before: before, after: after, into: &found)
        guard !sifted.candidates.isEmpty || !sifted.named.isEmpty else { return found }
        let change = DocumentChange(
            path: path,
            event: event,
            before: before,
            after: after,
            beforeBytes: bytes.before,
            afterBytes: bytes.after
        )
        for trigger in sifted.candidates where !trigger.isSetAside {
            guard let report = try run(trigger, change, at: position) else { continue }
            engine.tally.note(report, isListed: chain.names.isEmpty && trigger.isJudgedByCondition)
            if report.isUnmet, unmetReportsLeft == 0 {
                found.unmet += 1
                continue
            }
            if report.isUnmet { unmetReportsLeft -= 1 }
            found.reports.append(report)
        }
        guard !sifted.named.isEmpty else { return found }
        found.reports += sifted.named.filter { !$0.isSetAside }.map { trigger in
            let reason = TriggerOutcome.SkipReason.condition(
                TriggerEvaluation.conditionValue(trigger, change: change, now: now))
            return TriggerReport(trigger: trigger.definition.name, effect: .skipped(reason.description), isUnmet: true)
        }
        found.reports.sort { $0.trigger < $1.trigger }
        return found
    }

    /// Those that have to run, in the order of their names; counts the others, and says which of them are to be named.
    ///
    /// A write that came about through triggers is shown to all: the chain objects before a condition does.
    private func sift(
        _ watching: [WatchingTriggers],
        _ event: ChangeEvent,
        before: JSONValue?,
        after: JSONValue?,
        into found: inout TriggerReports
    ) -> (candidates: [CompiledTrigger], named: [CompiledTrigger]) {
        var candidates: [CompiledTrigger] = []
        var named: [CompiledTrigger] = []
        for list in watching {
            guard chain.names.isEmpty else {
                candidates += list.triggers.filter { $0.isConcerned(by: event) }
                continue
            }
            let sifted = list.sift(event, before: before, after: after, naming: unmetReportsLeft)
            if list.isJudged { engine.tally.noteChange(event, ofList: list.tallyList) }
            candidates += sifted.candidates
            named += sifted.ruledOut
            unmetReportsLeft -= sifted.ruledOut.count
            found.unmet += sifted.ruledOutCount - sifted.ruledOut.count
        }
        if watching.count > 1 { candidates.sort(by: TriggerTable.comesFirst) }
        return (candidates, named)
    }

    /// Nil when there is nothing to tell: the change is not one of the row's events, and moved nothing.
    private func run(_ trigger: CompiledTrigger, _ change: DocumentChange, at position: Position) throws
        -> TriggerReport?
    {
        engine.meter.beginRun(usualWork: trigger.usualWork)
        defer { engine.meter.endRun(of: trigger.definition.name) }
        dropped = droppedWithDocument.isEmpty ? nil : droppedWithDocument[trigger.definition.name]
        let change = try OtherDocumentsReading(transaction: transaction).complete(change, for: trigger)
        do {
            // What takes back, rearms or calls somebody may have written something before it fails.
            let row = trigger.definition
            guard row.withdraw == nil, row.rearm == nil, row.webhook == nil else {
                let report = try transaction.savepoint { try runInSavepoint(trigger, change, at: position) }
                noteEnd(of: trigger)
                return report
            }
            guard let outcome = try judge(trigger, change, isArmed: true) else { return nil }
            let effect = try carryOut(outcome, of: trigger, change, at: position)
            noteEnd(of: trigger)
            return TriggerReport(
                trigger: row.name, effect: effect, isUnmet: outcome.isUnmet && dropped == nil, earlier: dropped)
        } catch let failure as TriggerFailure {
            streamsOfTopics.removeAll()
            // Nothing is left of the run: what an earlier version of the document had scheduled no longer holds.
            try unschedule(trigger, path: change.path.text)
            var reason = "\(failure.field): \(failure.message)"
            engine.meter.charge(TriggerLimits.rowWork)
            if !engine.meter.ranOut {
                noteEnd(of: trigger)
            } else if engine.noteOverrun(of: trigger) {
                reason = try setAside(trigger, at: position, reason)
            }
            try transaction.triggers.insertDead(
                trigger: trigger.definition.name,
                path: change.path.text,
                change: position,
                reason: reason,
                at: now
            )
            var report = TriggerReport(trigger: trigger.definition.name, effect: .failed(reason), earlier: dropped)
            if failure.isAboutTime {
                // What stands in other documents is not for everybody who may write this one.
                let isOwn = trigger.definition.with.isEmpty
                report.wrongTime =
                    isOwn
                    ? failure.message
                    : "it is in this document, or in another document that the row reads"
            }
            return report
        }
    }

    /// The row did not run out of its budget.
    private func noteEnd(of trigger: CompiledTrigger) {
        if trigger.overruns > 0 { trigger.overruns = 0 }
        if engine.meter.spentInRun > trigger.usualWork { trigger.usualWork = engine.meter.spentInRun }
    }

    private func runInSavepoint(
        _ trigger: CompiledTrigger,
        _ change: DocumentChange,
        at position: Position
    ) throws -> TriggerReport? {
        let withdrawn = try withdraw(trigger, change)
        let isArmed = try isArmed(trigger, change)
        let judged = try judge(trigger, change, isArmed: isArmed)
        guard judged != nil || withdrawn > 0 else { return nil }
        let outcome = judged ?? .skipped(.notWatched)
        engine.meter.charge(withdrawn * TriggerLimits.rowWork)
        let effect = try carryOut(outcome, of: trigger, change, at: position)
        try queueWebhook(of: trigger, outcome, effect, change, at: position)
        return TriggerReport(
            trigger: trigger.definition.name,
            effect: effect,
            isUnmet: outcome.isUnmet && withdrawn == 0 && dropped == nil,
            withdrawn: withdrawn,
            earlier: dropped
        )
    }

    /// What the row comes to, and whether the chain lets it; writes nothing.
    private func judge(_ trigger: CompiledTrigger, _ change: DocumentChange, isArmed: Bool) throws -> TriggerOutcome? {
        let judged = try outcome(of: trigger, change, isArmed: isArmed)?.told(isBackfill: isBackfill)
        // A chain may not fire; what no longer holds it takes back like any other write.
        guard judged != nil, let objection = chain.objection(to: trigger.definition.name) else { return judged }
        return .skipped(.chain(objection))
    }

    private func carryOut(
        _ outcome: TriggerOutcome,
        of trigger: CompiledTrigger,
        _ change: DocumentChange,
        at position: Position
    ) throws -> TriggerReport.Effect {
        let path = change.path.text
        switch outcome {
        case .skipped(let reason):
            // What an earlier version of the document had scheduled no longer holds; what some were told by their own
            // clocks already is owed to the others.
            if try !hasBegun(trigger, path: path) { try unschedule(trigger, path: path) }
            return .skipped(reason.description)
        case .scheduled(let due, let wanted):
            let earlier = try scheduled(trigger, path: path)
            try unschedule(trigger, path: path)
            let isSameTime = wanted.wall != nil && earlier?.wall == wanted.wall
            if dropped == due || isSameTime { dropped = nil }
            try schedule(wanted, at: due, path: path, change: position, after: isSameTime ? earlier : nil)
            return .scheduled(due)
        case .wanted(let wanted):
            try unschedule(trigger, path: path)
            var draft = NotificationDraft(wanted, change: position, path: path)
            draft.isFirst = true
            let count = try notify(wanted.audience, draft)
            engine.meter.charge(max(1, count) * TriggerLimits.rowWork)
            if change.event != .delete, try !goOnRepeating(trigger, path: path) { try disarm(trigger, path: path) }
            return .notified(count)
        case .failed(let failure):
            throw failure
        }
    }
}

extension WriteContext {
    /// Whether what a trigger has scheduled for the document was told to some, by the recipients' clocks.
    fileprivate func hasBegun(_ trigger: CompiledTrigger, path: String) throws -> Bool {
        try scheduled(trigger, path: path)?.toldUpTo != nil
    }

    /// What a trigger that goes by the recipients' clocks has scheduled for the document; nil when there is nothing, or it
    /// cannot be read.
    fileprivate func scheduled(_ trigger: CompiledTrigger, path: String) throws -> ScheduledNotification? {
        guard trigger.definition.clock == .recipient,
            let stored = try transaction.triggers.wanted(of: trigger.definition.name, path: path)
        else { return nil }
        return try? ScheduledNotification(parsing: stored, trigger: trigger.definition.name)
    }

    /// Has a trigger notify at a time, in place of what it has scheduled for the document before.
    ///
    /// - Parameter earlier: what was scheduled for the same time by the recipients' clocks, with whom it has told.
    func schedule(
        _ wanted: NotificationWanted,
        at due: Timestamp,
        path: String,
        change: Position,
        after earlier: ScheduledNotification? = nil
    ) throws {
        engine.meter.charge(TriggerLimits.rowWork)
        var scheduled = ScheduledNotification(wanted)
        scheduled.toldUpTo = earlier?.toldUpTo
        if wanted.wall != nil { scheduled.setAt = earlier.map(\.setAt) ?? now }
        try transaction.triggers.schedule(
            TriggerSchedule(
                trigger: wanted.trigger,
                path: path,
                due: max(due, earlier?.toldUpTo ?? due),
                change: change,
                wanted: scheduled.json
            )
        )
    }
}

extension TriggerOutcome {
    /// Whether nothing is to be done since the condition is not true.
    fileprivate var isUnmet: Bool {
        if case .skipped(.condition) = self { true } else { false }
    }
}
