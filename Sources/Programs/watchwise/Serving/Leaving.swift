import EventLoop
import Model
import Server

/// Ends a node that must be started again: when its sessions have gone to other nodes if its database or its program cannot
/// follow the journal any more, and at once when an upgrade of all nodes was ordered.
///
/// - Confinement: loop
final class Leaving {
    private static let lookMilliseconds: Int64 = 200
    /// The loops end the sessions within ``MemberLimits/leavingSeconds``; a stuck one is not waited for.
    private static let patienceMilliseconds = Int64(MemberLimits.leavingSeconds) * 1000 + 2000

    private let application: Application
    private let loop: Loop
    private var timer: LoopTimer?
    private var since: Int64?
    /// Why the node ends; nil while it does not.
    private(set) var failure: CommandFailure?

    /// - Parameter loop: is stopped when the process is to end.
    init(_ application: Application, on loop: Loop) {
        self.application = application
        self.loop = loop
        timer = LoopTimer(on: loop) { [unowned self] in look() }
        timer?.start(afterMilliseconds: Self.lookMilliseconds, repeatingMilliseconds: Self.lookMilliseconds)
    }

    private func look() {
        if let reason = application.restarts {
            failure = CommandFailure(.incomplete, "start this node again: \(reason)")
            return loop.stop()
        }
        guard let why else { return }
        let since = since ?? loop.now
        self.since = since
        guard application.sessions == 0 || loop.now - since >= Self.patienceMilliseconds else { return }
        failure = why
        loop.stop()
    }

    private var why: CommandFailure? {
        if let reason = application.rejoins {
            return CommandFailure(.incomplete, "start this node again, so that it joins as a new one: \(reason)")
        }
        // Another start of the same program would end in the same way.
        return application.unfit.map { CommandFailure(.misused, $0) }
    }

    func close() {
        timer?.close()
        timer = nil
    }
}

@available(*, unavailable)
extension Leaving: Sendable {}
