import EventLoop

/// The clock that never jumps: milliseconds since the process first asked for the time.
///
/// It goes on while the machine sleeps, so that the wall clock does not seem to jump after a sleep.
///
/// - Confinement: any
package enum SteadyTime {
    private static let began = BootClock.microseconds

    package static var now: Int64 { microseconds / 1000 }
    /// The same in microseconds.
    package static var microseconds: Int64 { BootClock.microseconds - began }
}
