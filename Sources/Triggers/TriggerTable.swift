package import Model

/// The enabled triggers, found by what a change is: its collections, its event, and the id where a row names one.
///
/// A change that no trigger watches costs one look-up by the names of its collections, without touching its document;
/// a thousand triggers on other collections, or on other documents of the same one, cost nothing. Immutable: a changed
/// row makes a new table.
///
/// - Confinement: store
package struct TriggerTable {
    /// All triggers, enabled or not, by name.
    package let triggers: [CompiledTrigger]
    private let buckets: [PathShape: Bucket]

    /// The triggers of one shape of path.
    private struct Bucket {
        /// Of rows whose last id is literal, by that id.
        var byLastID: [String: [CompiledTrigger]] = [:]
        /// Of the others.
        var byName: [CompiledTrigger] = []
    }

    /// The collections of a path without its ids: what a pattern always names.
    private struct PathShape: Hashable {
        let levels: [DocumentPath.Level]

        static func == (left: PathShape, right: PathShape) -> Bool {
            left.levels.elementsEqual(right.levels) { $0.collection == $1.collection }
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(levels.count)
            for level in levels { hasher.combine(level.collection) }
        }
    }

    /// - Parameter triggers: In any order; they run in the order of their names, on every machine.
    package init(_ triggers: [CompiledTrigger]) {
        let sorted = triggers.sorted { $0.definition.name.utf8.lexicographicallyPrecedes($1.definition.name.utf8) }
        var buckets: [PathShape: Bucket] = [:]
        for trigger in sorted where trigger.definition.isEnabled {
            guard let shape = Self.shape(of: trigger.definition.path) else { continue }
            if case .literal(let id) = trigger.definition.path.levels.last?.id {
                buckets[shape, default: Bucket()].byLastID[id, default: []].append(trigger)
            } else {
                buckets[shape, default: Bucket()].byName.append(trigger)
            }
        }
        self.triggers = sorted
        self.buckets = buckets
    }

    private static func shape(of pattern: PathPattern) -> PathShape? {
        let example = pattern.levels.map { "\($0.collection)/x" }.joined(separator: "/")
        return (try? DocumentPath(example)).map { PathShape(levels: $0.levels) }
    }

    /// The triggers that watch this change, in the order of their names.
    package func candidates(for path: DocumentPath, event: ChangeEvent) -> [CompiledTrigger] {
        guard let bucket = buckets[PathShape(levels: path.levels)] else { return [] }
        let named = bucket.byLastID[path.id] ?? []
        let found = (named + bucket.byName).filter { trigger in
            trigger.definition.event.includes(event) && trigger.definition.path.match(path) != nil
        }
        guard !named.isEmpty, !bucket.byName.isEmpty else { return found }
        return found.sorted { $0.definition.name.utf8.lexicographicallyPrecedes($1.definition.name.utf8) }
    }
}

@available(*, unavailable)
extension TriggerTable: Sendable {}
