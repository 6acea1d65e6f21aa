import CUV
import Glibc

/// Accepts connections on one address, for one loop.
///
/// Several listeners, one per loop, share a port with `reusePort`: the kernel distributes the connections. The first
/// may bind port 0; the others then bind its port.
///
/// Without free descriptors (`EMFILE`) it uses a spare one to accept and close waiting connections at once, so that
/// clients learn of it quickly, and then pauses for 100 ms. So it never spins, and accepts new connections as soon as
/// it can.
///
/// It polls a socket of its own instead of using `uv_listen`, whose accept loop has no bound per turn, and spins when
/// libuv's own spare descriptor is gone.
///
/// Its owner holds it and must `close()` it before releasing it; `Loop.stop()` closes it, too.
/// - Confinement: loop
@safe
package final class TCPListener: LoopHandle {
    /// Connections accepted in one turn; the rest waits for the next turn.
    private static let acceptsPerTurnMax = 64
    /// Connections turned away at once when there are no descriptors.
    private static let refusalsPerPauseMax = 256
    private static let pauseMilliseconds: Int64 = 100

    private let loop: Loop
    private let handle: UnsafeMutablePointer<uv_poll_t>
    private let descriptor: Int32
    private var spare: Int32
    private var onAccept: ((TCPConnection) -> Void)?
    private var pause: LoopTimer?
    /// Whether `close` was called.
    package private(set) var isClosed = false
    /// The bound address, with the port that the kernel chose.
    package let address: SocketAddress
    /// Connections handed to `onAccept`.
    package private(set) var acceptedCount = 0
    /// Connections closed at once because there were no descriptors.
    package private(set) var refusedCount = 0

    /// Binds, listens, and accepts from the next poll on.
    /// - Parameters:
    ///   - reusePort: Whether to share the port with other listeners that set this, too.
    ///   - backlog: Connections that may wait in the kernel; limited by `net.core.somaxconn`.
    ///   - onAccept: Must set the new connection's delegate before it returns; then reading starts.
    /// - Throws: `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`, `EMFILE`.
    package init(
        on loop: Loop,
        address: SocketAddress,
        reusePort: Bool = false,
        backlog: Int32 = 4096,
        onAccept: @escaping (TCPConnection) -> Void
    ) throws(UVError) {
        loop.preconditionOnLoop()
        let descriptor = try TCPListener.listen(on: address, reusePort: reusePort, backlog: backlog)
        self.loop = loop
        self.descriptor = descriptor
        self.onAccept = onAccept
        self.address = Descriptor.localAddress(of: descriptor) ?? address
        spare = Descriptor.openSpare()
        unsafe handle = .allocate(capacity: 1)
        let result = unsafe uv_poll_init(loop.handle, handle, descriptor)
        if result < 0 {
            isClosed = true
            closeDescriptors()
            throw UVError(code: result)
        }
        unsafe handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        pause = LoopTimer(on: loop) { [unowned self] in startPolling() }
        startPolling()
    }

    deinit {
        precondition(isClosed, "TCPListener was dropped without close()")
        unsafe handle.deallocate()
    }

    /// Stops accepting and releases the port. Accepted connections stay.
    package func close() {
        assert(loop.isCurrent)
        guard !isClosed else { return }
        isClosed = true
        pause?.close()
        pause = nil
        // libuv's reference, until the close callback.
        unsafe handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
        unsafe uv_close(asHandle(handle)) { handle in
            unsafe owner(of: handle?.pointee.data, as: TCPListener.self)?.handleClosed()
        }
        // libuv has released the descriptor; the kernel refuses connections from now on.
        closeDescriptors()
    }

    private func handleClosed() {
        loop.preconditionOnLoop()
        onAccept = nil
        unsafe Unmanaged.passUnretained(self).release()
    }

    private func closeDescriptors() {
        Glibc.close(descriptor)
        if spare >= 0 { Glibc.close(spare) }
        spare = -1
    }

    /// Checks whether another program listens on an address: with `reusePort` both would listen, and each would get
    /// some of the connections.
    /// - Throws: `EADDRINUSE`, and what binding throws otherwise.
    package static func checkFree(_ address: SocketAddress) throws(UVError) {
        let descriptor = try Descriptor.openSocket(family: address.family)
        defer { Glibc.close(descriptor) }
        try Descriptor.set(SO_REUSEADDR, at: SOL_SOCKET, to: 1, on: descriptor)
        try Descriptor.bind(descriptor, to: address)
    }

    private static func listen(
        on address: SocketAddress,
        reusePort: Bool,
        backlog: Int32
    ) throws(UVError) -> Int32 {
        let descriptor = try Descriptor.openSocket(family: address.family)
        do throws(UVError) {
            // After a restart, connections of the last run must not block the port until they time out.
            try Descriptor.set(SO_REUSEADDR, at: SOL_SOCKET, to: 1, on: descriptor)
            if reusePort { try Descriptor.set(SO_REUSEPORT, at: SOL_SOCKET, to: 1, on: descriptor) }
            try Descriptor.bind(descriptor, to: address)
            if Glibc.listen(descriptor, backlog) != 0 { throw UVError(errno: errno) }
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        return descriptor
    }

    private func startPolling() {
        guard !isClosed else { return }
        unsafe uv_poll_start(handle, Int32(UV_READABLE.rawValue)) { handle, _, _ in
            unsafe owner(of: handle?.pointee.data, as: TCPListener.self)?.readable()
        }
    }

    private func readable() {
        loop.preconditionOnLoop()
        for _ in 0..<TCPListener.acceptsPerTurnMax where !isClosed {
            switch Descriptor.accept(from: descriptor) {
            case .connection(let accepted, let peer): take(accepted, peer)
            case .none: return
            case .gone: continue
            case .failed: return shed()
            }
        }
    }

    private func take(_ accepted: Int32, _ peer: SocketAddress?) {
        guard let connection = TCPConnection.adopt(accepted, peer: peer ?? address, on: loop) else { return }
        acceptedCount += 1
        onAccept?(connection)
        precondition(
            connection.delegate != nil || !connection.isOpen,
            "onAccept must set the delegate, or close the connection"
        )
        if connection.isOpen, connection.input.isWanted { connection.startReading() }
    }

    /// Turns waiting connections away with the spare descriptor, then pauses.
    private func shed() {
        unsafe uv_poll_stop(handle)
        pause?.start(afterMilliseconds: TCPListener.pauseMilliseconds)
        if spare >= 0 { Glibc.close(spare) }
        refusing: for _ in 0..<TCPListener.refusalsPerPauseMax {
            switch Descriptor.accept(from: descriptor) {
            case .connection(let accepted, _):
                Glibc.close(accepted)
                refusedCount += 1
            case .gone: continue
            case .none, .failed: break refusing
            }
        }
        spare = Descriptor.openSpare()
    }
}

@available(*, unavailable)
extension TCPListener: Sendable {}
