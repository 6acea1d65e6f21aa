import ClientProtocol
package import Execution
package import JSON
package import Model
package import Notifying
import Store
package import Triggers

/// Fires the triggers that watch the changes of one command, inside the transaction of the command.
///
/// A trigger that fails leaves no rows and is listed among the dead letters. Its failure undoes neither the write nor the
/// work of the other triggers.
///
/// - Confinement: store (the writer's thread)
package struct TriggerFiring {
    private let context: WriteContext
    /// The triggers through which the command came about.
    private let chain: TriggerChain
    /// Whether the documents were there before anybody asked for them: then triggers schedule, and notify of nothing.
    private let isBackfill: Bool
    /// How many more triggers whose condition is not true the answer names. It counts the others.
    private var unmetReportsLeft: Int
    /// Writes the notifications of the command.
    package var notifier: Notifier
    /// By trigger, the time of what was scheduled for the document that is being deleted.
    private var droppedWithDocument: [String: Timestamp] = [:]
    /// The writer, in the words of the history.
    private lazy var writer = context.actor.text

    /// - Parameter unmetReportsMax: the number of triggers whose condition is not true that the answer names.
    package init(
        in context: WriteContext, chain: TriggerChain = .none, isBackfill: Bool = false, unmetReportsMax: Int = 0
    ) {
        self.context = context
        self.chain = chain
        self.isBackfill = isBackfill
        unmetReportsLeft = unmetReportsMax
        notifier = Notifier(in: context)
    }

    private var transaction: WriteTransaction { context.transaction }
    private var engine: TriggerEngine { context.engine }

    /// Keeps a change of a document in the history.
    ///
    /// - Parameter before: the JSON before the change; nil when there was no document.
    package mutating func keep(_ path: DocumentPath, before: [UInt8]?, at position: Position) throws {
        try transaction.history.insert(
            path,
            at: position,
            before: before,
            time: context.now,
            by: writer,
            isBackfill: isBackfill,
            chain: chain
        )
    }

    /// Fires the triggers that watch a change. A deletion drops what was scheduled for the document.
    ///
    /// - Parameters:
    ///   - collections: the collections of the path, which show whether any trigger watches it.
    ///   - path: made only if one does; nil when the change has no path that a document can have.
    ///   - position: the change's place in the log, under which a trigger notifies each stream only once.
    ///   - documents: the document before and after, made only if a trigger watches the path.
    package mutating func fire(
        _ event: ChangeEvent,
        in collections: [String],
        path: @autoclosure () -> DocumentPath?,
        at position: Position,
        documents: () throws -> (before: JSONValue?, after: JSONValue?)
    ) throws -> TriggerReports {
        guard engine.watches(collections), let path = path() else { return TriggerReports() }
        return try fire(event, path: path, at: position, documents: documents)
    }

    /// The same for a change whose path is known already.
    ///
    /// - Parameter bytes: the JSON of the documents, if the caller has it.
    package mutating func fire(
        _ event: ChangeEvent,
        path: DocumentPath,
        at position: Position,
        bytes: (before: [UInt8]?, after: [UInt8]?) = (nil, nil),
        documents: () throws -> (before: JSONValue?, after: JSONValue?)
    ) throws -> TriggerReports {
        let watching = engine.watching(path)
        guard !watching.isEmpty else { return TriggerReports() }
        guard event == .delete else {
            let found = try run(watching, event, path, at: position, bytes, documents)
            if event == .update, watching.contains(where: \.hasCreations) {
                try EditedNotifications(in: context).followDocument(
                    path, watchedBy: watching.flatMap(\.triggers)
                ) { try documents().after }
            }
            return found
        }
        try forgetDeleted(path, watchedBy: watching)
        var found = try run(watching, event, path, at: position, bytes, documents)
        found.add(dropped: droppedWithDocument)
        droppedWithDocument = [:]
        return found
    }

    private mutating func run(
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
            let dropped = droppedWithDocument.isEmpty ? nil : droppedWithDocument[trigger.definition.name]
            var run = TriggerRun(
                of: trigger, on: change, at: position, chain: chain, isBackfill: isBackfill, dropped: dropped,
                in: context)
            guard let report = try run.perform(&notifier) else { continue }
            engine.tally.note(report, isListed: chain.names.isEmpty && trigger.isJudgedByCondition)
            if report.isUnmet, unmetReportsLeft == 0 {
                found.unmet += 1
                continue
            }
            if report.isUnmet { unmetReportsLeft -= 1 }
            found.reports.append(report)
        }
        guard !sifted.named.isEmpty else { return found }
        found.reports += sifted.named.filter { !$0.isSetAside }.map { [now = context.now] trigger in
            let reason = TriggerOutcome.SkipReason.condition(
                TriggerEvaluation.conditionValue(trigger, change: change, now: now))
            return TriggerReport(trigger: trigger.definition.name, effect: .skipped(reason.description), isUnmet: true)
        }
        found.reports.sort { $0.trigger < $1.trigger }
        return found
    }

    /// The triggers that have to run, in the order of their names. Counts the others, and says which of them the answer
    /// names.
    ///
    /// When the command came about through triggers, all of them run: the chain objects before a condition does.
    private mutating func sift(
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

    /// Drops what waits for a document that is deleted. Only the triggers that watch its path can have left something.
    private mutating func forgetDeleted(_ path: DocumentPath, watchedBy lists: [WatchingTriggers]) throws {
        if lists.contains(where: \.hasSchedules) {
            droppedWithDocument = try transaction.triggers.unschedule(path: path)
        }
        if lists.contains(where: \.hasMemory) {
            try transaction.triggerStates.rearm(path: path.text)
        }
    }
}
