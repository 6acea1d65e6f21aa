import Glibc
import CUV

extension TCPConnection {
    /// Sends what is queued, ends this side, waits for the peer to end its own, then closes. Nothing is received or
    /// accepted for writing any more.
    /// - Parameter timeoutMilliseconds: for all of it; then it closes anyway, with `ETIMEDOUT` if bytes were left.
    package func closeAfterFlush(timeoutMilliseconds: Int64 = 5000) {
        assert(loop.isCurrent)
        guard isOpen else { return }
        if state == .connecting, queuedBytes == 0 { return close() }
        state = .flushing
        let timer = LoopTimer(on: loop) { [unowned self] in
            close(queuedBytes == 0 ? nil : .timedOut)
        }
        closeTimer = timer
        timer.start(afterMilliseconds: timeoutMilliseconds)
        // A layer sends its last bytes after everything that was written.
        if layer != nil { return requestFlush() }
        if queuedBytes == 0 { flushed() }
    }

    /// Everything is with the kernel: ends this side.
    func flushed() {
        guard !hasPeerEnded else { return close() }
        state = .lingering
        // libuv's own request for this is not needed: its queue is empty.
        _ = shutdown(descriptor, Int32(SHUT_WR))
        startReading()
    }
}
