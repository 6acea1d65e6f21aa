package import Execution
import JSON
import Model
import Store

/// `GET /v1/rules`: the table in force; version 0 is the configured one.
///
/// - Confinement: any
package struct ReadRules: ReadUseCase {
    package init() {}

    package func perform(in context: ReadContext) throws -> AnswerWithFact {
        let table = try context.rules.table(in: context.transaction)
        return AnswerWithFact(
            ["version": .integer(table.version), "rules": .object(table.rules.json)], .version(table.version))
    }
}
