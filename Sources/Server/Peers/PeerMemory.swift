import Model
import Synchronization

/// The one bound on what the server keeps for its peers, over all loops: requests and messages that are not whole,
/// commands without their replies, answers and events that nobody takes.
///
/// Each connection may hold as much as half of what is still free (the dynamic threshold by which switches share their
/// buffers). Alone it may hold much; the more the others hold, the less; and the free part never runs out, because
/// nobody gets all of it. One user's connections together, or those of one network whose users are not known, may hold
/// as much as what is still free. So those who hold most are refused first, and what is small goes on: for whoever holds
/// little, up to ``Model/Limits/smallHoldingBytes`` has a reserve that is nobody else's.
///
/// - Confinement: any
final class PeerMemory: Sendable {
    let bytesMax: Int
    private let held = Atomic<Int>(0)
    private let waiting = Atomic<Int>(0)

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Up to where those who hold little may hold more, although the others have filled what there is.
    var bytesMaxOfSmall: Int { bytesMax / 4 * 5 }

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

    /// An answer goes to a loop. What is large waits, too, until the loop has it.
    func sent(_ outcome: Outcome) {
        let bytes = outcome.bodyBytes
        if bytes > Self.smallAnswerBytes { waiting.add(bytes, ordering: .relaxed) }
    }

    /// The loop has an answer that was ``sent(_:)``.
    func arrived(_ outcome: Outcome) {
        let bytes = outcome.bodyBytes
        if bytes > Self.smallAnswerBytes { waiting.subtract(bytes, ordering: .relaxed) }
    }

    /// Answers up to this size are not counted on their way: the command that they answer was counted for as much.
    private static var smallAnswerBytes: Int { 4096 }

    /// A loop holds so much more, or less.
    func add(_ bytes: Int) { held.add(bytes, ordering: .relaxed) }
}
