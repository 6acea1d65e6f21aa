import EventLoop

/// Takes the time of one piece of work after the other on a thread.
///
/// Time in which the thread waited for the disk counts, for others wait as long; time in which another had the processor
/// does not, for nobody caused it by what he asked for.
///
/// - Confinement: store (the thread that made it)
struct WorkWatch {
    /// A difference between the two clocks that is worth a look at its cause.
    private static let waitMicroseconds: Int64 = 1000

    /// When the last piece ended, in microseconds of ``SteadyTime``.
    private(set) var now: Int64 = 0
    private var worked: Int64 = 0
    /// As of the last look, which is rare.
    private var preemptions = 0

    /// The first piece of several begins.
    mutating func begin() { (now, worked) = (SteadyTime.microseconds, ThreadClock.microseconds) }

    /// A piece ends.
    ///
    /// - Returns: the microseconds that it took.
    mutating func lap() -> Int64 {
        let (began, beganWork) = (now, worked)
        (now, worked) = (SteadyTime.microseconds, ThreadClock.microseconds)
        let (took, work) = (now - began, worked - beganWork)
        guard took - work > Self.waitMicroseconds else { return took }
        let before = preemptions
        preemptions = ThreadClock.preemptions
        return preemptions > before ? work : took
    }
}
