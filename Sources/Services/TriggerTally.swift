package import JSON
import Synchronization

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

    /// By name. Protected by its lock, taken once for each trigger that a change matches.
    private let counts = Mutex<[String: Counts]>([:])
    /// By name. Protected by its lock, taken once whenever the table is loaded or shown.
    private let brokenRows = Mutex<[String: String]>([:])

    package init() {}

    /// Counts of every trigger that a change has matched, in the order of names.
    package var all: [(name: String, counts: Counts)] {
        counts.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }

    /// Rows of the table that are set aside since they cannot be compiled, and why, by name.
    package var broken: [String: String] { brokenRows.withLock { $0 } }

    func setBroken(_ rows: [String: String]) { brokenRows.withLock { $0 = rows } }

    func note(_ report: TriggerReport) {
        counts.withLock { all in
            var counts = all[report.trigger] ?? Counts()
            counts.matched += 1
            switch report.effect {
            case .notified(let written):
                counts.fired += 1
                counts.notifications += written
            case .scheduled: counts.scheduled += 1
            case .failed: counts.failed += 1
            case .skipped(let reason):
                let word = Self.word(for: reason)
                let isKnown = counts.skipped[word] != nil || counts.skipped.count < Self.reasonsMax
                counts.skipped[isKnown ? word : "other", default: 0] += 1
            }
            all[report.trigger] = counts
        }
    }

    /// What was scheduled has fired.
    func noteDue(_ trigger: String, written: Int) {
        counts.withLock { all in
            all[trigger, default: Counts()].fired += 1
            all[trigger, default: Counts()].notifications += written
        }
    }

    /// What was scheduled had expired when its time was seen.
    func noteExpired(_ trigger: String) {
        counts.withLock { $0[trigger, default: Counts()].skipped["expired", default: 0] += 1 }
    }

    /// A trigger is no more.
    func forget(_ trigger: String) { counts.withLock { $0[trigger] = nil } }

    /// A reason without what is different each time: `the condition is 0` and `the condition is NULL` are one.
    private static func word(for reason: String) -> String {
        if reason.hasPrefix("the condition is") { return "condition" }
        return reason.hasPrefix("at is") ? "no-time" : String(reason.prefix(40))
    }
}
