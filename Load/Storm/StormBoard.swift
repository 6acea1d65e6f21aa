import ClientProtocol
import Session
import Synchronization

/// The state that the loops of a storm share with the main thread.
///
/// - Confinement: any
final class StormBoard: Sendable {
    /// The progress of a loop.
    struct Status: Sendable {
        var live = 0
        /// Clients that must come back and have not yet.
        var awaited = 0
        /// Acknowledged messages.
        var acknowledged: Int64 = 0
        /// Messages without a reply.
        var pending = 0
        /// Messages that their clients have got.
        var received: Int64 = 0
        /// Notices that clients have got.
        var noticed: Int64 = 0

        static func + (left: Status, right: Status) -> Status {
            Status(
                live: left.live + right.live, awaited: left.awaited + right.awaited,
                acknowledged: left.acknowledged + right.acknowledged, pending: left.pending + right.pending,
                received: left.received + right.received, noticed: left.noticed + right.noticed)
        }
    }

    /// Protected by its lock.
    private struct Entries {
        var problem: String?
        var statuses: [ObjectIdentifier: Status] = [:]
        var books = StormBooks()
        var booksCount = 0
        var figures: StormProbe.Figures?
        var ends: [String: Int] = [:]
    }

    private let entries = Mutex(Entries())

    func fail(_ reason: String) { entries.withLock { $0.problem = $0.problem ?? reason } }

    func set(_ status: Status, loop: ObjectIdentifier) { entries.withLock { $0.statuses[loop] = status } }

    /// Counts how a connection ended: by a close code, lost without one, or never answered.
    func ended(_ end: TransportEnd, wasOnline: Bool) {
        let name =
            if case .closed(let code?, _) = end { String(code) } else { wasOnline ? "lost" : "never stood" }
        entries.withLock { $0.ends[name, default: 0] += 1 }
    }

    /// Forgets how connections have ended so far.
    func resetEnds() -> [String: Int] {
        entries.withLock { entries in
            defer { entries.ends = [:] }
            return entries.ends
        }
    }

    func add(_ books: StormBooks) {
        entries.withLock { entries in
            entries.books.add(books)
            entries.booksCount += 1
        }
    }

    func add(_ figures: StormProbe.Figures) { entries.withLock { $0.figures = figures } }

    /// The progress of all loops together.
    ///
    /// - Throws: when one of them has given up.
    func status() throws(LoadFailure) -> Status {
        let (problem, sum) = entries.withLock { ($0.problem, $0.statuses.values.reduce(Status(), +)) }
        if let problem { throw LoadFailure(problem) }
        return sum
    }

    /// How many loops have delivered their results, and these results.
    var result: (loops: Int, books: StormBooks) { entries.withLock { ($0.booksCount, $0.books) } }

    /// The measured times; nil before the end.
    var figures: StormProbe.Figures? { entries.withLock { $0.figures } }
}

/// The results of the clients of a storm.
struct StormBooks: Sendable {
    /// The time from the storm's beginning to each client's `live`.
    var times = Latencies()
    var first: Duration?
    var last: Duration?
    /// Clients that did not come back.
    var missing = 0
    /// Durable events that arrived before `live`.
    var resumed = 0
    var faults: [StormLedger.Fault: Int] = [:]

    mutating func add(_ client: StormClient, _ found: [StormLedger.Fault: Int], since: ContinuousClock.Instant) {
        faults.merge(found, uniquingKeysWith: +)
        resumed += client.resumed
        if client.isAwaited { missing += 1 }
        guard let liveAt = client.liveAt else { return }
        let time = max(.zero, liveAt - since)
        times.record(time)
        first = min(first ?? time, time)
        last = max(last ?? time, time)
    }

    mutating func add(_ other: StormBooks) {
        times.add(other.times)
        first = [first, other.first].compactMap(\.self).min()
        last = [last, other.last].compactMap(\.self).max()
        missing += other.missing
        resumed += other.resumed
        faults.merge(other.faults, uniquingKeysWith: +)
    }
}
