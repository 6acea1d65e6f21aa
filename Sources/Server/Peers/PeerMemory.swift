import Synchronization

/// The one bound on what the server keeps for its peers, over all loops: requests and messages that are not whole,
/// commands without their replies, answers and events that nobody takes.
///
/// Each connection may hold as much as half of what is still free (the dynamic threshold by which switches share their
/// buffers). Alone it may hold much; the more the others hold, the less; and the free part never runs out, because
/// nobody gets all of it. So those who hold most are refused first, and what is small goes on. Up to
/// ``Model/Limits/smallHoldingBytes`` is refused only when nothing at all is free.
///
/// - Confinement: any
final class PeerMemory: Sendable {
    let bytesMax: Int
    private let held = Atomic<Int>(0)

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// What loops have said they hold.
    var heldBytes: Int { held.load(ordering: .relaxed) }

    /// A loop holds so much more, or less.
    func add(_ bytes: Int) { held.add(bytes, ordering: .relaxed) }
}
