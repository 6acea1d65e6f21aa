import CUV
import Glibc

/// Accepts connections on one address, for one loop.
///
/// Several listeners, one per loop, share a port with `reusePort`: the kernel deals the connections out. The first
/// may bind port 0; the others then bind the port it got.
///
/// Without descriptors (`EMFILE`) it gives up one kept in reserve to accept and close at once what waits, so clients
/// learn it quickly, then rests for 100 ms: it never spins, and takes new ones as soon as there is room.
///
/// It polls a socket of its own instead of using `uv_listen`, whose accept loop has no bound per turn, and spins when
/// libuv's own spare descriptor is gone.
///
/// Its owner holds it and must `close()` it before letting go; `Loop.stop()` closes it too.
/// - Confinement: loop
@safe
package final class TCPListener: LoopHandle {
    /// Connections accepted in one turn; the rest waits for the next.
    private static let acceptsPerTurnMax = 64
    /// Connections turned away at once when descriptors are out.
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
    /// The address bound, with the port the kernel chose.
    package let address: SocketAddress
    /// Connections handed to `onAccept`.
    package private(set) var acceptedCount = 0
    /// Connections closed at once because descriptors were out.
    package private(set) var refusedCount = 0

    /// Binds, listens and accepts from the next poll on.
    /// - Parameters:
    ///   - reusePort: share the port with other listeners that also say so.
    ///   - backlog: connections the kernel keeps waiting; capped by `net.core.somaxconn`.
    ///   - onAccept: sets the new connection's delegate before it returns; reading starts then.
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

    /// Stops accepting and gives the port back. Accepted connections stay.
    package func close() {
        assert(loop.isCurrent)
        guard !isClosed else { return }
        isClosed = true
        pause?.close()
        pause = nil
        // libuv's reference until the close callback.
        unsafe handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
        unsafe uv_close(asHandle(handle)) { handle in
            unsafe owner(of: handle?.pointee.data, as: TCPListener.self)?.handleClosed()
        }
        // libuv has forgotten the descriptor; who connects from here on is refused by the kernel.
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

    /// Finds out whether somebody else listens on an address: with `reusePort` both would, and each would get some of
    /// the connections.
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
            // A restart must not wait for connections of the run before to time out.
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
        if connection.isOpen, connection.wantsReading { connection.startReading() }
    }

    /// Turns away what waits, by means of the spare descriptor, then rests.
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
