import Configuration
import EventLoop
import Model
import Synchronization
import Telemetry

/// The end of a loop: for how long its connections wait for answers when the server stops.
///
/// - Confinement: loop
final class Drain {
    private let loop: Loop
    private let settings: LoopSettings
    /// Whether the server is being stopped.
    private(set) var hasBegun = false
    /// When the answers to earlier commands must be there; nil before the server stops. Nothing more begins afterwards.
    private(set) var deadline: Int64?
    /// With the writer.
    private var patience: StopPatience?

    init(_ loop: Loop, _ settings: LoopSettings) {
        self.loop = loop
        self.settings = settings
    }

    /// The server is to stop.
    func begin() {
        hasBegun = true
        deadline = loop.now + Limits.drainMilliseconds / 2
        patience = StopPatience(
            at: loop.now, milliseconds: settings.configuration.stopMilliseconds, commits: settings.metrics.commitsEnded)
    }

    /// Asked once a second: writes that were begun are waited for as long as the writer makes progress.
    ///
    /// - Returns: whether every connection is to end now.
    func isOver() -> Bool {
        let metrics = settings.metrics
        let pending = metrics.writesPending.now
        if let later = patience?.deadline(at: loop.now, pending: pending, commits: metrics.commitsEnded) {
            deadline = later
            return false
        }
        guard let deadline, loop.now >= deadline else { return false }
        if patience != nil, pending > 0 { metrics.writesUnanswered.store(pending, ordering: .relaxed) }
        patience = nil
        return true
    }
}

@available(*, unavailable)
extension Drain: Sendable {}
