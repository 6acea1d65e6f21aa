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
    private static let waitMicroseconds: Int64 = 1000

    /// When the last piece ended, in microseconds of ``SteadyTime``.
    private(set) var now: Int64 = 0
    private var worked: Int64 = 0
    private var switches = ThreadClock.Switches()

    /// The first piece of several begins.
    mutating func begin() {
        (now, worked, switches) = (SteadyTime.microseconds, ThreadClock.microseconds, ThreadClock.switches)
    }

    /// A piece ends.
    ///
    /// - Returns: the microseconds that it took.
    mutating func lap() -> Int64 {
        let (began, beganWork) = (now, worked)
        (now, worked) = (SteadyTime.microseconds, ThreadClock.microseconds)
        let (took, work) = (now - began, worked - beganWork)
        guard took - work > Self.waitMicroseconds else { return took }
        let before = switches
        switches = ThreadClock.switches
        let hasWaited = switches.waits > before.waits && switches.preemptions == before.preemptions
        return hasWaited ? took : work
    }
}
