package import Model

/// The enabled triggers, found by the collections of a changed document, and by the ids where rows name some.
///
/// A change that no trigger watches costs one look-up by the names of its collections, without reading its document
/// (and without making its path, with ``watches(_:)``). A thousand triggers on other collections, or on other documents
/// of the same collection, cost nothing. The table is immutable: a changed row makes a new table.
///
/// - Confinement: store
package struct TriggerTable {
    /// All triggers, enabled or not, by name.
    package let triggers: [CompiledTrigger]
    private let groups: [[String]: [Group]]

    /// The triggers on the same collections with literal ids at the same levels.
    private struct Group {
        let literals: [Int]
        /// The triggers by the ids at these levels.
        var byIDs: [[String]: WatchingTriggers] = [:]
    }

    /// - Parameter triggers: In any order; they run in the order of their names, on every machine.
    package init(_ triggers: [CompiledTrigger]) {
        let sorted = triggers.sorted(by: Self.comesFirst)
        var watching: [Place: [CompiledTrigger]] = [:]
        for trigger in sorted where trigger.definition.isEnabled {
            watching[Place(trigger.definition.path), default: []].append(trigger)
        }
        var groups: [[String]: [Group]] = [:]
        for (place, triggers) in watching {
            var known = groups[place.collections] ?? []
            let index = known.firstIndex { $0.literals == place.literals } ?? known.endIndex
            if index == known.endIndex { known.append(Group(literals: place.literals)) }
            known[index].byIDs[place.ids] = WatchingTriggers(triggers)
            groups[place.collections] = known
        }
        self.triggers = sorted
        self.groups = groups
    }

    /// The place of a pattern among the groups.
    private struct Place: Hashable {
        let collections: [String]
        /// The levels with literal ids, and these ids.
        var literals: [Int] = []
        var ids: [String] = []

        init(_ path: PathPattern) {
            collections = path.levels.map(\.collection)
            for (index, level) in path.levels.enumerated() {
                guard case .literal(let id) = level.id else { continue }
                literals.append(index)
                ids.append(id)
            }
        }
    }

    /// Whether one trigger runs before another.
    package static func comesFirst(_ one: CompiledTrigger, _ other: CompiledTrigger) -> Bool {
        one.definition.name.utf8.lexicographicallyPrecedes(other.definition.name.utf8)
    }

    /// Whether any trigger watches documents under these collections: asked before a path is made.
    package func watches(_ collections: [String]) -> Bool { !groups.isEmpty && groups[collections] != nil }

    /// The triggers that watch a document: one list for each form of path that matches it.
    package func watching(_ path: DocumentPath) -> [WatchingTriggers] {
        guard !groups.isEmpty, let groups = groups[path.levels.map(\.collection)] else { return [] }
        return groups.compactMap { group in group.byIDs[group.literals.map { path.levels[$0].id }] }
    }

    /// All lists of triggers that watch the same documents.
    package var allWatching: [WatchingTriggers] { groups.values.flatMap { $0.flatMap(\.byIDs.values) } }

    /// The trigger of the name, enabled or not.
    package func trigger(named name: String) -> CompiledTrigger? { triggers.first { $0.definition.name == name } }
}

@available(*, unavailable)
extension TriggerTable: Sendable {}
