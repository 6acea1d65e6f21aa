import EventLoop
import Model
import Quotas

/// The bytes that one loop holds for its clients, and how many more it may hold.
///
/// - Confinement: loop
final class LoopMemory {
    private(set) var held: HeldBytes

    init(_ memory: PeerMemory) { held = HeldBytes(memory) }

    /// A connection of the loop holds more bytes, or less.
    func add(_ bytes: Int) { held.add(bytes) }

    /// Whether an answer may be written to a connection now; it then counts until the socket has taken it.
    func mayAnswer(_ bytes: Int) -> Bool {
        guard held.mayHold(bytes) else { return false }
        held.addAnswer(bytes)
        return true
    }

    /// A turn is over: counts what waits for the sockets, and bounds what may.
    func turnEnded(on loop: Loop) {
        held.turnEnded(queuedBytes: loop.queuedBytes)
        loop.queueBytesMax = held.queueBytesMax
    }
}

@available(*, unavailable)
extension LoopMemory: Sendable {}
