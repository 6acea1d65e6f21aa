import CUV
import Glibc

/// One libuv loop on one thread: everything made on it is called back only on that thread.
///
/// A turn consists of timers, then the end of the turn (hooks and the flush of corked writes), then the poll and its
/// callbacks, then close callbacks. All bytes written during a turn leave in one write per socket before the loop waits
/// again. Only a write to many connections that nothing follows may leave earlier, with `writeAtOnce`.
///
/// The loop belongs to the thread that made it, runs until `stop()`, and must not be released before `run()` returns.
/// - Confinement: loop
@safe
package final class Loop {
    /// libuv's version, for example `1.44.2`.
    package static var libraryVersion: String { unsafe String(cString: uv_version_string()) }

    /// The most bytes of small chunks that one write gathers.
    static let gatherBytesMax = 64 << 10

    let handle: UnsafeMutablePointer<uv_loop_t>
    let readBuffer: UnsafeMutableRawBufferPointer
    let gatherBuffer: UnsafeMutableRawBufferPointer
    let turnEnd: TurnEnd
    /// The plaintext of a connection's layer after one read; all connections share it, like the read buffer.
    var plaintextBuffer: [UInt8] = []
    private let thread: pthread_t
    /// Bytes written and not accepted by the kernel yet, of all connections, including those of this turn.
    package internal(set) var queuedBytes = 0
    /// A bound in addition to each connection's own high mark, when all connections together hold too much.
    package var queueBytesMax = Int.max
    /// Called at the end of each turn, when the corked writes have been flushed.
    package var onTurnFlushed: (() -> Void)?
    /// Whether reads are timed.
    var measuresReads = true
    /// Whether `stop()` was called.
    package private(set) var isStopping = false
    private var hasRun = false

    /// Writes handed to the kernel so far (`send` and `uv_write`), for metrics.
    package internal(set) var writeCalls = 0
    /// Reads with at least one byte so far, for metrics.
    package internal(set) var readCalls = 0
    /// Whether expensive work has already made this turn long, so that further such work should wait, with
    /// ``TCPConnection/yieldTurn()``.
    package var isTurnLong: Bool { turnEnd.turnstile.isLong }
    /// Turns so far.
    package internal(set) var turns: UInt32 = 0
    private var firstLook = (turn: UInt32.max, at: Int64(0))
    /// `BootClock` at the first question of this turn, in microseconds: one look at the clock is enough for all that a turn begins.
    package var turnMicroseconds: Int64 {
        if firstLook.turn != turns { firstLook = (turns, BootClock.microseconds) }
        return firstLook.at
    }

    /// Makes a loop for the calling thread. From now on the whole process ignores SIGPIPE.
    /// - Throws: for example `EMFILE`: a loop needs three descriptors.
    package init() throws(UVError) {
        _ = signal(SIGPIPE, SIG_IGN)
        unsafe handle = .allocate(capacity: 1)
        let result = unsafe uv_loop_init(handle)
        if result < 0 {
            unsafe handle.deallocate()
            throw UVError(code: result)
        }
        unsafe readBuffer = .allocate(byteCount: TCPInput.bytesOfReadMax, alignment: 64)
        unsafe gatherBuffer = .allocate(byteCount: Loop.gatherBytesMax, alignment: 64)
        thread = pthread_self()
        turnEnd = TurnEnd()
        turnEnd.start(on: self)
    }

    deinit {
        precondition(hasRun, "Loop was dropped before run() returned")
        unsafe readBuffer.deallocate()
        unsafe gatherBuffer.deallocate()
        unsafe handle.deallocate()
    }

    /// Runs the thread's work until `stop()` was called and the last handle has closed. Once per loop.
    package func run() {
        preconditionOnLoop()
        precondition(!hasRun, "Loop.run() works once")
        while !isStopping {
            unsafe uv_run(handle, UV_RUN_DEFAULT)
        }
        // Delegates may have opened new handles when they were notified: this repeats until none is left.
        repeat {
            unsafe uv_walk(handle, { handle, _ in unsafe Loop.close(handle) }, nil)
            unsafe uv_run(handle, UV_RUN_ONCE)
        } while unsafe uv_loop_alive(handle) != 0
        turnEnd.discard()
        let result = unsafe uv_loop_close(handle)
        precondition(result == 0, "a handle outlived Loop.run()")
        hasRun = true
    }

    /// One turn that does not wait, for code that turns loops by hand; `run()` ends a loop after `stop()`.
    package func turn() {
        preconditionOnLoop()
        precondition(!hasRun, "Loop.turn() works before run()")
        unsafe uv_run(handle, UV_RUN_NOWAIT)
    }

    /// Ends `run()`: closes all open handles; connections are notified by `closed(on:error:)`.
    ///
    /// Queued bytes are dropped; to send them, call `closeAfterFlush` first and this later.
    package func stop() {
        preconditionOnLoop()
        isStopping = true
        unsafe uv_stop(handle)
    }

    /// Milliseconds of the monotonic clock, read once per turn.
    package var now: Int64 {
        unsafe Int64(truncatingIfNeeded: uv_now(handle))
    }

    /// Whether the calling thread is the loop's.
    package var isCurrent: Bool {
        pthread_equal(pthread_self(), thread) != 0
    }

    /// Traps when called on another thread: the door check of every callback.
    package func preconditionOnLoop() {
        precondition(isCurrent, "a loop and what was made on it belong to the thread that made the loop")
    }

    /// Registers work for the end of this turn, before the corked writes are flushed; its writes leave with them.
    ///
    /// The hook is called once for each registration: register it once per turn.
    package func atTurnEnd(_ hook: any TurnEndHook) {
        assert(isCurrent)
        turnEnd.add(hook)
    }

    /// Closes any handle through its wrapper; those of ``TurnEnd`` have none.
    private static func close(_ handle: UnsafeMutablePointer<uv_handle_t>?) {
        guard let handle = unsafe handle, unsafe uv_is_closing(handle) == 0 else { return }
        if let wrapper = unsafe owner(of: handle.pointee.data, as: AnyObject.self) as? any LoopHandle {
            wrapper.close()
        } else {
            unsafe uv_close(handle, nil)
        }
    }
}

@available(*, unavailable)
extension Loop: Sendable {}
