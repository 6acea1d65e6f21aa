import Model
import Synchronization

/// The one bound on the memory that the server holds for its peers, over all loops: incomplete requests and messages,
/// commands without replies, and answers and events that are not sent yet. It also bounds the work that waits for the
/// writer and the readers, in bytes and in the writer's time.
///
/// ``SharedBound`` shares the memory among connections and their users, and the waiting work among users.
///
/// - Confinement: any
package final class PeerMemory: Sendable {
    package let bytesMax: Int
    /// The sizes of audiences, from which the time of delivery is estimated.
    package let crowds = Crowds()
    /// The bound on the bytes that connections hold.
    let holding: SharedBound
    /// The bound on the bytes that wait; the other half is for incomplete and unsent messages.
    private let waitingBound: SharedBound
    /// The bound on the writer's time that waits, in microseconds.
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

    /// The bytes that loops have published as held, and the bytes that wait.
    package var heldBytes: Int { held.load(ordering: .relaxed) + waitingBytes }

    /// The bytes handed to the writer and the readers and not answered yet.
    package var waitingBytes: Int { waiting.load(ordering: .relaxed) }

    /// The estimated time in microseconds that the writer needs for the writes that wait for it.
    package var waitingWork: Int { work.load(ordering: .relaxed) }

    /// Whether more bytes may wait for a user or, without an account, for an administrator or the server.
    ///
    /// An administrator's batch may be larger than the whole bound: it is accepted when few bytes wait.
    package func mayWait(_ bytes: Int, for account: UserAccount?) -> Bool {
        let waiting = waitingBytes
        guard let account else {
            return waiting + bytes <= waitingBound.max || waiting < waitingBound.max / 2
        }
        let own = account.waitingBytes + bytes
        return waitingBound.admits(own, of: own, used: waiting)
    }

    /// Whether one more write of a user may wait, judged by the time that the user's writes take.
    ///
    /// - Parameter microseconds: the estimated time of this one.
    ///
    /// One write alone is always accepted, however long the last ones took, unless too much of other users waits.
    package func mayWork(_ microseconds: Int, for account: UserAccount) -> Bool {
        let (own, used) = (account.waitingWork, waitingWork)
        if own == 0, used < workBound.max { return true }
        let more = own + microseconds
        return workBound.admits(more, of: more, used: used)
    }

    /// Adds to the bytes that wait; negative when they are done.
    package func wait(_ bytes: Int, for account: UserAccount?) {
        waiting.add(bytes, ordering: .relaxed)
        account?.wait(bytes)
    }

    /// Adds to the writer's time that waits, in microseconds; negative when a write is done.
    package func wait(microseconds: Int, for account: UserAccount) {
        work.add(microseconds, ordering: .relaxed)
        account.wait(microseconds: microseconds)
    }

    /// Counts an answer on its way to a loop: a large one holds memory until the loop has it.
    package func sent(_ bytes: Int) {
        if bytes > Self.smallAnswerBytes { waiting.add(bytes, ordering: .relaxed) }
    }

    /// Counts the arrival of an answer that was ``sent(_:)``.
    package func arrived(_ bytes: Int) {
        if bytes > Self.smallAnswerBytes { waiting.subtract(bytes, ordering: .relaxed) }
    }

    /// Answers up to this size are not counted on their way: their command was counted with the same size.
    private static var smallAnswerBytes: Int { 4096 }

    /// Adds to the bytes that a loop holds.
    package func add(_ bytes: Int) { held.add(bytes, ordering: .relaxed) }
}
