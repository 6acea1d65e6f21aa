import CUV

extension TCPConnection {
    /// Stops reading: the peer's bytes stay in the kernel, whose window then slows the peer down.
    ///
    /// The end of the peer is not noticed either until reading resumes, except by a failing write.
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

    /// Asks libuv for bytes; closes on failure.
    func startReading() {
        guard !isReading, !isYielding, !hasPeerEnded else { return }
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

    /// Tells libuv to leave bytes in the kernel.
    func stopReading() {
        guard isReading else { return }
        isReading = false
        unsafe uv_read_stop(asStream(handle))
    }

    /// Lends the loop's buffer for one read, or nothing when the turn's share is used up.
    private func lendBuffer(_ buffer: UnsafeMutablePointer<uv_buf_t>?) {
        let memory = unsafe loop.readBuffer
        let size = countRead() && passesTurnstile() ? UInt32(bytesOfRead) : 0
        unsafe buffer?.pointee = uv_buf_init(memory.baseAddress?.assumingMemoryBound(to: CChar.self), size)
    }

    /// The size of the next read. It is smaller when the connection's bytes are expensive, and small when the turn is
    /// already long; the rest is read in the next turn.
    private var bytesOfRead: Int {
        let most = readPace.bytes(of: min(Int(readBytesMax), Loop.readBytesMax))
        return passage == .none && loop.turnEnd.turnstile.isSpent ? min(most, Loop.shortReadBytes) : most
    }

    /// Begins with small reads, which grow as long as they are cheap: for bytes that may inflate to a thousand times
    /// their number.
    package func beginReadingSlowly() { readPace.beginSlowly() }

    /// Whether this read may happen now: it is ordinary, or one of the expensive ones that fit into this turn.
    private func passesTurnstile() -> Bool {
        let cost = costOfTurn
        guard cost != .ordinary else { return true }
        switch passage {
        case .assured: break
        // If the earlier ones took longer than expected, the others wait for another turn.
        case .admitted: if loop.turnEnd.turnstile.isOverdrawn { passage = .waitingAgain }
        default: passage = loop.turnEnd.turnstile.admits(cost) ? .admitted : .waiting
        }
        return passage.isGiven
    }

    /// The expected cost of the connection's next read: of a handshake, or else the cost that its delegate has set or
    /// that was measured.
    var costOfTurn: TurnCost {
        let own = max(turnCost, readPace.cost)
        return isYielding || layer?.isCostly == true ? max(own, .heavy) : own
    }

    /// Lets other connections go first, before the delegate continues: it is called by ``turnCame(on:)``, and the
    /// connection is not read until then.
    package func yieldTurn() {
        assert(loop.isCurrent)
        guard !isYielding, isOpen else { return }
        isYielding = true
        stopReading()
        // A connection that is already in line is called when its turn comes.
        if !passage.isAwaited { loop.turnEnd.turnstile.append(self) }
    }

    /// The turn has come for the expensive read, or for the work that waited.
    ///
    /// - Parameter isAssured: Whether it happens even if others have overdrawn the turn.
    func admit(isAssured: Bool) {
        guard isYielding else {
            passage = isAssured ? .assured : .admitted
            if state == .lingering || state == .open && wantsReading { startReading() }
            return
        }
        passage = .none
        loop.turnEnd.addYielding(self)
    }

    /// Continues in this turn.
    func goOn() {
        isYielding = false
        // After `closeAfterFlush`, only the peer's end is awaited.
        guard state == .open else { return state == .lingering ? startReading() : () }
        let cost = max(readPace.cost, .heavy)
        measure(expected: cost, bytes: ReadPace.expectedReadBytes) { delegate?.turnCame(on: self) }
        if state == .open, wantsReading, !isYielding { startReading() }
    }

    private func readCompleted(_ count: Int) {
        loop.preconditionOnLoop()
        if count > 0 {
            loop.readCalls += 1
            // After `closeAfterFlush`, received bytes are discarded.
            guard state == .open else { return passage = .none }
            guard count >= Loop.measuredReadBytes || passage.isGiven || readPace.isSlowed else {
                return take(count)
            }
            let expected = passage.isGiven ? costOfTurn : .ordinary
            passage = .none
            return measure(expected: expected, bytes: count) { take(count) }
        }
        switch Int32(truncatingIfNeeded: count) {
        case 0, UV_ENOBUFS.rawValue:  // nothing there, or the turn's share is used up
            guard passage.isAwaited, isReading else { return }
            stopReading()
            if passage == .waiting { loop.turnEnd.turnstile.append(self) } else { loop.turnEnd.turnstile.putBack(self) }
        case UV_EOF.rawValue: peerEnded()
        default: close(UVError(code: Int32(truncatingIfNeeded: count)))
        }
    }

    /// Passes received bytes to the delegate.
    private func take(_ count: Int) {
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(loop.readBuffer)[..<count])
        if let layer { return unsafe received(bytes.bytes, through: layer) }
        unsafe delegate?.received(bytes.bytes, on: self)
    }

    /// Runs work of this connection and measures its time. Long work counts for this turn, and the connection's next
    /// reads are expected to cost the same and are shorter. Small ordinary reads are not measured: a delegate that
    /// finds expensive work in one measures it itself.
    package func measured(_ body: () -> Void) {
        guard isMeasured else { return measure(expected: .ordinary, bytes: ReadPace.expectedReadBytes, body) }
        body()
        // One read may bring many large messages: the turn may be long before the last one.
        loop.turnEnd.turnstile.lap(at: ThreadClock.microseconds)
    }

    private func measure(expected: TurnCost, bytes count: Int, _ body: () -> Void) {
        guard loop.measuresReads else { return body() }
        isMeasured = true
        let isHandshake = layer?.isCostly == true
        let began = ThreadClock.microseconds
        loop.turnEnd.turnstile.beginMeasuring(at: began)
        body()
        isMeasured = false
        let now = ThreadClock.microseconds
        loop.turnEnd.turnstile.lap(at: now)
        let microseconds = now - began
        loop.turnEnd.turnstile.charge(TurnCost(microseconds: microseconds), expected: expected)
        // The cost of a handshake says nothing about later reads.
        if !isHandshake { readPace.note(microseconds: microseconds, bytes: count) }
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
