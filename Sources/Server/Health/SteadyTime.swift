/// The clock that never jumps: milliseconds since the process asked for the first time.
///
/// It goes on while the machine sleeps (`CLOCK_BOOTTIME`), so that waking up is no jump of the wall clock.
///
/// - Confinement: any
enum SteadyTime {
    private static let began = ContinuousClock.now

    static var now: Int64 { Int64((ContinuousClock.now - began) / .milliseconds(1)) }
}
