import CUV

extension TCPConnection {
    /// Stops reading: the peer's bytes stay in the kernel, whose window then slows the peer down.
    ///
    /// The peer's end is not noticed either until reading resumes, except by a failing write.
    package func pauseReading() {
        assert(loop.isCurrent)
        wantsReading = false
        stopReading()
    }

    /// Reads again after `pauseReading`.
    package func resumeReading() {
        assert(loop.isCurrent)
        wantsReading = true
        if state == .open { startReading() }
    }

    /// Asks libuv for bytes; a failure closes.
    func startReading() {
        guard !isReading, !hasPeerEnded else { return }
        let result = unsafe uv_read_start(
            asStream(handle),
            { handle, _, buffer in
                unsafe owner(of: handle?.pointee.data, as: TCPConnection.self)?.lendBuffer(buffer)
            },
            { handle, count, _ in
                unsafe owner(of: handle?.pointee.data, as: TCPConnection.self)?.readCompleted(count)
            }
        )
        if result < 0 { return close(UVError(code: result)) }
        isReading = true
    }

    /// Tells libuv to leave the bytes in the kernel.
    func stopReading() {
        guard isReading else { return }
        isReading = false
        unsafe uv_read_stop(asStream(handle))
    }

    /// Lends the loop's buffer for one read, or none when the turn's share is used up.
    private func lendBuffer(_ buffer: UnsafeMutablePointer<uv_buf_t>?) {
        let memory = unsafe loop.readBuffer
        let size = countRead() && passesTurnstile() ? UInt32(Loop.readBytesMax) : 0
        unsafe buffer?.pointee = uv_buf_init(memory.baseAddress?.assumingMemoryBound(to: CChar.self), size)
    }

    /// Whether this read is cheap, or one of the costly ones that fit into this turn.
    private func passesTurnstile() -> Bool {
        guard let layer, layer.isCostly, passage != .admitted else { return true }
        passage = loop.turnEnd.turnstile.admits() ? .admitted : .waiting
        return passage == .admitted
    }

    /// The turn has come in which the costly read fits.
    func admit() {
        passage = .admitted
        if state == .open, wantsReading { startReading() }
    }

    private func readCompleted(_ count: Int) {
        loop.preconditionOnLoop()
        if count > 0 {
            loop.readCalls += 1
            passage = .none
            // After `closeAfterFlush` what still comes is discarded.
            guard state == .open else { return }
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(loop.readBuffer)[..<count])
            if let layer { return unsafe received(bytes.bytes, through: layer) }
            unsafe delegate?.received(bytes.bytes, on: self)
            return
        }
        switch Int32(truncatingIfNeeded: count) {
        case 0, UV_ENOBUFS.rawValue:  // nothing there, or the turn's share is used up
            guard passage == .waiting, isReading else { return }
            stopReading()
            loop.turnEnd.turnstile.append(self)
        case UV_EOF.rawValue: peerEnded()
        default: close(UVError(code: Int32(truncatingIfNeeded: count)))
        }
    }

    private func peerEnded() {
        hasPeerEnded = true
        stopReading()
        switch state {
        case .open: closeAfterFlush()
        case .lingering: close()
        case .connecting, .flushing, .closing, .closed: break
        }
    }
}
