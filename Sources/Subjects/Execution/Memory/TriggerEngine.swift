package import ClientProtocol
import JSON
package import Model
import Store
package import Triggers

/// The compiled trigger table.
///
/// - Confinement: store
package final class TriggerEngine {
    private var table = TriggerTable([])
    /// By the row's text: a put compiles the row that is put, and not the other thousand.
    private var compiled: [String: CompiledTrigger] = [:]
    /// By name, the rows that are stopped so that the others work, and why: this version cannot compile them, or they
    /// ran out of their budget too often.
    package private(set) var broken: [String: String] = [:]
    private let runner: ConditionRunner
    /// Whether the table has changed since the last commit, so that a rollback must undo the change.
    private(set) var isUncommitted = false
    /// The triggers that the current write has stopped.
    private var freshlySetAside: [CompiledTrigger] = []
    /// Counts the work that triggers cause in the current write.
    package var meter: WorkMeter { runner.meter }
    /// The counts of the triggers' runs since the start.
    package let tally: TriggerTally
    /// The kinds of topics whose followers are the audience of a row.
    package private(set) var followedKinds: Set<String> = []

    /// - Throws: when there is no evaluator.
    init(rows: [String], tally: TriggerTally) throws {
        self.tally = tally
        runner = try ConditionRunner()
        reload(rows: rows)
    }

    /// Forgets the table. Its rows stay compiled, because they may come again.
    func forget() {
        table = TriggerTable([])
        followedKinds = []
        broken = [:]
        isUncommitted = false
    }

    /// Notes that the table is stored as it is.
    func committed() { isUncommitted = false }

    /// Makes the table from its rows again, and compiles new rows.
    package func reload(rows: [String]) {
        var triggers: [String: CompiledTrigger] = [:]
        broken = [:]
        isUncommitted = true
        for row in rows {
            do {
                let trigger = try compiled[row] ?? compile(row)
                let reason = SetAside.reason(inRow: row)
                trigger.isSetAside = reason != nil
                if let reason { broken[trigger.definition.name] = reason }
                triggers[row] = trigger
            } catch {
                broken[Self.name(ofRow: row)] = "\(error)"
            }
        }
        freshlySetAside = []
        tally.setBroken(broken)
        compiled = triggers
        table = TriggerTable(Array(triggers.values))
        followedKinds = Set(triggers.values.flatMap(\.definition.audience.followedKinds))
        let lists = table.allWatching
        tally.setLists(
            lists.map { list in
                list.triggers.filter(\.isJudgedByCondition).map { ($0.definition.name, $0.definition.event) }
            })
        for (number, list) in lists.enumerated() { list.tallyList = number }
    }

    /// Begins a write, whose triggers have caused no work yet.
    func beginWrite() {
        meter.beginWrite()
        if !freshlySetAside.isEmpty { freshlySetAside = [] }
    }

    /// Undoes a write, and starts the triggers again that it has stopped. Their overruns still count, so the next one
    /// stops them again.
    func undoWrite() {
        guard !freshlySetAside.isEmpty else { return }
        for trigger in freshlySetAside {
            trigger.isSetAside = false
            broken[trigger.definition.name] = nil
        }
        freshlySetAside = []
        tally.setBroken(broken)
    }

    /// Notes that a row has run out of its budget once more.
    ///
    /// - Returns: whether that was too often. It does not count when other triggers of the write had used up the work.
    package func noteOverrun(of trigger: CompiledTrigger) -> Bool {
        guard !meter.isSpentWell else { return false }
        trigger.overruns += 1
        return trigger.overruns >= TriggerLimits.overrunsMax
    }

    /// Stops a row.
    package func setAside(_ trigger: CompiledTrigger, _ reason: String) {
        trigger.isSetAside = true
        isUncommitted = true
        freshlySetAside.append(trigger)
        broken[trigger.definition.name] = reason
        tally.setBroken(broken)
    }

    /// Forgets the overruns of a row, because it is put again.
    package func forgive(_ name: String) {
        guard let trigger = trigger(named: name) else { return }
        (trigger.overruns, trigger.usualWork) = (0, 0)
    }

    /// Checks a row by compiling it.
    package func check(_ definition: TriggerDefinition) throws(TriggerProblem) {
        _ = try CompiledTrigger(definition, runner: runner)
    }

    /// Whether any trigger watches documents under these collections.
    package func watches(_ collections: [String]) -> Bool { table.watches(collections) }

    /// The triggers that watch a document.
    package func watching(_ path: DocumentPath) -> [WatchingTriggers] { table.watching(path) }

    /// The trigger of the name; nil when there is none.
    package func trigger(named name: String) -> CompiledTrigger? { table.trigger(named: name) }

    /// The trigger of the name.
    ///
    /// - Throws: `Refusal` when there is none, or it is stopped.
    package func existing(_ name: String) throws(Refusal) -> CompiledTrigger {
        if let trigger = trigger(named: name), !trigger.isSetAside { return trigger }
        if let reason = broken[name] {
            throw Refusal(.conflict, "the trigger \(name) is disabled: \(reason); put it again", field: "name")
        }
        throw Refusal.noTrigger(name)
    }

    /// The name in a row that cannot be compiled; empty when the row cannot be read either.
    package static func name(ofRow row: String) -> String {
        (try? StoredJSON.object(row, place: "triggers.row"))?["name"]?.stringValue ?? ""
    }

    private func compile(_ row: String) throws -> CompiledTrigger {
        let json = JSONValue.object(try StoredJSON.object(row, place: "triggers.row"))
        return try CompiledTrigger(try TriggerDefinition(json: json), runner: runner)
    }
}

@available(*, unavailable)
extension TriggerEngine: Sendable {}
