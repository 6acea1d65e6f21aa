package import JSON
import Synchronization
package import Triggers

/// The counts of each trigger's runs since the server started. They are in memory, because a run without effect writes
/// nothing.
///
/// - Confinement: any
package final class TriggerTally: Sendable {
    /// The counts of one trigger.
    package struct Counts: Sendable, Hashable {
        /// Changes that match its path and event.
        package var matched = 0
        /// The changes of them that notified somebody.
        package var fired = 0
        /// Notifications written, one for each stream.
        package var notifications = 0
        package var scheduled = 0
        package var failed = 0
        /// Why nothing was to be done, and how often.
        package var skipped: [String: Int] = [:]

        package init() {}

        /// Changes on which nothing was to be done.
        package var skippedAll: Int { skipped.values.reduce(0, +) }

        /// Adds to the count of a reason, or takes away what was counted too much. The first dozen reasons have counts
        /// of their own.
        mutating func addSkipped(_ word: String, _ count: Int) {
            let isKnown = skipped[word] != nil || skipped.count < TriggerTally.reasonsMax
            let count = skipped[isKnown ? word : "other", default: 0] + count
            skipped[isKnown ? word : "other"] = count == 0 ? nil : count
        }

        /// Adds those of another.
        package mutating func add(_ other: Counts) {
            matched += other.matched
            fired += other.fired
            notifications += other.notifications
            scheduled += other.scheduled
            failed += other.failed
            skipped.merge(other.skipped, uniquingKeysWith: +)
        }

        /// As the list of triggers shows them.
        package var json: JSONValue {
            var reasons = JSONObject()
            for (reason, count) in skipped.sorted(by: { $0.key < $1.key }) { reasons[reason] = .integer(Int64(count)) }
            return [
                "matched": .integer(Int64(matched)), "fired": .integer(Int64(fired)),
                "notifications": .integer(Int64(notifications)), "scheduled": .integer(Int64(scheduled)),
                "skipped": .object(reasons), "failed": .integer(Int64(failed)),
            ]
        }
    }

    /// Reasons with counts of their own for one trigger; further reasons count as `other`.
    private static let reasonsMax = 12

    /// Triggers that watch the same documents and may be ruled out together.
    private struct List {
        let members: [(name: String, event: WatchedEvent)]
        /// Changes that count for all of them.
        var changes: [ChangeEvent: Int] = [:]
    }

    /// The counts by name, and the counts of whole lists: a change that a thousand triggers watch adds to one number.
    private struct State {
        var counts: [String: Counts] = [:]
        var lists: [List] = []

        /// Adds the counts of the lists to the counts by name.
        mutating func fold() {
            for place in lists.indices where !lists[place].changes.isEmpty {
                let changes = lists[place].changes
                lists[place].changes = [:]
                for (name, event) in lists[place].members {
                    let count = changes.reduce(0) { event.includes($1.key) ? $0 + $1.value : $0 }
                    guard count > 0 else { continue }
                    counts[name, default: Counts()].matched += count
                    counts[name, default: Counts()].addSkipped(TriggerTally.conditionWord, count)
                }
            }
        }
    }

    /// Protected by its lock, taken once for a change and once for each trigger that is not ruled out.
    private let state = Mutex(State())
    /// By name. Protected by its lock, taken once each time the table is loaded or shown.
    private let brokenRows = Mutex<[String: String]>([:])

    package init() {}

    /// Counts of every trigger that a change has matched, in the order of names.
    package var all: [(name: String, counts: Counts)] {
        state.withLock { state in
            state.fold()
            return state.counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
    }

    /// By name, the rows of the table that are stopped, and why.
    package var broken: [String: String] { brokenRows.withLock { $0 } }

    func setBroken(_ rows: [String: String]) { brokenRows.withLock { $0 = rows } }

    /// Sets which triggers are counted together, by the number of their list. Earlier counts stay.
    func setLists(_ lists: [[(name: String, event: WatchedEvent)]]) {
        state.withLock { state in
            state.fold()
            state.lists = lists.map { List(members: $0) }
        }
    }

    /// Counts a change for every trigger of a list that the event concerns, as though no condition were true.
    /// ``note(_:isListed:)`` corrects the others.
    package func noteChange(_ event: ChangeEvent, ofList list: Int) {
        state.withLock { $0.lists[list].changes[event, default: 0] += 1 }
    }

    /// - Parameter isListed: whether ``noteChange(_:ofList:)`` has counted the trigger already, as one whose condition was
    ///   not true.
    package func note(_ report: TriggerReport, isListed: Bool = false) {
        state.withLock { state in
            var counts = state.counts[report.trigger] ?? Counts()
            if isListed { counts.addSkipped(Self.conditionWord, -1) } else { counts.matched += 1 }
            switch report.effect {
            case .notified(let written):
                counts.fired += 1
                counts.notifications += written
            case .scheduled: counts.scheduled += 1
            case .failed: counts.failed += 1
            case .skipped(let reason): counts.addSkipped(Self.word(for: reason), 1)
            }
            state.counts[report.trigger] = counts
        }
    }

    /// Counts a scheduled notification that was sent.
    package func noteDue(_ trigger: String, written: Int) {
        state.withLock { state in
            state.counts[trigger, default: Counts()].fired += 1
            state.counts[trigger, default: Counts()].notifications += written
        }
    }

    /// Counts a scheduled notification that had expired before it was sent.
    package func noteExpired(_ trigger: String) {
        state.withLock { $0.counts[trigger, default: Counts()].skipped["expired", default: 0] += 1 }
    }

    /// Counts a scheduled notification for which the server came too late.
    package func noteLate(_ trigger: String) {
        state.withLock { $0.counts[trigger, default: Counts()].skipped["late", default: 0] += 1 }
    }

    /// Forgets a trigger that was deleted.
    package func forget(_ trigger: String) {
        state.withLock { state in
            state.fold()
            state.counts[trigger] = nil
        }
    }

    private static let conditionWord = "condition"

    /// A reason without its changing parts: `the condition is 0` and `the condition is NULL` are one.
    private static func word(for reason: String) -> String {
        if reason.hasPrefix("the condition is") { return conditionWord }
        if reason.hasPrefix("late:") { return "late" }
        return reason.hasPrefix("at is") ? "no-time" : String(reason.prefix(40))
    }
}
