import Glibc

/// The machine's clock that never jumps and goes on while it sleeps (`clock_gettime(2)`, `CLOCK_BOOTTIME`).
///
/// - Confinement: any
package enum BootClock {
    /// Microseconds since the machine was started.
    package static var microseconds: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
