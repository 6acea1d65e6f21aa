import CUV

/// The owner of a doorbell.
/// - Confinement: loop
protocol DoorbellOwner: AnyObject {
    /// The bell rang, once or several times.
    func doorbellRang()
    /// The bell is about to close: no `ring` comes after this returns.
    func doorbellCloses()
    /// The bell is closed. When its loop ends, everything else on the loop has begun to close, too.
    func doorbellClosed()
}

/// `uv_async_t`: wakes a loop from any thread. Several rings before the wake-up count as one.
///
/// libuv holds the bell, and the bell its owner, until it is closed.
/// - Confinement: loop, except `ring`
@safe
final class Doorbell: LoopHandle {
    private let loop: Loop
    private let handle: UnsafeMutablePointer<uv_async_t>
    private var owner: (any DoorbellOwner)?
    private var isClosed = false

    init(on loop: Loop) throws(UVError) {
        loop.preconditionOnLoop()
        self.loop = loop
        unsafe handle = .allocate(capacity: 1)
        let result = unsafe uv_async_init(loop.handle, handle) { handle in
            unsafe EventLoop.owner(of: handle?.pointee.data, as: Doorbell.self)?.rang()
        }
        if result < 0 { throw UVError(code: result) }
        // libuv's reference; the close callback releases it.
        unsafe handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
    }

    deinit {
        unsafe handle.deallocate()
    }

    /// Sets the owner of the bell; must be called before anybody can ring it.
    func hang(for owner: any DoorbellOwner) {
        self.owner = owner
    }

    /// Wakes the loop. On any thread, but not after `close` has begun: the owner's lock ensures this.
    func ring() {
        unsafe uv_async_send(handle)
    }

    func close() {
        loop.preconditionOnLoop()
        guard !isClosed else { return }
        isClosed = true
        owner?.doorbellCloses()
        unsafe uv_close(asHandle(handle)) { handle in
            unsafe EventLoop.owner(of: handle?.pointee.data, as: Doorbell.self)?.handleClosed()
        }
    }

    private func rang() {
        loop.preconditionOnLoop()
        owner?.doorbellRang()
    }

    private func handleClosed() {
        loop.preconditionOnLoop()
        owner?.doorbellClosed()
        owner = nil
        unsafe Unmanaged.passUnretained(self).release()
    }
}

@available(*, unavailable)
extension Doorbell: Sendable {}
