import Model
import Synchronization

/// The one bound on what the server keeps for its peers, over all loops: requests and messages that are not whole,
/// commands without their replies, answers and events that nobody takes. And the bounds on what waits for the writer and
/// the readers: in bytes, and in the time that the writer will need for it.
///
/// What is held is shared among connections and their users as ``SharedBound`` says, what waits among users.
///
/// - Confinement: any
package final class PeerMemory: Sendable {
    package let bytesMax: Int
    /// How many hear what is written, by which the time is known that its delivery takes.
    package let crowds = Crowds()
    /// What connections may hold.
    let holding: SharedBound
    /// What may wait: the other half is for what is not whole, or not taken.
    private let waitingBound: SharedBound
    /// Microseconds of the writer's time that may wait.
    private let workBound = SharedBound(
        max: Int(Limits.waitingWorkMilliseconds) * 1000, smallPart: Int(Limits.smallWorkMilliseconds) * 1000,
        smallOwner: Int(Limits.smallWorkMilliseconds) * 1000)
    private let held = Atomic<Int>(0)
    private let waiting = Atomic<Int>(0)
    private let work = Atomic<Int>(0)

    package init(bytesMax: Int) {
        self.bytesMax = bytesMax
        holding = SharedBound(
            max: bytesMax, smallPart: Limits.smallHoldingBytes, smallOwner: Limits.smallShareBytes)
        waitingBound = SharedBound(
            max: bytesMax / 2, smallPart: Limits.smallHoldingBytes, smallOwner: Limits.smallShareBytes)
    }

    /// What loops have said they hold, and what waits.
    package var heldBytes: Int { held.load(ordering: .relaxed) + waitingBytes }

    /// Of that, what was handed to the writer and the readers and is not answered.
    package var waitingBytes: Int { waiting.load(ordering: .relaxed) }

    /// Microseconds that the writer will need for what waits for it, as far as is known.
    package var waitingWork: Int { work.load(ordering: .relaxed) }

    /// Whether so much more may wait, for a user or, where there is no account, for an administrator or the server.
    ///
    /// A batch of an administrator may be larger than everything: it is taken when not much waits.
    package func mayWait(_ bytes: Int, for account: UserAccount?) -> Bool {
        let waiting = waitingBytes
        guard let account else {
            return waiting + bytes <= waitingBound.max || waiting < waitingBound.max / 2
        }
        let own = account.waitingBytes + bytes
        return waitingBound.admits(own, of: own, used: waiting)
    }

    /// Whether a user may have one more write wait, by the time that the user's writes take.
    ///
    /// One may always wait alone, however long the last ones took, as long as not too much of others does.
    package func mayWork(for account: UserAccount) -> Bool {
        let (own, used) = (account.waitingWork, waitingWork)
        if own == 0, used < workBound.max { return true }
        let more = own + account.write.mean
        return workBound.admits(more, of: more, used: used)
    }

    /// So much more waits, or less.
    package func wait(_ bytes: Int, for account: UserAccount?) {
        waiting.add(bytes, ordering: .relaxed)
        account?.wait(bytes)
    }

    /// A write was handed to the writer that will take so many microseconds; or, if negative, was done.
    package func wait(microseconds: Int, for account: UserAccount) {
        work.add(microseconds, ordering: .relaxed)
        account.wait(microseconds: microseconds)
    }

    /// An answer of so many bytes goes to a loop. What is large waits, too, until the loop has it.
    package func sent(_ bytes: Int) {
        if bytes > Self.smallAnswerBytes { waiting.add(bytes, ordering: .relaxed) }
    }

    /// The loop has an answer of so many bytes that was ``sent(_:)``.
    package func arrived(_ bytes: Int) {
        if bytes > Self.smallAnswerBytes { waiting.subtract(bytes, ordering: .relaxed) }
    }

    /// Answers up to this size are not counted on their way: the command that they answer was counted for as much.
    private static var smallAnswerBytes: Int { 4096 }

    /// A loop holds so much more, or less.
    package func add(_ bytes: Int) { held.add(bytes, ordering: .relaxed) }
}
