import CUV

extension TCPConnection {
    /// The most bytes read in one turn; the rest waits for the next turn.
    package var readBytesMax: Int32 {
        get { input.bytesMax }
        set { input.bytesMax = newValue }
    }

    /// The delegate's cost of the next bytes, which the delegate sets; a layer's handshake costs more in addition.
    package var turnCost: TurnCost {
        get { input.turnCost }
        set { input.turnCost = newValue }
    }

    /// Begins with small reads, which grow as long as they are cheap: for bytes that may inflate to a thousand times
    /// their number.
    package func beginReadingSlowly() { input.pace.beginSlowly() }

    /// Stops reading: the peer's bytes stay in the kernel, whose window then slows the peer down.
    ///
    /// The end of the peer is not noticed either until reading resumes, except by a failing write.
    package func pauseReading() {
        assert(loop.isCurrent)
        input.isWanted = false
        stopReading()
    }

    /// Reads again after `pauseReading`.
    package func resumeReading() {
        assert(loop.isCurrent)
        input.isWanted = true
        if state == .open { startReading() }
    }

    /// Asks libuv for bytes; closes on failure.
    func startReading() {
        guard input.mayStart else { return }
        let result = socket.startReading()
        if result < 0 { return close(UVError(code: result)) }
        input.isReading = true
    }

    /// Leaves bytes in the kernel.
    func stopReading() {
        guard input.isReading else { return }
        input.isReading = false
        socket.stopReading()
    }

    /// The size of libuv's next read, which goes into the loop's buffer; 0 when it must wait.
    func beginRead() -> Int {
        input.beginRead(in: loop.turns, at: &loop.turnEnd.turnstile, isHandshake: isHandshake)
    }

    /// libuv has read bytes, or knows that there are none.
    /// - Parameter count: The number of bytes, or libuv's code.
    func readCompleted(_ count: Int) {
        loop.preconditionOnLoop()
        if count > 0 {
            loop.readCalls += 1
            // After `closeAfterFlush`, received bytes are discarded.
            guard state == .open else { return input.passage = .none }
            guard let expected = input.endRead(of: count, isHandshake: isHandshake) else { return take(count) }
            return measure(expected: expected, bytes: count) { take(count) }
        }
        switch Int32(truncatingIfNeeded: count) {
        case 0, UV_ENOBUFS.rawValue:  // nothing there, or the turn's share is used up
            guard input.passage.isAwaited, input.isReading else { return }
            stopReading()
            if input.passage == .waiting {
                loop.turnEnd.turnstile.append(self)
            } else {
                loop.turnEnd.turnstile.putBack(self)
            }
        case UV_EOF.rawValue: peerEnded()
        default: close(UVError(code: Int32(truncatingIfNeeded: count)))
        }
    }

    /// Passes received bytes to the delegate.
    private func take(_ count: Int) {
        receive(unsafe UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(loop.readBuffer)[..<count]).bytes)
    }

    // MARK: The layer

    /// Bytes of incomplete records that the layer keeps.
    package var layerHeldBytes: Int { layer?.heldBytes ?? 0 }

    /// When these records must be complete; `.max` when there are none.
    package var layerDeadline: Int64 { layer?.deadline ?? .max }

    /// Passes bytes to the layer, or else to the delegate: those of a read, or those that arrived before the layer was
    /// installed.
    package func receive(_ bytes: RawSpan) {
        if let layer { receive(bytes, through: layer) } else { delegate?.received(bytes, on: self) }
    }

    /// Passes received bytes through the layer to the delegate.
    private func receive(_ bytes: RawSpan, through layer: any TCPConnectionLayer) {
        var plaintext = loop.takePlaintextBuffer()
        let verdict = layer.receive(bytes, into: &plaintext)
        requestFlush()
        if plaintext.isEmpty {
            delegate?.receivedPart(on: self)
        } else {
            unsafe plaintext.withUnsafeBytes { unsafe delegate?.received($0.bytes, on: self) }
        }
        loop.returnPlaintextBuffer(plaintext)
        if let timeout = verdict.lastBytesMilliseconds { closeAfterFlush(timeoutMilliseconds: timeout) }
    }

    // MARK: Expensive work

    private var isHandshake: Bool { layer?.isCostly == true }

    /// The expected cost of the connection's next step.
    var costOfTurn: TurnCost { input.cost(isHandshake: isHandshake) }

    /// Lets other connections go first, before the delegate continues: it is called by ``turnCame(on:)``, and the
    /// connection is not read until then.
    package func yieldTurn() {
        assert(loop.isCurrent)
        guard !input.isYielding, isOpen else { return }
        input.isYielding = true
        stopReading()
        // A connection that is already in line is called when its turn comes.
        if !input.passage.isAwaited { loop.turnEnd.turnstile.append(self) }
    }

    /// The turn has come for the expensive read, or for the work that waited.
    ///
    /// - Parameter isAssured: Whether it happens even if others have overdrawn the turn.
    func admit(isAssured: Bool) {
        guard input.isYielding else {
            input.passage = isAssured ? .assured : .admitted
            if state == .lingering || state == .open && input.isWanted { startReading() }
            return
        }
        input.passage = .none
        loop.turnEnd.addYielding(self)
    }

    /// Continues in this turn.
    func goOn() {
        input.isYielding = false
        // After `closeAfterFlush`, only the peer's end is awaited.
        guard state == .open else { return state == .lingering ? startReading() : () }
        let cost = max(input.pace.cost, .heavy)
        measure(expected: cost, bytes: ReadPace.expectedReadBytes) { delegate?.turnCame(on: self) }
        if state == .open, input.isWanted, !input.isYielding { startReading() }
    }

    /// Runs work of this connection and measures its time. Long work counts for this turn, and the connection's next
    /// reads are expected to cost the same and are shorter. Small ordinary reads are not measured: a delegate that
    /// finds expensive work in one measures it itself.
    package func measured(_ body: () -> Void) {
        guard input.isMeasured else { return measure(expected: .ordinary, bytes: ReadPace.expectedReadBytes, body) }
        body()
        // One read may bring many large messages: the turn may be long before the last one.
        loop.turnEnd.turnstile.lap(at: ThreadClock.microseconds)
    }

    private func measure(expected: TurnCost, bytes count: Int, _ body: () -> Void) {
        guard loop.measuresReads else { return body() }
        // The cost of a handshake says nothing about later reads.
        let isTypical = !isHandshake
        input.isMeasured = true
        let microseconds = loop.turnEnd.measure(expected: expected, body)
        input.isMeasured = false
        if isTypical { input.pace.note(microseconds: microseconds, bytes: count) }
    }
}

extension Loop {
    /// Takes the shared buffer, which is empty.
    fileprivate func takePlaintextBuffer() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &plaintextBuffer)
        return taken
    }

    /// Gives it back, with its capacity.
    fileprivate func returnPlaintextBuffer(_ buffer: consuming [UInt8]) {
        buffer.removeAll(keepingCapacity: true)
        plaintextBuffer = buffer
    }
}
