internal import Foundation
package import Journal
import Synchronization

/// The wait of the writer's thread for the journal: to the writer it is a slow fsync.
///
/// - Confinement: any
package final class CommitWait: Sendable {
    /// The outcome of the wait for a transaction.
    ///
    /// - Confinement: any
    package enum Outcome: Sendable, Hashable {
        /// The journal has it, with this as its last entry.
        case stored(JournalPlace)
        /// The journal does not have it, and will never have it: another node leads, or this one may not.
        case fenced
        /// The journal may have it or not; the entry that this node reads at that place says so.
        case unknown
        /// It was not sent: the journal's servers take no message of its size.
        case tooLarge(bytesMax: Int)
    }

    private let outcome = Mutex<Outcome?>(nil)
    private let isFilled = DispatchSemaphore(value: 0)
    /// Lets the other loops of a simulation work, which has one thread; nil with threads.
    private let turn: (@Sendable () -> Void)?

    package init(turningOthers turn: (@Sendable () -> Void)? = nil) { self.turn = turn }

    /// Ends the wait. Only the first call counts.
    package func fill(_ outcome: Outcome) {
        let isFirst = self.outcome.withLock { filled in
            guard filled == nil else { return false }
            filled = outcome
            return true
        }
        if isFirst { isFilled.signal() }
    }

    /// Blocks the thread until the outcome is known.
    package func wait() -> Outcome {
        while let turn, outcome.withLock({ $0 == nil }) { turn() }
        isFilled.wait()
        return outcome.withLock { $0 } ?? .unknown
    }
}
