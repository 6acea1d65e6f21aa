import Synchronization

/// What was measured so far, which a signal may want written at any moment.
///
/// - Confinement: any
final class RunRecord: Sendable {
    private let report: Mutex<LoadReport>

    init() { report = Mutex(LoadReport()) }

    var run: LoadReport { report.withLock { $0 } }

    func add(_ outcomes: [Outcome]) { report.withLock { $0.outcomes += outcomes } }

    /// Says what keeps the run from being whole; nil when it has become whole.
    func note(unfinished: String?) { report.withLock { $0.unfinished = unfinished } }
}
