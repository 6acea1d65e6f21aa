import CUV
import Glibc

/// The socket of a connection: libuv's handle, which polls it and is called back, and the kernel's descriptor.
///
/// It has no state of its own and calls no delegate. libuv holds the connection from `open` until the close callback.
/// - Confinement: loop
@safe
struct TCPSocket {
    let handle: UnsafeMutablePointer<uv_tcp_t>
    let descriptor: Int32

    /// Makes the handle; `open` gives it the descriptor.
    init(_ descriptor: Int32, on loop: Loop) {
        self.descriptor = descriptor
        unsafe handle = .allocate(capacity: 1)
        unsafe uv_tcp_init(loop.handle, handle)
    }

    /// Releases libuv's reference to the connection, in the close callback.
    func release(_ connection: TCPConnection) {
        unsafe Unmanaged.passUnretained(connection).release()
    }

    /// Frees the handle, after the close callback.
    func deallocate() {
        unsafe handle.deallocate()
    }

    /// Hands the descriptor, which is non-blocking, to libuv.
    /// - Parameter connection: is held and called back by libuv, also when this fails.
    /// - Returns: libuv's code; after a failure the descriptor is closed.
    func open(for connection: TCPConnection) -> Int32 {
        // libuv's reference; the close callback releases it.
        unsafe handle.pointee.data = Unmanaged.passRetained(connection).toOpaque()
        let result = unsafe uv_tcp_open(handle, descriptor)
        if result < 0 { Glibc.close(descriptor) }
        return result
    }

    /// Begins to connect; `connectEnded` follows.
    /// - Returns: libuv's code.
    func connect(to address: SocketAddress) -> Int32 {
        let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
        let result = unsafe address.withSockaddr { address, _ in
            unsafe uv_tcp_connect(request, handle, address) { request, status in
                guard let request = unsafe request else { return }
                let connection = unsafe owner(of: request.pointee.handle.pointee.data, as: TCPConnection.self)
                unsafe request.deallocate()
                connection?.connectEnded(status)
            }
        }
        if result < 0 { unsafe request.deallocate() }
        return result
    }

    /// Begins to close; `handleClosed` follows.
    func close() {
        unsafe uv_close(asHandle(handle)) { handle in
            unsafe owner(of: handle?.pointee.data, as: TCPConnection.self)?.handleClosed()
        }
    }

    /// Asks libuv for bytes: each read is `beginRead`, then `readCompleted`.
    /// - Returns: libuv's code.
    func startReading() -> Int32 {
        unsafe uv_read_start(
            asStream(handle),
            { handle, _, buffer in
                guard let connection = unsafe owner(of: handle?.pointee.data, as: TCPConnection.self) else { return }
                let memory = unsafe connection.loop.readBuffer.baseAddress?.assumingMemoryBound(to: CChar.self)
                unsafe buffer?.pointee = uv_buf_init(memory, UInt32(connection.beginRead()))
            },
            { handle, count, _ in
                unsafe owner(of: handle?.pointee.data, as: TCPConnection.self)?.readCompleted(count)
            }
        )
    }

    /// Leaves bytes in the kernel.
    func stopReading() {
        unsafe uv_read_stop(asStream(handle))
    }

    /// The bytes of a pending write request that the kernel has not accepted. Not to be called after the close callback.
    var unsentBytes: Int {
        unsafe uv_stream_get_write_queue_size(asStream(handle))
    }

    /// Ends this side. libuv's own request for this is not needed, because its queue is empty.
    func endWriting() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// One `send`, which is cheaper than the `write` of `uv_try_write`; only while libuv has no request.
    /// - Returns: the number of accepted bytes, perhaps 0, or libuv's code.
    func send(_ bytes: UnsafeRawBufferPointer, on loop: Loop) -> Int {
        loop.writeCalls += 1
        return unsafe Descriptor.send(bytes, on: descriptor)
    }

    /// Sends a chain of the cork in one call: the most common case, one shared frame, without a copy; of several chunks,
    /// copies that together fit into the loop's buffer.
    /// - Returns: the number of accepted bytes, perhaps 0, or libuv's code.
    func send(_ chain: Cork.Chain, on loop: Loop) -> Int {
        if chain.isSingle { return unsafe loop.turnEnd.cork.withFirstBytes(of: chain) { unsafe send($0, on: loop) } }
        let count = unsafe loop.turnEnd.cork.copy(chain, to: loop.gatherBuffer)
        return unsafe send(UnsafeRawBufferPointer(rebasing: loop.gatherBuffer[..<count]), on: loop)
    }

    /// Sends from a queue until it is empty or the kernel accepts no more, and removes the accepted bytes from it.
    /// - Returns: the number of accepted bytes, perhaps 0, or libuv's code.
    func send(from queue: inout ChunkQueue, on loop: Loop) -> Int {
        var sent = 0
        while !queue.isEmpty {
            let gathered = unsafe queue.gather(into: loop.gatherBuffer)
            let taken = send(gathered, on: loop)
            if taken < 0 { return taken }
            queue.consume(taken)
            sent += taken
            if taken < gathered.byteCount { break }
        }
        return sent
    }

    private func send(_ gathered: ChunkQueue.Gathered, on loop: Loop) -> Int {
        if gathered.copied == 0 {
            return unsafe gathered.lent.withUnsafeBytes {
                unsafe send(UnsafeRawBufferPointer(rebasing: $0[min(gathered.lentOffset, $0.count)...]), on: loop)
            }
        }
        loop.writeCalls += 1
        let result = unsafe gathered.tryWrite(to: asStream(handle), copies: loop.gatherBuffer)
        return result == UV_EAGAIN.rawValue ? 0 : Int(result)
    }
}

@available(*, unavailable)
extension TCPSocket: Sendable {}
