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

    /// Tells libuv to leave the bytes in the kernel.
    func stopReading() {
        guard isReading else { return }
        isReading = false
        unsafe uv_read_stop(asStream(handle))
    }

    /// Lends the loop's buffer for one read, or none when the turn's share is used up.
    private func lendBuffer(_ buffer: UnsafeMutablePointer<uv_buf_t>?) {
        let memory = unsafe loop.readBuffer
        let size = countRead() && passesTurnstile() ? UInt32(bytesOfRead) : 0
        unsafe buffer?.pointee = uv_buf_init(memory.baseAddress?.assumingMemoryBound(to: CChar.self), size)
    }

    /// Bytes that the next read may take: fewer where its bytes cost much, and a few where the turn is long already, since
    /// those who have much to say have the next one, too.
    private var bytesOfRead: Int {
        let most = readPace.bytes(of: min(Int(readBytesMax), Loop.readBytesMax))
        return passage == .none && loop.turnEnd.turnstile.isSpent ? min(most, Loop.shortReadBytes) : most
    }

    /// Begins with small reads, which grow as long as they cost little: for bytes that may stand for a thousand times as
    /// many.
    package func beginReadingSlowly() { readPace.beginSlowly() }

    /// Whether this read is ordinary, or one of the costly ones that fit into this turn.
    private func passesTurnstile() -> Bool {
        let cost = costOfTurn
        guard cost != .ordinary else { return true }
        switch passage {
        case .assured: break
        // Where those before took longer than expected, the others wait for another turn.
        case .admitted: if loop.turnEnd.turnstile.isOverdrawn { passage = .waitingAgain }
        default: passage = loop.turnEnd.turnstile.admits(cost) ? .admitted : .waiting
        }
        return passage.isGiven
    }

    /// What this connection does next costs: a handshake, and what it waits with, more than what it says of itself.
    var costOfTurn: TurnCost {
        let own = max(turnCost, readPace.cost)
        return isYielding || layer?.isCostly == true ? max(own, .heavy) : own
    }

    /// Gives way to others before the delegate goes on with what it has: it is called by ``turnCame(on:)``, and not read
    /// from until then.
    package func yieldTurn() {
        assert(loop.isCurrent)
        guard !isYielding, isOpen else { return }
        isYielding = true
        stopReading()
        // A connection that is already in line is called when its turn comes.
        if !passage.isAwaited { loop.turnEnd.turnstile.append(self) }
    }

    /// The turn has come: of the costly read, or of what the connection gave way with.
    ///
    /// - Parameter isAssured: whether it comes through whatever the others take.
    func admit(isAssured: Bool) {
        guard isYielding else {
            passage = isAssured ? .assured : .admitted
            if state == .lingering || state == .open && wantsReading { startReading() }
            return
        }
        passage = .none
        loop.turnEnd.addYielding(self)
    }

    /// Goes on, in the turn that came.
    func goOn() {
        isYielding = false
        // Who says farewell waits for the peer's end.
        guard state == .open else { return state == .lingering ? startReading() : () }
        let cost = max(readPace.cost, .heavy)
        measure(expected: cost, bytes: ReadPace.expectedReadBytes) { delegate?.turnCame(on: self) }
        if state == .open, wantsReading, !isYielding { startReading() }
    }

    private func readCompleted(_ count: Int) {
        loop.preconditionOnLoop()
        if count > 0 {
            loop.readCalls += 1
            // After `closeAfterFlush` what still comes is discarded.
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

    /// Leads what was read to the delegate.
    private func take(_ count: Int) {
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(loop.readBuffer)[..<count])
        if let layer { return unsafe received(bytes.bytes, through: layer) }
        unsafe delegate?.received(bytes.bytes, on: self)
    }

    /// Does something for this connection with a look at the thread's clock. What takes long counts for this turn; the
    /// connection's next reads are expected to cost as much, and are shorter. Small ordinary reads are not worth the look:
    /// a delegate that finds something costly in one has that measured.
    package func measured(_ body: () -> Void) {
        guard isMeasured else { return measure(expected: .ordinary, bytes: ReadPace.expectedReadBytes, body) }
        body()
        // One read may bring many large messages: the turn may be long before the last.
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
        // A handshake says nothing of what comes after it.
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
