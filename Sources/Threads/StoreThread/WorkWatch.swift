import EventLoop
import Telemetry

/// Takes the time of one piece of work after the other on a thread.
///
/// Time in which the thread waited for the disk counts, for others wait as long. Time in which another thread had the
/// processor does not, nor time in which another machine had it (steal, where this one is virtual): nobody caused that by
/// what was asked for. A write that paid for 25 ms of steal would wait until a hundred users have had 25 ms each.
///
/// - Confinement: store (the thread that made it)
struct WorkWatch {
    /// A difference between the two clocks that is worth a look at its cause.
    private static let waitMicroseconds: Int64 = 100

    /// Short pieces after which the thread's clock is asked again. To ask it is a call of the kernel, which costs a good part
    /// of what a small command costs.
    private static let shortPiecesMax = 16

    /// When the last piece ended, in microseconds of ``SteadyTime``.
    private(set) var now: Int64 = 0
    /// The microseconds that all pieces since ``begin()`` took.
    private(set) var total: Int64 = 0
    /// The thread's clock as it was asked last, and the pieces since then: so short that they count as work.
    private var worked: Int64 = 0
    private var shortPieces = 0
    private var shortMicroseconds: Int64 = 0
    private var switches = ThreadClock.Switches()

    /// The first piece of several begins.
    mutating func begin() {
        (now, total, switches) = (SteadyTime.microseconds, 0, ThreadClock.switches)
        askClock()
    }

    /// A piece ends.
    ///
    /// - Returns: the microseconds that it took.
    mutating func lap() -> Int64 {
        let took = takePiece()
        total += took
        return took
    }

    private mutating func askClock() {
        (worked, shortPieces, shortMicroseconds) = (ThreadClock.microseconds, 0, 0)
    }

    private mutating func takePiece() -> Int64 {
        let began = now
        now = SteadyTime.microseconds
        let took = now - began
        guard took > Self.waitMicroseconds else {
            shortPieces += 1
            shortMicroseconds += took
            if shortPieces >= Self.shortPiecesMax { askClock() }
            return took
        }
        let before = worked + shortMicroseconds
        askClock()
        let work = max(0, worked - before)
        guard took - work > Self.waitMicroseconds else { return took }
        let earlier = switches
        switches = ThreadClock.switches
        let hasWaited = switches.waits > earlier.waits && switches.preemptions == earlier.preemptions
        return hasWaited ? took : work
    }
}
