import Fanout
import Model
import ThreadMessages

/// The watches of one loop that wait: for their turn to read, or for the next commit.
///
/// - Confinement: loop
final class WatchTurns {
    private var reads = FairLimiter(inWorkMax: DocumentLimits.watchReadsMax)
    /// Sessions with a watch that waits for the next commit.
    private var held: [Slot] = []
    private let read: (ConnectionAddress) -> Bool
    private let answer: (Slot) -> Void

    /// - Parameters:
    ///   - read: has a session read what there is of its path; false when it does not want that any more.
    ///   - answer: has a session answer its watch.
    init(read: @escaping (ConnectionAddress) -> Bool, answer: @escaping (Slot) -> Void) {
        self.read = read
        self.answer = answer
    }

    /// A session wants to read.
    ///
    /// - Parameter expected: microseconds that it will take.
    /// - Returns: whether it may read now; if not, `read` is called when it may.
    func begin(_ address: ConnectionAddress, in lane: FairLane, expected: Int) -> Bool {
        reads.begin(address, in: lane, expected: expected)
    }

    /// A read has ended, or was not begun although the session had its turn.
    func ended() { reads.ended() }

    /// Begins the reads whose turn it is.
    func goOn() {
        while let next = reads.next() {
            if !read(next) { reads.ended() }
        }
    }

    /// A session's watch waits for the next commit.
    func hold(_ slot: Slot) { held.append(slot) }

    /// Answers the watches that wait for the commit which was just delivered.
    func answerHeld() {
        guard !held.isEmpty else { return }
        let slots = held
        held = []
        for slot in slots { answer(slot) }
    }
}

@available(*, unavailable)
extension WatchTurns: Sendable {}
