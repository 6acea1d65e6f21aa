import CUV
import Glibc

/// One TCP peer: reads through the loop's shared buffer, writes corked until the end of the turn.
///
/// **Ends.** When the peer ends its side (EOF), queued bytes are still sent, then the connection closes with
/// `closed(on:error: nil)`: a peer that half-closes gets everything written up to then, and nothing later.
/// `closeAfterFlush` sends the rest, ends this side, discards received bytes until the peer ends its side, too (a close
/// with unread bytes would reset the connection and destroy the last answer), and then closes. `close` closes now.
///
/// libuv holds the connection, and the connection its delegate, until `closed`; other owners are not needed. An idle
/// one costs 432 bytes: 256 for `uv_tcp_t`, the rest for this object.
/// - Confinement: loop
@safe
package final class TCPConnection: LoopHandle, TurnstilePasser {
    /// Reads of one connection in one turn; the rest waits for the next turn, so that one peer cannot occupy the loop.
    static let readsPerTurnMax: UInt8 = 1
    /// The default mark for `drained`.
    package static let queueBytesHighDefault = 256 << 10
    package static let queueBytesLowDefault = 64 << 10

    enum State: UInt8 { case connecting, open, flushing, lingering, closing, closed }

    /// The loop this connection lives on.
    package let loop: Loop
    let handle: UnsafeMutablePointer<uv_tcp_t>
    /// Bytes written that neither the kernel nor a pending write request has.
    var waitingBytes = 0 {
        didSet { loop.queuedBytes += waitingBytes - oldValue }
    }
    var stall: Stall? {
        didSet {
            guard stall !== oldValue else { return }
            loop.queuedBytes += (stall?.cost ?? 0) - (oldValue?.cost ?? 0)
        }
    }
    /// The layer between socket and delegate, if there is one.
    var layer: (any TCPConnectionLayer)?
    // Small fields stand together, so that the order leaves few gaps; the fields that a write reads come first.
    /// Whether the queue went above the high mark and has not fallen to the low one since.
    package internal(set) var isCongested = false
    var state: State
    var isReading = false
    var wantsReading = true
    /// The delegate's cost of the next bytes, which the delegate sets; a layer's handshake costs more in addition.
    package var turnCost = TurnCost.ordinary
    /// The expected cost and size of its reads.
    var readPace = ReadPace()
    /// Whether its work is being timed.
    var isMeasured = false
    /// The most bytes read in one turn; the rest waits for the next turn.
    package var readBytesMax = Int32(Loop.readBytesMax)
    /// Its state at the loop's turnstile, while its work is expensive.
    var passage = TurnstilePassage.none
    /// Whether it waits for its turn to continue.
    var isYielding = false
    var hasPeerEnded = false
    /// Whether it is registered for the end of the turn.
    var isFlushRequested = false
    private var readsThisTurn: UInt8 = 0
    private var readTurn: UInt32 = 0
    var corkHead = Cork.none
    var corkTail = Cork.none
    private var closeCode: Int32 = 0
    /// The kernel's descriptor, kept after its first use.
    private var keptDescriptor: Int32 = -1
    /// The connection counts as congested when `write` exceeds this; in bytes.
    package var queueBytesHigh = Int32(TCPConnection.queueBytesHighDefault)
    /// A congested connection gets `drained` when the queue falls to this; in bytes.
    package var queueBytesLow = Int32(TCPConnection.queueBytesLowDefault)
    /// Must be set in `onAccept` at the latest; released after `closed`.
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
        // libuv's reference; the close callback releases it.
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

    /// Whether `write` has an effect.
    package var isOpen: Bool { state == .open || state == .connecting }

    /// Closes now. Queued bytes are dropped; the delegate gets `closed(on:error:)` before the next poll.
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
        // The layer's unfinished records are released now, not at the end of a turn in which thousands may close.
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

    /// The mark at which it counts as congested: its own, or a lower one when all connections hold too much.
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
