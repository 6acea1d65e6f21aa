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

    /// Where a pattern stands among the groups.
    private struct Place: Hashable {
        let collections: [String]
        /// The levels whose ids are literal, and these ids.
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

    /// The order in which triggers run.
    package static func comesFirst(_ one: CompiledTrigger, _ other: CompiledTrigger) -> Bool {
        one.definition.name.utf8.lexicographicallyPrecedes(other.definition.name.utf8)
    }

    /// Whether any trigger watches documents under these collections: asked before a path is made.
    package func watches(_ collections: [String]) -> Bool { !groups.isEmpty && groups[collections] != nil }

    /// Those that watch a document, as many lists as there are forms of paths that match it.
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
