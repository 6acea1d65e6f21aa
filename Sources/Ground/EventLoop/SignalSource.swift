import CUV

/// Receives one signal of the process, on a loop. Several sources may receive the same one.
///
/// Its owner holds it and must `close()` it before releasing it; `Loop.stop()` closes it, too.
/// - Confinement: loop
@safe
package final class SignalSource: LoopHandle {
    private let loop: Loop
    private let handle: UnsafeMutablePointer<uv_signal_t>
    private var receive: (() -> Void)?
    /// Whether `close` was called.
    package private(set) var isClosed = false

    /// Starts to receive a signal.
    /// - Parameters:
    ///   - signal: For example `SIGTERM`.
    ///   - receive: Called on the loop, once for any number of signals that arrived together.
    /// - Throws: `UVError` when the kernel refuses (`SIGKILL`, an invalid number).
    package init(on loop: Loop, signal: Int32, receive: @escaping () -> Void) throws(UVError) {
        loop.preconditionOnLoop()
        self.loop = loop
        self.receive = receive
        unsafe handle = .allocate(capacity: 1)
        unsafe uv_signal_init(loop.handle, handle)
        unsafe handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        let result = unsafe uv_signal_start(
            handle,
            { handle, _ in unsafe owner(of: handle?.pointee.data, as: SignalSource.self)?.received() },
            signal
        )
        if result < 0 {
            close()
            throw UVError(code: result)
        }
    }

    deinit {
        precondition(isClosed, "SignalSource was dropped without close()")
        unsafe handle.deallocate()
    }

    /// Stops receiving and releases the closure; without another source, the signal has its default action again.
    package func close() {
        assert(loop.isCurrent)
        guard !isClosed else { return }
        isClosed = true
        // libuv's reference, until the close callback.
        unsafe handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
        unsafe uv_close(asHandle(handle)) { handle in
            unsafe owner(of: handle?.pointee.data, as: SignalSource.self)?.handleClosed()
        }
    }

    private func received() {
        loop.preconditionOnLoop()
        receive?()
    }

    private func handleClosed() {
        loop.preconditionOnLoop()
        receive = nil
        unsafe Unmanaged.passUnretained(self).release()
    }
}

@available(*, unavailable)
extension SignalSource: Sendable {}
