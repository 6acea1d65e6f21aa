import ClientProtocol
import JSON
import Model
import Store
import Triggers

/// What one trigger did about one change, as the answer to a document's write tells it.
///
/// - Confinement: any
struct TriggerReport: Sendable, Hashable {
    enum Effect: Sendable, Hashable {
        /// This many notifications were written; none when all of them stood there already.
        case notified(Int)
        case scheduled(Timestamp)
        /// Why nothing was to be done.
        case skipped(String)
        case failed(String)
    }

    let trigger: String
    let effect: Effect
    /// Notifications of the trigger that the change has taken away.
    var withdrawn = 0

    var json: JSONValue {
        var object: JSONObject = ["trigger": .string(trigger)]
        switch effect {
        case .notified(let count): object["notifications"] = .integer(Int64(count))
        case .scheduled(let at): object["scheduled"] = .string(at.text)
        case .skipped(let reason): object["skipped"] = .string(reason)
        case .failed(let reason): object["failed"] = .string(reason)
        }
        if withdrawn > 0 { object["withdrawn"] = .integer(Int64(withdrawn)) }
        return .object(object)
    }
}

/// The compiled trigger table.
///
/// - Confinement: store
final class TriggerEngine {
    private var table = TriggerTable([])
    /// By the row's text: a row that is put compiles itself and not the thousand beside it.
    private var compiled: [String: CompiledTrigger] = [:]
    private let runner: ConditionRunner

    /// - Throws: `TriggerProblem` of the first row that cannot be compiled.
    init(rows: [String]) throws {
        runner = try ConditionRunner()
        try reload(rows: rows)
    }

    /// Takes the table from its rows again, compiling those that are new.
    func reload(rows: [String]) throws {
        var triggers: [String: CompiledTrigger] = [:]
        for row in rows { triggers[row] = try compiled[row] ?? compile(row) }
        compiled = triggers
        table = TriggerTable(Array(triggers.values))
    }

    /// Checks what only the compilation of a row shows.
    func check(_ definition: TriggerDefinition) throws(TriggerProblem) {
        _ = try CompiledTrigger(definition, runner: runner)
    }

    /// Whether any trigger watches documents under these collections.
    func watches(_ collections: [String]) -> Bool { table.watches(collections) }

    /// The triggers whose path matches, whatever their event, in the order of their names.
    func triggers(at path: DocumentPath) -> [CompiledTrigger] { table.triggers(at: path) }

    /// The trigger of the name; nil when there is none.
    func trigger(named name: String) -> CompiledTrigger? { table.trigger(named: name) }

    private func compile(_ row: String) throws -> CompiledTrigger {
        let json = JSONValue.object(try StoredJSON.object(row, place: "triggers.row"))
        return try CompiledTrigger(try TriggerDefinition(json: json), runner: runner)
    }
}

@available(*, unavailable)
extension TriggerEngine: Sendable {}
