import Synchronization

/// The results that the loops of a scenario share with the main thread.
/// - Confinement: any
final class ScoreBoard: Sendable {
    /// The ways in which a server can break a promise.
    enum Fault: String, Sendable, CaseIterable {
        case lost, doubled, reordered, refused
    }

    /// Connections that are ready.
    let connected = Atomic<Int>(0)
    /// Loops whose connections are all ready.
    let readyLoops = Atomic<Int>(0)
    /// The number that is measured: messages or deliveries that have arrived.
    let count = Atomic<Int>(0)
    /// The number that must arrive for everything that was sent.
    let owed = Atomic<Int>(0)
    /// Set when all work is done.
    let isDone = Atomic<Bool>(false)
    /// Set before the end, when closed connections are no fault.
    let isEnding = Atomic<Bool>(false)
    /// Protected by its lock.
    private struct Entries {
        var problem: String?
        var latencies: [String: Latencies] = [:]
        var faults: [Fault: Int] = [:]
    }
    private let entries = Mutex(Entries())

    /// Gives the scenario up; only the first reason is kept.
    func fail(_ reason: String) {
        guard !isEnding.load(ordering: .relaxed) else { return }
        entries.withLock { $0.problem = $0.problem ?? reason }
    }

    /// - Throws: when a loop has given up.
    func check() throws(LoadFailure) {
        if let problem = entries.withLock({ $0.problem }) { throw LoadFailure(problem) }
    }

    func add(_ measured: Latencies, as name: String) {
        entries.withLock { $0.latencies[name, default: Latencies()].add(measured) }
    }

    func latencies(_ name: String) -> Latencies {
        entries.withLock { $0.latencies[name] ?? Latencies() }
    }

    func add(_ fault: Fault, _ count: Int) {
        guard count > 0 else { return }
        entries.withLock { $0.faults[fault, default: 0] += count }
    }

    /// All kinds of faults, also those that did not occur.
    var faults: [(name: String, count: Int)] {
        entries.withLock { entries in Fault.allCases.map { ($0.rawValue, entries.faults[$0] ?? 0) } }
    }
}
