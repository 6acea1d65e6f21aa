import Glibc
import CUV

extension TCPConnection {
    /// Sends the queued bytes, ends this side, waits until the peer ends its side, then closes. Meanwhile nothing is
    /// received, and writes have no effect.
    /// - Parameter timeoutMilliseconds: The time for all of this; then it closes anyway, with `ETIMEDOUT` if bytes were
    ///   left.
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
        // A layer sends its last bytes after all writes.
        if layer != nil { return requestFlush() }
        if queuedBytes == 0 { flushed() }
    }

    /// The kernel has accepted everything: ends this side.
    func flushed() {
        guard !hasPeerEnded else { return close() }
        state = .lingering
        // libuv's own request for this is not needed, because its queue is empty.
        _ = shutdown(descriptor, Int32(SHUT_WR))
        startReading()
    }
}
