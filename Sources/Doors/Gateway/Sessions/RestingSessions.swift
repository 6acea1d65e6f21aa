import DequeModule
import EventLoop
import Model
import ThreadMessages

/// The sessions of a loop that are not read from for a moment, since their users cause too much work: each for
/// ``Model/Limits/restMilliseconds``. Their bytes stay in the kernel meanwhile, which slows the clients down.
///
/// - Confinement: loop
final class RestingSessions {
    private let loop: Loop
    private let end: (ConnectionAddress) -> Void
    private var timer: LoopTimer?
    /// In the order in which they began, which is that in which they end.
    private var resting = Deque<(address: ConnectionAddress, until: Int64)>()

    /// - Parameter end: called with each session whose rest is over, which may be gone meanwhile.
    init(on loop: Loop, end: @escaping (ConnectionAddress) -> Void) {
        self.loop = loop
        self.end = end
        timer = LoopTimer(on: loop) { [unowned self] in endRests() }
    }

    /// A session begins to rest.
    func begin(_ address: ConnectionAddress) {
        if resting.isEmpty { timer?.start(afterMilliseconds: Limits.restMilliseconds) }
        resting.append((address, loop.now + Limits.restMilliseconds))
    }

    private func endRests() {
        let now = loop.now
        while let first = resting.first, first.until <= now {
            resting.removeFirst()
            end(first.address)
        }
        if let first = resting.first {
            timer?.start(afterMilliseconds: max(1, first.until - now))
        } else {
            // Gives the memory back, which a queue does not do by itself.
            resting = []
        }
    }

    /// The loop ends.
    func close() {
        timer?.close()
        timer = nil
    }
}

@available(*, unavailable)
extension RestingSessions: Sendable {}
