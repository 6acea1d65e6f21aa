import ClientProtocol
import JSON
import Model
import Store
import Triggers

/// The compiled trigger table.
///
/// - Confinement: store
final class TriggerEngine {
    private var table = TriggerTable([])
    /// By the row's text: a row that is put compiles itself and not the thousand beside it.
    private var compiled: [String: CompiledTrigger] = [:]
    /// Rows that are set aside, so that the others work, and why, by name: those that this version cannot compile, and
    /// those that have run out of their budget too often.
    private(set) var broken: [String: String] = [:]
    private let runner: ConditionRunner
    /// Whether the table was changed since the last commit: then a transaction that is undone has changed it.
    private(set) var isUncommitted = false
    /// Those that the write under way has set aside.
    private var freshlySetAside: [CompiledTrigger] = []
    /// Counts the work that triggers cause in the write under way.
    var meter: WorkMeter { runner.meter }
    /// What the triggers did since the start.
    let tally: TriggerTally
    /// The kinds of topics whose followers some row tells something.
    private(set) var followedKinds: Set<String> = []

    /// - Throws: when there is no evaluator.
    init(rows: [String], tally: TriggerTally) throws {
        self.tally = tally
        runner = try ConditionRunner()
        reload(rows: rows)
    }

    /// Forgets the table; its rows stay compiled, for they may come again.
    func forget() {
        table = TriggerTable([])
        followedKinds = []
        broken = [:]
        isUncommitted = false
    }

    /// What the table holds is in the database.
    func committed() { isUncommitted = false }

    /// Takes the table from its rows again, compiling those that are new.
    func reload(rows: [String]) {
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

    /// A write begins: its triggers have caused no work yet.
    func beginWrite() {
        meter.beginWrite()
        if !freshlySetAside.isEmpty { freshlySetAside = [] }
    }

    /// A write is undone, and with it what it has set aside. That these rows ran out is not forgotten: the next time is
    /// one too many again.
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
    /// - Returns: whether that was too often. Where the write had spent all on others, it is not held against the row.
    func noteOverrun(of trigger: CompiledTrigger) -> Bool {
        guard !meter.isSpentWell else { return false }
        trigger.overruns += 1
        return trigger.overruns >= TriggerLimits.overrunsMax
    }

    /// Has a row not run any more.
    func setAside(_ trigger: CompiledTrigger, _ reason: String) {
        trigger.isSetAside = true
        isUncommitted = true
        freshlySetAside.append(trigger)
        broken[trigger.definition.name] = reason
        tally.setBroken(broken)
    }

    /// A row is put anew: what it took before does not count.
    func forgive(_ name: String) {
        guard let trigger = trigger(named: name) else { return }
        (trigger.overruns, trigger.usualWork) = (0, 0)
    }

    /// Checks what only the compilation of a row shows.
    func check(_ definition: TriggerDefinition) throws(TriggerProblem) {
        _ = try CompiledTrigger(definition, runner: runner)
    }

    /// Whether any trigger watches documents under these collections.
    func watches(_ collections: [String]) -> Bool { table.watches(collections) }

    /// The triggers that watch a document.
    func watching(_ path: DocumentPath) -> [WatchingTriggers] { table.watching(path) }

    /// The trigger of the name; nil when there is none.
    func trigger(named name: String) -> CompiledTrigger? { table.trigger(named: name) }

    /// The trigger of the name.
    ///
    /// - Throws: `Refusal` when there is none, or it is set aside.
    func existing(_ name: String) throws(Refusal) -> CompiledTrigger {
        if let trigger = trigger(named: name), !trigger.isSetAside { return trigger }
        if let reason = broken[name] {
            throw Refusal(.conflict, "the trigger \(name) is disabled: \(reason); put it again", field: "name")
        }
        throw Refusal(.notFound, "there is no trigger \(name)", field: "name")
    }

    /// What a row that cannot be compiled calls itself; empty when that cannot be read either.
    static func name(ofRow row: String) -> String {
        (try? StoredJSON.object(row, place: "triggers.row"))?["name"]?.stringValue ?? ""
    }

    private func compile(_ row: String) throws -> CompiledTrigger {
        let json = JSONValue.object(try StoredJSON.object(row, place: "triggers.row"))
        return try CompiledTrigger(try TriggerDefinition(json: json), runner: runner)
    }
}

@available(*, unavailable)
extension TriggerEngine: Sendable {}
