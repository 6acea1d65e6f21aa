package import Execution
import JSON
import Model
import Store
package import Triggers

/// Gives a new database its trigger table: all rows in one transaction, so that no other node finds a part of them.
///
/// - Confinement: any
package struct LoadTriggers: WriteUseCase {
    private let definitions: [TriggerDefinition]

    package init(_ definitions: [TriggerDefinition]) { self.definitions = definitions }

    package func perform(in context: WriteContext) throws -> AnswerFact {
        for definition in definitions {
            let position = try context.transaction.appendSilently()
            try context.transaction.triggers.put(definition.name, row: definition.json.text, at: position)
        }
        return .none
    }
}
