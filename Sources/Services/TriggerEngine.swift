import ClientProtocol
import JSON
import Model
import Store
package import Triggers

/// What one trigger did about one change, as the answer to a document's write tells it.
///
/// - Confinement: any
package struct TriggerReport: Sendable, Hashable {
    package enum Effect: Sendable, Hashable {
        /// This many notifications were written; none when all of them stood there already.
        case notified(Int)
        case scheduled(Timestamp)
        /// The condition did not hold.
        case skipped
        case failed(String)
    }

    package let trigger: String
    package let effect: Effect

    var json: JSONValue {
        switch effect {
        case .notified(let count): ["trigger": .string(trigger), "notifications": .integer(Int64(count))]
        case .scheduled(let at): ["trigger": .string(trigger), "scheduled": .string(at.text)]
        case .skipped: ["trigger": .string(trigger), "skipped": "condition"]
        case .failed(let reason): ["trigger": .string(trigger), "failed": .string(reason)]
        }
    }
}

/// The compiled trigger table, and its evaluation inside the transaction of a write.
///
/// - Confinement: store
final class TriggerEngine {
    private var table: TriggerTable
    private let evaluation: TriggerEvaluation

    /// - Throws: `TriggerProblem` of the first row that cannot be compiled.
    init(rows: [String]) throws {
        evaluation = try TriggerEvaluation()
        table = try Self.compile(rows, with: evaluation)
    }

    func reload(rows: [String]) throws {
        table = try Self.compile(rows, with: evaluation)
    }

    /// The compiled form of a row, checked without taking it into the table.
    func compile(_ definition: TriggerDefinition) throws(TriggerProblem) -> CompiledTrigger {
        try evaluation.compile(definition)
    }

    func candidates(for path: DocumentPath, event: ChangeEvent) -> [CompiledTrigger] {
        table.candidates(for: path, event: event)
    }

    func trigger(named name: String) -> CompiledTrigger? { table[name] }

    func evaluate(_ trigger: CompiledTrigger, _ change: DocumentChange, now: Timestamp) -> TriggerOutcome {
        evaluation.evaluate(trigger, change: change, now: now)
    }

    private static func compile(_ rows: [String], with evaluation: TriggerEvaluation) throws -> TriggerTable {
        TriggerTable(
            try rows.map { row in
                let json = JSONValue.object(try StoredJSON.object(row, place: "triggers.row"))
                return try evaluation.compile(try TriggerDefinition(json: json))
            })
    }
}

@available(*, unavailable)
extension TriggerEngine: Sendable {}
