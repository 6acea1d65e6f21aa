import CUV
import Glibc

/// One libuv loop on one thread: everything made on it is called back on that thread only.
///
/// A turn is: timers, then end of turn (hooks and the flush of corked writes), then the poll and its callbacks, then
/// close callbacks. What is written anywhere in a turn leaves in one write per socket before the loop waits again; only
/// what many get and nothing follows may leave earlier, by `writeAtOnce`.
///
/// The loop belongs to the thread that made it, runs until `stop()`, and may not be dropped before `run()` returned.
/// - Confinement: loop
@safe
package final class Loop {
    /// libuv's version, such as `1.44.2`.
    package static var libraryVersion: String { unsafe String(cString: uv_version_string()) }

    /// Bytes one read takes at most, in the buffer all connections of the loop share.
    static let readBytesMax = 64 << 10
    /// Bytes that an ordinary read takes in a turn that is long already: what a person says at a time.
    static let shortReadBytes = 2 << 10
    /// Bytes from which on the time is taken that a read costs.
    static let measuredReadBytes = 1 << 10
    /// Bytes of small chunks one write gathers at most.
    static let gatherBytesMax = 64 << 10

    let handle: UnsafeMutablePointer<uv_loop_t>
    let readBuffer: UnsafeMutableRawBufferPointer
    let gatherBuffer: UnsafeMutableRawBufferPointer
    let turnEnd: TurnEnd
    /// What came out of a connection's layer in one read; shared by all connections, like the read buffer.
    var plaintextBuffer: [UInt8] = []
    private let thread: pthread_t
    /// Bytes written that the kernel has not taken yet, of all connections; those of this turn are among them.
    package internal(set) var queuedBytes = 0
    /// A bound over each connection's own `queueBytesHigh`, for a loop whose connections hold too much together.
    package var queueBytesMax = Int.max
    /// Called at the end of each turn, when the corked writes have been flushed.
    package var onTurnFlushed: (() -> Void)?
    /// Whether the time is taken of what reads cost.
    var measuresReads = true
    /// Whether `stop()` was called.
    package private(set) var isStopping = false
    private var hasRun = false

    /// Writes handed to the kernel so far (`send` and `uv_write`), for metrics.
    package internal(set) var writeCalls = 0
    /// Reads that brought bytes so far, for metrics.
    package internal(set) var readCalls = 0
    /// Whether costly work has made this turn long already, so that what more there is of it should give way, by
    /// ``TCPConnection/yieldTurn()``.
    package var isTurnLong: Bool { turnEnd.turnstile.isLong }
    /// Turns so far.
    package internal(set) var turns: UInt32 = 0

    /// Makes a loop of the calling thread. SIGPIPE is ignored in the whole process from now on.
    /// - Throws: `EMFILE` and the like: a loop needs three descriptors.
    package init() throws(UVError) {
        _ = signal(SIGPIPE, SIG_IGN)
        unsafe handle = .allocate(capacity: 1)
        let result = unsafe uv_loop_init(handle)
        if result < 0 {
            unsafe handle.deallocate()
            throw UVError(code: result)
        }
        unsafe readBuffer = .allocate(byteCount: Loop.readBytesMax, alignment: 64)
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
        // Delegates that were notified of their end may have opened new handles: close until none is left.
        repeat {
            unsafe uv_walk(handle, { handle, _ in unsafe Loop.close(handle) }, nil)
            unsafe uv_run(handle, UV_RUN_ONCE)
        } while unsafe uv_loop_alive(handle) != 0
        turnEnd.discard()
        let result = unsafe uv_loop_close(handle)
        precondition(result == 0, "a handle outlived Loop.run()")
        hasRun = true
    }

    /// One turn that does not wait, for code that turns loops by hand; `run()` ends the loop when it has been stopped.
    package func turn() {
        preconditionOnLoop()
        precondition(!hasRun, "Loop.turn() works before run()")
        unsafe uv_run(handle, UV_RUN_NOWAIT)
    }

    /// Ends `run()`: closes whatever is still open; connections are notified by `closed(on:error:)`.
    ///
    /// Bytes still queued are dropped; who wants them sent uses `closeAfterFlush` and calls this later.
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

    /// Registers work for the end of this turn, before the corked writes are flushed; what it writes leaves with them.
    ///
    /// The hook is called once for each registration: register once per turn.
    package func atTurnEnd(_ hook: any TurnEndHook) {
        assert(isCurrent)
        turnEnd.add(hook)
    }

    /// Closes any handle by way of its wrapper; those of the turn's end have none.
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
