/// Sends the output of a connection to its socket, and lets the rest wait while the socket is full.
/// - Confinement: loop
struct TCPSender {
    private let connection: TCPConnection
    private var loop: Loop { connection.loop }
    private var socket: TCPSocket { connection.socket }

    init(_ connection: TCPConnection) { self.connection = connection }

    /// Sends bytes in front of which nothing waits.
    func sendAtOnce(_ bytes: borrowing [UInt8]) {
        let sent = unsafe bytes.withUnsafeBytes { unsafe socket.send($0, on: loop) }
        guard sent >= 0 else { return failed(sent) }
        guard sent < bytes.count else { return }
        connection.output.count(bytes.count - sent, on: loop)
        wait(for: ChunkQueue(copy bytes, without: sent))
        connection.output.noteCongestion(on: loop)
    }

    /// Writes the turn's bytes: one call for one chunk, or for many small ones. Calls no delegate.
    func flush() {
        connection.output.isFlushRequested = false
        let chain = connection.output.takeChain()
        if let layer = connection.layer { return flush(chain, through: layer) }
        guard !connection.isClosing, !chain.isEmpty else { return }
        // Nothing else waits: while the socket is full, written bytes are in the stall's queue.
        let count = connection.output.waitingBytes
        if connection.state == .connecting {
            // libuv finds out if the connect fails.
            wait(for: loop.turnEnd.cork.takeQueue(chain))
        } else if chain.isSingle || count <= Loop.gatherBytesMax {
            guard let sent = took(socket.send(chain, on: loop)) else { return }
            if sent < count {
                var queue = loop.turnEnd.cork.takeQueue(chain)
                queue.consume(sent)
                wait(for: queue)
            }
        } else {
            var queue = loop.turnEnd.cork.takeQueue(chain)
            guard took(socket.send(from: &queue, on: loop)) != nil else { return }
            if !queue.isEmpty { wait(for: queue) }
        }
        noteQueueFell(deferring: true)
    }

    /// Passes the turn's writes through the layer to the socket. Calls no delegate.
    private func flush(_ chain: Cork.Chain, through layer: any TCPConnectionLayer) {
        guard !connection.isClosing, connection.state != .lingering else { return }
        let plaintext = loop.turnEnd.cork.join(chain)
        let sealed = layer.seal(plaintext, isLast: connection.state == .flushing)
        connection.output.count(sealed.count - plaintext.count, on: loop)
        if !sealed.isEmpty { send(sealed) }
        noteQueueFell(deferring: true)
    }

    private func send(_ sealed: [UInt8]) {
        if let stall = connection.stall { return stall.queue.append(sealed) }
        // libuv finds out if the connect fails.
        let isConnected = connection.state != .connecting
        let sent = isConnected ? unsafe sealed.withUnsafeBytes { unsafe socket.send($0, on: loop) } : 0
        if let sent = took(sent), sent < sealed.count { wait(for: ChunkQueue(sealed, without: sent)) }
    }

    /// Counts bytes that the kernel has accepted; closes after a failure.
    /// - Parameter sent: The number of bytes, or libuv's code.
    /// - Returns: the number of bytes; nil after a failure.
    private func took(_ sent: Int) -> Int? {
        if sent < 0 {
            failed(sent)
            return nil
        }
        connection.output.count(-sent, on: loop)
        connection.stall?.progressAt = loop.now
        return sent
    }

    /// Closes after a failed write.
    private func failed(_ code: Int) {
        connection.close(connection.input.hasEnded ? nil : UVError(code: Int32(truncatingIfNeeded: code)))
    }

    /// The socket is full: the bytes wait until it has room.
    private func wait(for queue: consuming ChunkQueue) {
        let stall = Stall(queue: queue, at: loop.now)
        connection.stall = stall
        wait(on: stall)
    }

    private func wait(on stall: Stall) {
        let result = stall.wait(on: socket, of: loop)
        if result < 0 { return connection.close(UVError(code: result)) }
        connection.output.count(-stall.probeBytes, on: loop)
    }

    /// The socket had room for the request: the rest is written from the shared arrays.
    func probeWritten(_ status: Int32) {
        loop.preconditionOnLoop()
        guard let stall = connection.stall else { return }
        stall.probeEnded()
        guard !connection.isClosing else { return }
        if status < 0 { return failed(Int(status)) }
        stall.progressAt = loop.now
        guard took(socket.send(from: &stall.queue, on: loop)) != nil else { return }
        if stall.queue.isEmpty { connection.stall = nil } else { wait(on: stall) }
        noteQueueFell(deferring: false)
    }

    // MARK: A shrunken queue

    /// Acts on a shrunken queue: `drained`, or the next step of `closeAfterFlush`.
    private func noteQueueFell(deferring: Bool) {
        if hasDrained { deferring ? loop.turnEnd.addDrained(connection) : notifyDrained() }
        if connection.state == .flushing, connection.queuedBytes == 0 { connection.flushed() }
    }

    /// Whether the connection was congested and its queue has fallen to the low mark.
    private var hasDrained: Bool {
        connection.isCongested && connection.isOpen && connection.queuedBytes <= connection.output.lowMark(on: loop)
    }

    /// Calls the delegate's `drained`, unless the queue has grown again or the connection is ending.
    func notifyDrained() {
        guard hasDrained else { return }
        connection.output.isCongested = false
        connection.delegate?.drained(on: connection)
    }
}

@available(*, unavailable)
extension TCPSender: Sendable {}
