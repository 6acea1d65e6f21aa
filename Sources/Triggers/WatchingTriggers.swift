package import JSON
import Model

/// The enabled triggers that watch the same documents, and which of them a change has to be shown to.
///
/// Made once for a table and kept by it.
///
/// - Confinement: store
package final class WatchingTriggers {
    /// In the order of their names.
    package let triggers: [CompiledTrigger]
    /// Whether the conditions of any may be told without SQLite.
    package let isJudged: Bool
    /// Whether one of them schedules, or remembers for which documents it has fired.
    package let hasSchedules: Bool
    package let hasMemory: Bool
    /// Which of the tally's lists counts what is ruled out here; the owner's.
    package var tallyList = 0

    private let index: ConditionIndex
    private let concerned: Set<ChangeEvent>
    /// How many an event concerns whose conditions may be told without SQLite.
    private let judgedCounts: [ChangeEvent: Int]

    init(_ triggers: [CompiledTrigger]) {
        self.triggers = triggers
        index = ConditionIndex(triggers.map(\.decidingShape))
        isJudged = triggers.contains(where: \.isJudgedByCondition)
        hasSchedules = triggers.contains { $0.definition.at != nil }
        hasMemory = triggers.contains { $0.definition.rearm != nil }
        concerned = Set(ChangeEvent.allCases.filter { event in triggers.contains { $0.isConcerned(by: event) } })
        judgedCounts = ChangeEvent.allCases.reduce(into: [:]) { counts, event in
            counts[event] = triggers.count { $0.isJudgedByCondition && $0.isConcerned(by: event) }
        }
    }

    /// Whether a change of the kind may make any of them do something.
    package func isConcerned(by event: ChangeEvent) -> Bool { concerned.contains(event) }

    /// What the conditions of all of them come to for one change, as far as it can be told without SQLite.
    package struct Sifted {
        /// Those that may do something about it, in the order of their names.
        package fileprivate(set) var candidates: [CompiledTrigger] = []
        /// How many more the event concerns: their condition is not true.
        package fileprivate(set) var ruledOutCount = 0
        /// The first of these, by name.
        package fileprivate(set) var ruledOut: [CompiledTrigger] = []
    }

    /// Tells those that a change has to be shown to from those whose condition is not true.
    ///
    /// - Parameter named: how many of those that are ruled out are to be named.
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
