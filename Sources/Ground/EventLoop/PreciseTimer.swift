import CUV
import Glibc

/// A timer of a loop that fires once with a resolution of nanoseconds: the kernel's `timerfd`, for work that needs more
/// than the milliseconds of a ``LoopTimer``. Each firing costs three system calls.
///
/// Its owner holds it and must `close()` it before releasing it.
/// - Confinement: loop
package final class PreciseTimer {
    private let descriptor: Int32
    private var watcher: SocketWatcher?
    private let fire: () -> Void

    /// Makes a timer that is not running.
    /// - Parameter fire: Called on the loop; it may start or close the timer.
    /// - Throws: when there is no descriptor left.
    package init(on loop: Loop, fire: @escaping () -> Void) throws(UVError) {
        self.fire = fire
        descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
        guard descriptor >= 0 else { throw UVError(errno: errno) }
        do {
            let watcher = try SocketWatcher(on: loop, descriptor: descriptor) { [unowned self] _ in rang() }
            watcher.wait(for: .reading)
            self.watcher = watcher
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    /// Starts, or restarts.
    /// - Parameter delay: From now; zero or less counts as a nanosecond.
    package func start(after delay: Duration) {
        guard watcher != nil else { return }
        let (seconds, attoseconds) = max(delay, .nanoseconds(1)).components
        var time = itimerspec()
        time.it_value.tv_sec = Int(clamping: seconds)
        time.it_value.tv_nsec = Int(attoseconds / 1_000_000_000)
        let result = unsafe timerfd_settime(descriptor, 0, &time, nil)
        assert(result == 0, "the kernel refused the time")
    }

    /// Ends the timer.
    package func close() {
        guard let watcher else { return }
        self.watcher = nil
        watcher.close()
        Glibc.close(descriptor)
    }

    private func rang() {
        var count: UInt64 = 0
        // If it was restarted meanwhile, it has not fired.
        guard unsafe read(descriptor, &count, MemoryLayout<UInt64>.size) == MemoryLayout<UInt64>.size else { return }
        fire()
    }
}

@available(*, unavailable)
extension PreciseTimer: Sendable {}
