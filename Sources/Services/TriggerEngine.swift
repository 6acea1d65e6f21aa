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

    var json: JSONValue {
        switch effect {
        case .notified(let count): ["trigger": .string(trigger), "notifications": .integer(Int64(count))]
        case .scheduled(let at): ["trigger": .string(trigger), "scheduled": .string(at.text)]
        case .skipped(let reason): ["trigger": .string(trigger), "skipped": .string(reason)]
        case .failed(let reason): ["trigger": .string(trigger), "failed": .string(reason)]
        }
    }
}

/// The compiled trigger table.
///
/// - Confinement: store
final class TriggerEngine {
    private var table: TriggerTable
    private let runner: ConditionRunner
    /// What the triggers did since the start.
    let tally: TriggerTally

    /// - Throws: `TriggerProblem` of the first row that cannot be compiled.
    init(rows: [String], tally: TriggerTally) throws {
        self.tally = tally
        runner = try ConditionRunner()
        table = try Self.compile(rows, runner)
    }

    /// Takes the table from its rows again.
    func reload(rows: [String]) throws {
        table = try Self.compile(rows, runner)
    }

    /// Checks what only the compilation of a row shows.
    func check(_ definition: TriggerDefinition) throws(TriggerProblem) {
        _ = try CompiledTrigger(definition, runner: runner)
    }

    /// The trigger of a name, enabled or not; nil when there is none.
    func trigger(named name: String) -> CompiledTrigger? { table.triggers.first { $0.definition.name == name } }

    func candidates(for path: DocumentPath, event: ChangeEvent) -> [CompiledTrigger] {
        table.candidates(for: path, event: event)
    }

    private static func compile(_ rows: [String], _ runner: ConditionRunner) throws -> TriggerTable {
        TriggerTable(
            try rows.map { row in
                let json = JSONValue.object(try StoredJSON.object(row, place: "triggers.row"))
                return try CompiledTrigger(try TriggerDefinition(json: json), runner: runner)
            }
        )
    }
}

@available(*, unavailable)
extension TriggerEngine: Sendable {}
