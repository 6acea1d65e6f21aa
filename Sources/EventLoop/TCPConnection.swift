import CUV
import Glibc

/// One TCP peer: reads through the loop's shared buffer, writes corked until the end of the turn.
///
/// **Ends.** When the peer ends its side (EOF), what is queued is still sent, then the connection closes with
/// `closed(on:error: nil)`: a peer that half-closes gets what was written up to then, not what is written later.
/// `closeAfterFlush` sends the rest, ends this side, discards what the peer still sends until it ends too (a close
/// with unread bytes would reset the connection and destroy the last answer), then closes. `close` closes now.
///
/// libuv holds the connection, and the connection its delegate, until `closed`; nobody else needs to.
/// An idle one costs 432 bytes: 256 for `uv_tcp_t`, the rest this object.
/// - Confinement: loop
@safe
package final class TCPConnection: LoopHandle, TurnstilePasser {
    /// Reads of one connection in one turn; the rest waits for the next, so one peer cannot occupy the loop.
    static let readsPerTurnMax: UInt8 = 1
    /// What `drained` is measured by unless set otherwise.
    package static let queueBytesHighDefault = 256 << 10
    package static let queueBytesLowDefault = 64 << 10

    enum State: UInt8 { case connecting, open, flushing, lingering, closing, closed }

    /// The loop this connection lives on.
    package let loop: Loop
    let handle: UnsafeMutablePointer<uv_tcp_t>
    /// Bytes written and taken neither by the kernel nor by a pending write request.
    var waitingBytes = 0 {
        didSet { loop.queuedBytes += waitingBytes - oldValue }
    }
    var stall: Stall? {
        didSet {
            guard stall !== oldValue else { return }
            loop.queuedBytes += (stall?.cost ?? 0) - (oldValue?.cost ?? 0)
        }
    }
    /// Between socket and delegate, if anything.
    var layer: (any TCPConnectionLayer)?
    // Small fields stand together: the order leaves few gaps. What a write looks at stands first.
    /// Whether the queue went above the high mark and has not fallen to the low one since.
    package internal(set) var isCongested = false
    var state: State
    var isReading = false
    var wantsReading = true
    /// What taking the next bytes costs the delegate, which knows; a layer's handshake costs what it costs besides.
    package var turnCost = TurnCost.ordinary
    /// How its reads fare.
    var readPace = ReadPace()
    /// Whether the time is being taken of what it does.
    var isMeasured = false
    /// Bytes taken in one turn at most; what is more waits for the next.
    package var readBytesMax = Int32(Loop.readBytesMax)
    /// How it stands with the loop's turnstile.
    var passage = TurnstilePassage.none
    /// Whether it waits for its turn to go on with what it has.
    var isYielding = false
    var hasPeerEnded = false
    /// Whether the turn's end knows of this connection.
    var isFlushRequested = false
    private var readsThisTurn: UInt8 = 0
    private var readTurn: UInt32 = 0
    var corkHead = Cork.none
    var corkTail = Cork.none
    private var closeCode: Int32 = 0
    /// The kernel's descriptor, kept from its first use on.
    private var keptDescriptor: Int32 = -1
    /// `write` beyond this makes the connection congested; in bytes.
    package var queueBytesHigh = Int32(TCPConnection.queueBytesHighDefault)
    /// A congested connection that falls to this gets `drained`; in bytes.
    package var queueBytesLow = Int32(TCPConnection.queueBytesLowDefault)
    /// Set it in `onAccept` at the latest; let go after `closed`.
    package var delegate: (any TCPConnectionDelegate)?
    /// The other end.
    package let peerAddress: SocketAddress
    var closeTimer: LoopTimer?

    init(on loop: Loop, peer: SocketAddress, state: State) {
        self.loop = loop
        self.state = state
        peerAddress = peer
        unsafe handle = .allocate(capacity: 1)
        unsafe uv_tcp_init(loop.handle, handle)
        // libuv's reference, released by the close callback.
        unsafe handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
    }

    deinit {
        precondition(state == .closed, "TCPConnection was released before its close callback")
        unsafe handle.deallocate()
    }

    /// The kernel's descriptor, -1 when there is none.
    var descriptor: Int32 {
        if keptDescriptor < 0, unsafe uv_fileno(asHandle(handle), &keptDescriptor) != 0 { keptDescriptor = -1 }
        return keptDescriptor
    }

    /// Whether `write` still has an effect.
    package var isOpen: Bool { state == .open || state == .connecting }

    /// Closes now. Queued bytes are dropped; the delegate hears `closed(on:error:)` before the next poll.
    package func close() {
        close(nil)
    }

    /// Closes now, for a reason.
    func close(_ error: UVError?) {
        assert(loop.isCurrent)
        guard state.rawValue < State.closing.rawValue else { return }
        state = .closing
        closeCode = error?.code ?? 0
        closeTimer?.close()
        closeTimer = nil
        // What it keeps of unfinished records goes now, not at the end of a turn in which thousands may close.
        layer = nil
        unsafe uv_close(asHandle(handle)) { handle in
            unsafe owner(of: handle?.pointee.data, as: TCPConnection.self)?.handleClosed()
        }
    }

    private func handleClosed() {
        loop.preconditionOnLoop()
        state = .closed
        stall = nil
        waitingBytes = 0
        let told = delegate
        delegate = nil
        told?.closed(on: self, error: closeCode == 0 ? nil : UVError(code: closeCode))
        unsafe Unmanaged.passUnretained(self).release()
    }

    /// What congests it, and what it must fall to then: its own marks, or less where all connections hold too much.
    var highMark: Int { min(Int(queueBytesHigh), loop.queueBytesMax) }
    var lowMark: Int { min(Int(queueBytesLow), loop.queueBytesMax / 4) }

    /// Whether another read fits into this turn.
    func countRead() -> Bool {
        if readTurn != loop.turns {
            readTurn = loop.turns
            readsThisTurn = 0
        }
        guard readsThisTurn < TCPConnection.readsPerTurnMax else { return false }
        readsThisTurn += 1
        return true
    }
}

@available(*, unavailable)
extension TCPConnection: Sendable {}
