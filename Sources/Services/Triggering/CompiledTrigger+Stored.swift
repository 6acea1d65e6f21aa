import ClientProtocol
import JSON
import Model
import Store
import Triggers

extension CompiledTrigger {
    /// A stored row, compiled for a reader: those of the writer are its own.
    ///
    /// - Throws: `Refusal` when there is none, or this version cannot compile it.
    convenience init(named name: String, in transaction: Transaction) throws {
        guard let row = try transaction.triggers.find(name) else {
            throw Refusal(.notFound, "there is no trigger \(name)", field: "name")
        }
        try self.init(row: .object(StoredJSON.object(row, place: "triggers.row")), runner: ConditionRunner())
    }

    /// A row, compiled.
    ///
    /// - Throws: `Refusal` naming the column and the place in it.
    convenience init(row: JSONValue, runner: ConditionRunner) throws(Refusal) {
        do {
            try self.init(try TriggerDefinition(json: row), runner: runner)
        } catch {
            throw Refusal(error)
        }
    }
}
