package import Model

/// The enabled triggers, found by what a change is: its collections, and the ids where rows name some.
///
/// A change that no trigger watches costs one look-up by the names of its collections, without touching its document
/// (``watches(_:)``: without its path, too); a thousand triggers on other collections, or on other documents of the same
/// one, cost nothing. Immutable: a changed row makes a new table.
///
/// - Confinement: store
package struct TriggerTable {
    /// All triggers, enabled or not, by name.
    package let triggers: [CompiledTrigger]
    private let groups: [[String]: [Group]]

    /// The triggers on the same collections whose ids are literal at the same levels.
    private struct Group {
        let literals: [Int]
        /// By the ids at these levels.
        var byIDs: [[String]: [CompiledTrigger]] = [:]
    }

    /// - Parameter triggers: In any order; they run in the order of their names, on every machine.
    package init(_ triggers: [CompiledTrigger]) {
        let sorted = triggers.sorted(by: Self.comesFirst)
        var groups: [[String]: [Group]] = [:]
        for trigger in sorted where trigger.definition.isEnabled {
            let levels = trigger.definition.path.levels
            var literals: [Int] = []
            var ids: [String] = []
            for (index, level) in levels.enumerated() {
                guard case .literal(let id) = level.id else { continue }
                literals.append(index)
                ids.append(id)
            }
            var known = groups[levels.map(\.collection)] ?? []
            let index = known.firstIndex { $0.literals == literals } ?? known.endIndex
            if index == known.endIndex { known.append(Group(literals: literals)) }
            known[index].byIDs[ids, default: []].append(trigger)
            groups[levels.map(\.collection)] = known
        }
        self.triggers = sorted
        self.groups = groups
    }

    private static func comesFirst(_ one: CompiledTrigger, _ other: CompiledTrigger) -> Bool {
        one.definition.name.utf8.lexicographicallyPrecedes(other.definition.name.utf8)
    }

    /// Whether any trigger watches documents under these collections: asked before a path is made.
    package func watches(_ collections: [String]) -> Bool { !groups.isEmpty && groups[collections] != nil }

    /// The triggers whose path matches, whatever their event, in the order of their names.
    package func triggers(at path: DocumentPath) -> [CompiledTrigger] {
        guard !groups.isEmpty, let groups = groups[path.levels.map(\.collection)] else { return [] }
        let found = groups.map { group in group.byIDs[group.literals.map { path.levels[$0].id }] ?? [] }
        let hits = found.filter { !$0.isEmpty }
        return hits.count == 1 ? hits[0] : hits.flatMap { $0 }.sorted(by: Self.comesFirst)
    }

    /// The trigger of the name, enabled or not.
    package func trigger(named name: String) -> CompiledTrigger? { triggers.first { $0.definition.name == name } }
}

@available(*, unavailable)
extension TriggerTable: Sendable {}
