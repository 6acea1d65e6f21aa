package import JSON

/// The enabled triggers that watch the same documents; it finds those that must evaluate a change.
///
/// Made once for a table and kept with it.
///
/// - Confinement: store
package final class WatchingTriggers {
    /// In the order of their names.
    package let triggers: [CompiledTrigger]
    /// Whether any of their conditions can be evaluated without SQLite.
    package let isJudged: Bool
    /// Whether one of them schedules notifications, or remembers the documents for which it has fired.
    package let hasSchedules: Bool
    package let hasMemory: Bool
    /// Whether one of them notifies of new documents alone: its notifications follow the documents.
    package let hasCreations: Bool
    /// The index of the tally's list that counts the triggers ruled out here; set by the owner.
    package var tallyList = 0

    private let index: ConditionIndex
    private let concerned: Set<ChangeEvent>
    /// For each event, how many of the concerned triggers have a condition that can be evaluated without SQLite.
    private let judgedCounts: [ChangeEvent: Int]

    init(_ triggers: [CompiledTrigger]) {
        self.triggers = triggers
        index = ConditionIndex(triggers.map(\.decidingShape))
        isJudged = triggers.contains(where: \.isJudgedByCondition)
        hasSchedules = triggers.contains { $0.definition.at != nil }
        hasCreations = triggers.contains { $0.definition.event == .create }
        hasMemory = triggers.contains { $0.definition.rearm != nil }
        concerned = Set(ChangeEvent.allCases.filter { event in triggers.contains { $0.isConcerned(by: event) } })
        judgedCounts = ChangeEvent.allCases.reduce(into: [:]) { counts, event in
            counts[event] = triggers.count { $0.isJudgedByCondition && $0.isConcerned(by: event) }
        }
    }

    /// Whether a change of the kind may have an effect through any of them.
    package func isConcerned(by event: ChangeEvent) -> Bool { concerned.contains(event) }

    /// The triggers after a first check without SQLite.
    package struct Sifted {
        /// The triggers that must evaluate the change, in the order of their names.
        package fileprivate(set) var candidates: [CompiledTrigger] = []
        /// How many more triggers the event concerns, whose condition is not true.
        package fileprivate(set) var ruledOutCount = 0
        /// The first of these, by name.
        package fileprivate(set) var ruledOut: [CompiledTrigger] = []
    }

    /// Separates the triggers that must evaluate a change from those whose condition is not true.
    ///
    /// - Parameter named: How many of the triggers that are ruled out to name.
    package func sift(_ event: ChangeEvent, before: JSONValue?, after: JSONValue?, naming named: Int) -> Sifted {
        let places = index.candidates(before: before, after: after)
        var sifted = Sifted()
        var judgedCount = 0
        for place in places where triggers[place].isConcerned(by: event) {
            sifted.candidates.append(triggers[place])
            if triggers[place].isJudgedByCondition { judgedCount += 1 }
        }
        sifted.ruledOutCount = (judgedCounts[event] ?? 0) - judgedCount
        guard sifted.ruledOutCount > 0, named > 0 else { return sifted }
        let found = Set(places)
        for (place, trigger) in triggers.enumerated() {
            guard trigger.isJudgedByCondition, trigger.isConcerned(by: event), !found.contains(place) else {
                continue
            }
            sifted.ruledOut.append(trigger)
            if sifted.ruledOut.count == named { break }
        }
        return sifted
    }
}

@available(*, unavailable)
extension WatchingTriggers: Sendable {}
