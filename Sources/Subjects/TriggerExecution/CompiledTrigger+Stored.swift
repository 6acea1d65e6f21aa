import ClientProtocol
import Execution
import JSON
import Model
import Store
import Triggers

extension CompiledTrigger {
    /// Compiles a stored row for a reader. The writer has compiled triggers of its own.
    ///
    /// - Throws: `Refusal` when there is none, or this version cannot compile it.
    convenience init(named name: String, in transaction: Transaction) throws {
        guard let row = try transaction.triggers.find(name) else {
            throw Refusal.noTrigger(name)
        }
        try self.init(row: .object(StoredJSON.object(row, place: "triggers.row")), runner: ConditionRunner())
    }

    /// Compiles a row.
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
