import CUV

/// A timer of a loop: once or repeating, with a resolution of milliseconds; a restart needs no allocation.
///
/// Its owner holds it and must `close()` it before releasing it; `Loop.stop()` closes it, too.
/// - Confinement: loop
@safe
package final class LoopTimer: LoopHandle {
    private let loop: Loop
    private let handle: UnsafeMutablePointer<uv_timer_t>
    private var fire: (() -> Void)?
    /// Whether `close` was called.
    package private(set) var isClosed = false

    /// Makes a timer that is not running.
    /// - Parameter fire: Called on the loop; it may restart, stop or close the timer.
    package init(on loop: Loop, fire: @escaping () -> Void) {
        loop.preconditionOnLoop()
        self.loop = loop
        self.fire = fire
        unsafe handle = .allocate(capacity: 1)
        unsafe uv_timer_init(loop.handle, handle)
        unsafe handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        precondition(isClosed, "LoopTimer was dropped without close()")
        unsafe handle.deallocate()
    }

    /// Starts, or restarts.
    /// - Parameters:
    ///   - afterMilliseconds: The time until it first fires, counted from the start of this turn; never in the same
    ///     turn, so values below 1 count as 1. libuv 1.44 would run a timer that its own callback starts with 0 again
    ///     and again, before anything else, and messages of other threads would not be received.
    ///   - repeatingMilliseconds: The time between later firings; 0 to fire only once.
    package func start(afterMilliseconds: Int64, repeatingMilliseconds: Int64 = 0) {
        assert(loop.isCurrent)
        guard !isClosed else { return }
        let callback: uv_timer_cb = { handle in
            unsafe owner(of: handle?.pointee.data, as: LoopTimer.self)?.fired()
        }
        let delay = UInt64(max(1, afterMilliseconds))
        unsafe uv_timer_start(handle, callback, delay, UInt64(max(0, repeatingMilliseconds)))
    }

    /// Whether it will fire.
    package var isActive: Bool {
        unsafe !isClosed && uv_is_active(asHandle(handle)) != 0
    }

    /// Stops; `start` works again.
    package func stop() {
        assert(loop.isCurrent)
        guard !isClosed else { return }
        unsafe uv_timer_stop(handle)
    }

    /// Ends the timer and releases its closure.
    package func close() {
        assert(loop.isCurrent)
        guard !isClosed else { return }
        isClosed = true
        // libuv's reference, until the close callback.
        unsafe handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
        unsafe uv_close(asHandle(handle)) { handle in
            unsafe owner(of: handle?.pointee.data, as: LoopTimer.self)?.handleClosed()
        }
    }

    private func fired() {
        loop.preconditionOnLoop()
        fire?()
    }

    private func handleClosed() {
        loop.preconditionOnLoop()
        fire = nil
        unsafe Unmanaged.passUnretained(self).release()
    }
}

@available(*, unavailable)
extension LoopTimer: Sendable {}
