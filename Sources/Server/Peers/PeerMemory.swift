import Model
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
    private let waiting = Atomic<Int>(0)

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// What loops have said they hold, and what waits.
    var heldBytes: Int { held.load(ordering: .relaxed) + waitingBytes }

    /// Of that, what was handed to the writer and the readers and is not answered.
    var waitingBytes: Int { waiting.load(ordering: .relaxed) }

    /// What may wait: the other half is for what is not whole, or not taken.
    var waitingBytesMax: Int { bytesMax / 2 }

    /// Whether so much more may wait, for a user or, where there is no account, for an administrator or the server.
    ///
    /// A user may have as much as half of what is still free, so that no user alone keeps the others out. A batch of an
    /// administrator may be larger than everything: it is taken when not much waits.
    func mayWait(_ bytes: Int, for account: UserAccount?) -> Bool {
        let waiting = waitingBytes
        guard let account else {
            return waiting + bytes <= waitingBytesMax || waiting < waitingBytesMax / 2
        }
        let own = account.waitingBytes + bytes
        return own <= (waitingBytesMax - waiting) / 2
            || own <= Limits.smallHoldingBytes && waiting < waitingBytesMax
    }

    /// So much more waits, or less.
    func wait(_ bytes: Int, for account: UserAccount?) {
        waiting.add(bytes, ordering: .relaxed)
        account?.wait(bytes)
    }

    /// A loop holds so much more, or less.
    func add(_ bytes: Int) { held.add(bytes, ordering: .relaxed) }
}
