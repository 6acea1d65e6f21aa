import Synchronization

/// What the loops of a scenario tell the main thread.
/// - Confinement: any
final class ScoreBoard: Sendable {
    /// Loops whose connections are all ready.
    let readyLoops = Atomic<Int>(0)
    /// What is measured: messages, deliveries.
    let count = Atomic<Int>(0)
    /// Commands refused.
    let failures = Atomic<Int>(0)
    /// Set before the end, when connections close without anything being wrong.
    let isEnding = Atomic<Bool>(false)
    private let problem = Mutex<String?>(nil)
    private let latencies = Mutex<[String: Latencies]>([:])

    /// Gives the scenario up; the first reason counts.
    func fail(_ reason: String) {
        guard !isEnding.load(ordering: .relaxed) else { return }
        problem.withLock { $0 = $0 ?? reason }
    }

    /// - Throws: when a loop has given up.
    func check() throws(LoadFailure) {
        if let problem = problem.withLock({ $0 }) { throw LoadFailure(problem) }
    }

    func add(_ measured: Latencies, as name: String) {
        latencies.withLock { $0[name, default: Latencies()].add(measured) }
    }

    func latencies(_ name: String) -> Latencies {
        latencies.withLock { $0[name] ?? Latencies() }
    }
}
