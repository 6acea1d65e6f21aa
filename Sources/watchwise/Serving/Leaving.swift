import EventLoop
import Model
import Server

/// Ends a node whose database cannot follow the journal any more, when its sessions have gone to other nodes: the next start
/// fetches the database of another node.
///
/// - Confinement: loop
final class Leaving {
    private static let lookMilliseconds: Int64 = 200
    /// The loops end the sessions within ``Limits/leavingSeconds``; a stuck one is not waited for.
    private static let patienceMilliseconds = Int64(Limits.leavingSeconds) * 1000 + 2000

    private let application: Application
    private let loop: Loop
    private var timer: LoopTimer?
    private var since: Int64?
    /// Why the node ends; nil while it does not.
    private(set) var reason: String?

    /// - Parameter loop: is stopped when the process is to end.
    init(_ application: Application, on loop: Loop) {
        self.application = application
        self.loop = loop
        timer = LoopTimer(on: loop) { [unowned self] in look() }
        timer?.start(afterMilliseconds: Self.lookMilliseconds, repeatingMilliseconds: Self.lookMilliseconds)
    }

    private func look() {
        guard let why = application.rejoins else { return }
        let since = since ?? loop.now
        self.since = since
        guard application.sessions == 0 || loop.now - since >= Self.patienceMilliseconds else { return }
        reason = why
        loop.stop()
    }

    func close() {
        timer?.close()
        timer = nil
    }
}

@available(*, unavailable)
extension Leaving: Sendable {}
