import Glibc

/// One TCP peer: reads through the loop's shared buffer, writes corked until the end of the turn.
///
/// It passes the events of its `TCPSocket` to its delegate; `TCPInput` decides about reads, and `TCPOutput` counts the
/// written bytes.
///
/// **Ends.** When the peer ends its side (EOF), queued bytes are still sent, then the connection closes with
/// `closed(on:error: nil)`: a peer that half-closes gets everything written up to then, and nothing later.
/// `closeAfterFlush` sends the rest, ends this side, discards received bytes until the peer ends its side, too (a close
/// with unread bytes would reset the connection and destroy the last answer), and then closes. `close` closes now.
///
/// libuv holds the connection, and the connection its delegate, until `closed`; other owners are not needed. An idle
/// one costs 432 bytes: 256 for `uv_tcp_t`, the rest for this object.
/// - Confinement: loop
package final class TCPConnection: LoopHandle, TurnstilePasser {
    enum State: UInt8 { case connecting, open, flushing, lingering, closing, closed }

    /// The loop this connection lives on.
    package let loop: Loop
    let socket: TCPSocket
    // The order of these leaves few gaps.
    var input = TCPInput()
    var output = TCPOutput()
    private(set) var state: State
    private var closeCode: Int32 = 0
    /// The state of a full socket; its memory counts as queued, too.
    var stall: Stall? {
        didSet { loop.queuedBytes += (stall?.cost ?? 0) - (oldValue?.cost ?? 0) }
    }
    /// The layer between socket and delegate, if there is one.
    private(set) var layer: (any TCPConnectionLayer)?
    /// Must be set in `onAccept` at the latest; released after `closed`.
    package var delegate: (any TCPConnectionDelegate)?
    /// The other end.
    package let peerAddress: SocketAddress
    private var closeTimer: LoopTimer?

    private init(_ descriptor: Int32, on loop: Loop, peer: SocketAddress, state: State) {
        Descriptor.setNoDelay(on: descriptor)
        self.loop = loop
        self.state = state
        peerAddress = peer
        socket = TCPSocket(descriptor, on: loop)
    }

    deinit {
        precondition(state == .closed, "TCPConnection was released before its close callback")
        socket.deallocate()
    }

    // MARK: Opening

    /// Takes an accepted socket, which is already non-blocking.
    /// - Returns: nil when libuv refuses it; then the descriptor is closed.
    static func adopt(_ descriptor: Int32, peer: SocketAddress, on loop: Loop) -> TCPConnection? {
        let connection = TCPConnection(descriptor, on: loop, peer: peer, state: .open)
        if connection.socket.open(for: connection) == 0 { return connection }
        connection.close()
        return nil
    }

    /// Connects to a server. Writes before `connected` wait for it.
    ///
    /// - Parameters:
    ///   - address: The server's address.
    ///   - localAddress: The address to connect from; port 0 lets the kernel choose. One source address has about
    ///     28,000 ports.
    ///   - delegate: Gets `connected(on:)`, or `closed(on:error:)` with the reason.
    /// - Returns: at once; the delegate is not called before it returns.
    /// - Throws: when there is no file descriptor left, or the local address cannot be used.
    package static func connect(
        on loop: Loop,
        to address: SocketAddress,
        from localAddress: SocketAddress? = nil,
        delegate: any TCPConnectionDelegate
    ) throws(UVError) -> TCPConnection {
        loop.preconditionOnLoop()
        let descriptor = try Descriptor.openSocket(family: address.family, from: localAddress)
        let connection = TCPConnection(descriptor, on: loop, peer: address, state: .connecting)
        connection.delegate = delegate
        var result = connection.socket.open(for: connection)
        if result == 0 { result = connection.socket.connect(to: address) }
        if result < 0 { connection.close(UVError(code: result)) }
        return connection
    }

    /// libuv has connected, or failed to.
    func connectEnded(_ status: Int32) {
        loop.preconditionOnLoop()
        if status < 0 { return close(UVError(code: status)) }
        guard state == .connecting else { return }
        state = .open
        if input.isWanted { startReading() }
        delegate?.connected(on: self)
    }

    /// Puts a layer between socket and delegate; it cannot be removed. To be called in `onAccept`, right after
    /// `connect`, or after bytes that were not for the layer, as long as nothing was written.
    package func install(_ layer: any TCPConnectionLayer) {
        assert(loop.isCurrent)
        precondition(self.layer == nil && queuedBytes == 0, "a layer comes before the first byte")
        self.layer = layer
        // A client's layer begins the handshake.
        requestFlush()
    }

    // MARK: Ending

    /// Whether `write` has an effect.
    package var isOpen: Bool { state == .open || state == .connecting }

    /// Whether nothing more can be sent.
    var isClosing: Bool { state == .closing || state == .closed }

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
        guard !input.hasEnded else { return close() }
        state = .lingering
        socket.endWriting()
        startReading()
    }

    /// The peer has ended its side.
    func peerEnded() {
        input.hasEnded = true
        stopReading()
        switch state {
        case .open: closeAfterFlush()
        case .lingering: close()
        case .connecting, .flushing, .closing, .closed: break
        }
    }

    /// Closes now. Queued bytes are dropped; the delegate gets `closed(on:error:)` before the next poll.
    package func close() {
        close(nil)
    }

    /// Closes now, for a reason.
    func close(_ error: UVError?) {
        assert(loop.isCurrent)
        guard !isClosing else { return }
        state = .closing
        closeCode = error?.code ?? 0
        closeTimer?.close()
        closeTimer = nil
        // The layer's unfinished records are released now, not at the end of a turn in which thousands may close.
        layer = nil
        socket.close()
    }

    /// libuv has closed the handle.
    func handleClosed() {
        loop.preconditionOnLoop()
        state = .closed
        stall = nil
        output.count(-output.waitingBytes, on: loop)
        let notified = delegate
        delegate = nil
        notified?.closed(on: self, error: closeCode == 0 ? nil : UVError(code: closeCode))
        socket.release(self)
    }
}

@available(*, unavailable)
extension TCPConnection: Sendable {}
