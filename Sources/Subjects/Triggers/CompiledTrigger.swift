import Model

/// A row of the trigger table, ready to run.
///
/// - Confinement: store
package final class CompiledTrigger {
    package let definition: TriggerDefinition
    /// Counts the work of its evaluations.
    package let meter: WorkMeter
    /// Whether the trigger is disabled, since it ran out of its budget too often.
    package var isSetAside = false
    /// How many times in a row the trigger has run out of its budget.
    package var overruns = 0
    /// The most work that it caused for a change without running out of its budget.
    package var usualWork = 0

    let condition: Condition?
    /// Finds out the condition's value without SQLite, for rows in which the condition alone decides; nil for other
    /// rows. Rows that withdraw, rearm or schedule look at every change.
    let decidingShape: ConditionShape?
    let at: Condition?
    let withdraw: Condition?
    let rearm: Condition?
    /// The highest level first; empty when the row has one level for all changes.
    let levels: [(level: InterruptionLevel, condition: Condition)]
    let templates: NotificationTemplates
    /// The texts of digests of its notifications; nil for the server's own.
    package let digest: DigestTemplates?
    /// Whether the caller must look up ``DocumentChange/readerZone``.
    package let readsReaderZone: Bool

    /// Compiles a row.
    ///
    /// - Throws: ``TriggerProblem`` for the columns that are expressions, with SQLite's message and the place.
    package init(_ definition: TriggerDefinition, runner: ConditionRunner) throws(TriggerProblem) {
        self.definition = definition
        meter = runner.meter
        condition = try Self.compile(definition.condition, "condition", definition, runner)
        at = try Self.compile(definition.at ?? "", "at", definition, runner)
        withdraw = try Self.compile(definition.withdraw ?? "", "withdraw", definition, runner)
        rearm = try Self.compile(definition.rearm ?? "", "rearm", definition, runner)
        var levels: [(level: InterruptionLevel, condition: Condition)] = []
        if case .byDocument(let entries, _) = definition.level {
            for entry in entries {
                let field = "level.\(entry.level.rawValue)"
                guard let condition = try Self.compile(entry.expression, field, definition, runner) else { continue }
                levels.append((entry.level, condition))
            }
        }
        self.levels = levels
        let decides = definition.withdraw == nil && definition.rearm == nil && definition.at == nil
        decidingShape = decides ? ConditionShape(definition.condition, names: definition.path.names) : nil
        templates = try NotificationTemplates(definition)
        digest = try definition.digest.map { texts throws(TriggerProblem) in try DigestTemplates(texts) }
        readsReaderZone = definition.mentionsReaderZone
    }

    /// Whether a change of a document that the path matches may make the trigger do something.
    ///
    /// Beside the events of the row: withdrawal and rearming look at every change, and a changed document moves the
    /// times that its creation has scheduled.
    package func isConcerned(by event: ChangeEvent) -> Bool {
        if definition.event.includes(event) || withdraw != nil || rearm != nil { return true }
        guard at != nil else { return false }
        return event == .update && definition.event == .create || event == .create && definition.event == .delete
    }

    /// Whether its condition alone decides if a change has an effect, and can be evaluated without SQLite.
    package var isJudgedByCondition: Bool { decidingShape != nil }

    private static func compile(
        _ text: String,
        _ field: String,
        _ definition: TriggerDefinition,
        _ runner: ConditionRunner
    ) throws(TriggerProblem) -> Condition? {
        guard !text.isEmpty else { return nil }
        let names = definition.path.names + (definition.hasReaderZone ? [ReaderZone.name] : [])
        do {
            return try runner.compile(text, names: names, others: definition.with.names)
        } catch {
            throw TriggerProblem(field, error)
        }
    }
}

@available(*, unavailable)
extension CompiledTrigger: Sendable {}
