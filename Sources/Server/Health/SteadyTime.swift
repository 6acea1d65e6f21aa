import EventLoop

/// The clock that never jumps: milliseconds since the process asked for the first time.
///
/// It goes on while the machine sleeps, so that waking up is no jump of the wall clock.
///
/// - Confinement: any
enum SteadyTime {
    private static let began = BootClock.milliseconds

    static var now: Int64 { BootClock.milliseconds - began }
}
