import Synchronization

/// The results so far, which a signal may ask to be written at any moment.
///
/// - Confinement: any
final class RunRecord: Sendable {
    private let report: Mutex<LoadReport>

    init() { report = Mutex(LoadReport()) }

    var run: LoadReport { report.withLock { $0 } }

    func add(_ outcomes: [Outcome]) { report.withLock { $0.outcomes += outcomes } }

    /// Says why the run is incomplete; nil when it is complete.
    func note(unfinished: String?) { report.withLock { $0.unfinished = unfinished } }
}
