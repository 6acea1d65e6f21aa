package import JSON
import Synchronization
import Triggers

/// What each trigger did since the server was started, counted in memory: nothing is written for a run that ends in
/// nothing.
///
/// - Confinement: any
package final class TriggerTally: Sendable {
    /// The counts of one trigger.
    package struct Counts: Sendable, Hashable {
        /// Changes that its path and event watch.
        package var matched = 0
        /// Of those, such as notified somebody.
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

        /// Adds to a reason, or takes away what was counted too much; the first dozen are told apart.
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

    /// Reasons told apart for one trigger; what more there is counts as `other`.
    private static let reasonsMax = 12

    /// Triggers that watch the same documents, and may be ruled out together.
    private struct List {
        let members: [(name: String, event: WatchedEvent)]
        /// Changes that they were all counted for.
        var changes: [ChangeEvent: Int] = [:]
    }

    /// What is counted by name, and for whole lists: a change whose documents a thousand triggers watch is one number.
    private struct State {
        var counts: [String: Counts] = [:]
        var lists: [List] = []

        /// Adds what the lists have counted to those of each name.
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
    /// By name. Protected by its lock, taken once whenever the table is loaded or shown.
    private let brokenRows = Mutex<[String: String]>([:])

    package init() {}

    /// Counts of every trigger that a change has matched, in the order of names.
    package var all: [(name: String, counts: Counts)] {
        state.withLock { state in
            state.fold()
            return state.counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
    }

    /// Rows of the table that are set aside since they cannot be compiled, and why, by name.
    package var broken: [String: String] { brokenRows.withLock { $0 } }

    func setBroken(_ rows: [String: String]) { brokenRows.withLock { $0 = rows } }

    /// Which triggers are counted together, by the number of their list; what was counted before stays.
    func setLists(_ lists: [[(name: String, event: WatchedEvent)]]) {
        state.withLock { state in
            state.fold()
            state.lists = lists.map { List(members: $0) }
        }
    }

    /// A change was matched by every trigger of a list that the event concerns, and no condition was true; what is not so
    /// says ``note(_:isListed:)``.
    func noteChange(_ event: ChangeEvent, ofList list: Int) {
        state.withLock { $0.lists[list].changes[event, default: 0] += 1 }
    }

    /// - Parameter isListed: whether ``noteChange(_:ofList:)`` has counted the trigger already, as one whose condition was
    ///   not true.
    func note(_ report: TriggerReport, isListed: Bool = false) {
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

    /// What was scheduled has fired.
    func noteDue(_ trigger: String, written: Int) {
        state.withLock { state in
            state.counts[trigger, default: Counts()].fired += 1
            state.counts[trigger, default: Counts()].notifications += written
        }
    }

    /// What was scheduled had expired when its time was seen.
    func noteExpired(_ trigger: String) {
        state.withLock { $0.counts[trigger, default: Counts()].skipped["expired", default: 0] += 1 }
    }

    /// The server came too late to what was scheduled.
    func noteLate(_ trigger: String) {
        state.withLock { $0.counts[trigger, default: Counts()].skipped["late", default: 0] += 1 }
    }

    /// A trigger is no more.
    func forget(_ trigger: String) {
        state.withLock { state in
            state.fold()
            state.counts[trigger] = nil
        }
    }

    private static let conditionWord = "condition"

    /// A reason without what is different each time: `the condition is 0` and `the condition is NULL` are one.
    private static func word(for reason: String) -> String {
        if reason.hasPrefix("the condition is") { return conditionWord }
        if reason.hasPrefix("late:") { return "late" }
        return reason.hasPrefix("at is") ? "no-time" : String(reason.prefix(40))
    }
}
