import CUV

/// Reports when a socket of another owner can be read or written: for C libraries that do their own input and output
/// and need a loop to wait for them.
///
/// Its owner holds it and must `close()` it before releasing it, and before the socket is closed; `Loop.stop()` closes
/// it, too.
/// - Confinement: loop
@safe
package final class SocketWatcher: LoopHandle {
    /// The operations that a socket may be ready for.
    /// - Confinement: any
    package struct Readiness: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// A read does not wait; also set when the socket is broken, which the read then reports.
        package static let reading = Readiness(rawValue: 1)
        /// A write does not wait; also set when the socket is broken.
        package static let writing = Readiness(rawValue: 2)
    }

    private let loop: Loop
    private let handle: UnsafeMutablePointer<uv_poll_t>
    private var ready: ((Readiness) -> Void)?
    /// Whether `close` was called.
    package private(set) var isClosed = false

    /// Makes a watcher that does not wait yet.
    /// - Parameters:
    ///   - descriptor: A socket that no other watcher of the loop watches.
    ///   - ready: Called on the loop, in every turn while the socket is ready and watched.
    /// - Throws: when it is not a socket.
    package init(on loop: Loop, descriptor: Int32, ready: @escaping (Readiness) -> Void) throws(UVError) {
        loop.preconditionOnLoop()
        self.loop = loop
        self.ready = ready
        unsafe handle = .allocate(capacity: 1)
        let result = unsafe uv_poll_init(loop.handle, handle, descriptor)
        if result < 0 {
            isClosed = true
            throw UVError(code: result)
        }
        unsafe handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        precondition(isClosed, "SocketWatcher was dropped without close()")
        unsafe handle.deallocate()
    }

    /// Sets the operations to wait for; may be none.
    package func wait(for wanted: Readiness) {
        assert(loop.isCurrent)
        guard !isClosed else { return }
        guard !wanted.isEmpty else {
            unsafe uv_poll_stop(handle)
            return
        }
        var events: UInt32 = 0
        if wanted.contains(.reading) { events |= UV_READABLE.rawValue }
        if wanted.contains(.writing) { events |= UV_WRITABLE.rawValue }
        unsafe uv_poll_start(handle, Int32(events)) { handle, status, events in
            unsafe owner(of: handle?.pointee.data, as: SocketWatcher.self)?.polled(status, UInt32(events))
        }
    }

    /// Stops and releases the closure; the socket stays open.
    package func close() {
        assert(loop.isCurrent)
        guard !isClosed else { return }
        isClosed = true
        // libuv's reference, until the close callback.
        unsafe handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
        unsafe uv_close(asHandle(handle)) { handle in
            unsafe owner(of: handle?.pointee.data, as: SocketWatcher.self)?.handleClosed()
        }
    }

    private func polled(_ status: Int32, _ events: UInt32) {
        loop.preconditionOnLoop()
        guard status == 0 else {
            ready?([.reading, .writing])
            return
        }
        var readiness: Readiness = []
        if events & UV_READABLE.rawValue != 0 { readiness.insert(.reading) }
        if events & UV_WRITABLE.rawValue != 0 { readiness.insert(.writing) }
        ready?(readiness)
    }

    private func handleClosed() {
        loop.preconditionOnLoop()
        ready = nil
        unsafe Unmanaged.passUnretained(self).release()
    }
}

@available(*, unavailable)
extension SocketWatcher: Sendable {}
