/// A row of the trigger table, ready to run.
///
/// - Confinement: store
package final class CompiledTrigger {
    package let definition: TriggerDefinition

    let condition: Condition?
    let at: Condition?
    let templates: NotificationTemplates

    /// Compiles a row.
    ///
    /// - Throws: ``TriggerProblem`` for `condition` and `at`, with SQLite's message and the place.
    package init(_ definition: TriggerDefinition, runner: ConditionRunner) throws(TriggerProblem) {
        self.definition = definition
        condition = try Self.compile(definition.condition, "condition", definition, runner)
        at = try Self.compile(definition.at ?? "", "at", definition, runner)
        templates = try NotificationTemplates(definition)
    }

    private static func compile(
        _ text: String,
        _ field: String,
        _ definition: TriggerDefinition,
        _ runner: ConditionRunner
    ) throws(TriggerProblem) -> Condition? {
        guard !text.isEmpty else { return nil }
        do {
            return try runner.compile(text, names: definition.path.names)
        } catch {
            throw TriggerProblem(field, error)
        }
    }
}

@available(*, unavailable)
extension CompiledTrigger: Sendable {}
