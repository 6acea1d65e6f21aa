import CUV

/// The state of a connection whose socket is full: the waiting bytes, and one small write request.
///
/// The request carries a copy of the first bytes. When it completes, the socket has room again; the rest is then
/// written from the shared arrays, inside of the scope in which Swift lends their memory.
/// - Confinement: loop
@safe
final class Stall {
    /// The bytes that the request copies.
    private static let probeBytesMax = 4096
    /// The additional memory of a connection with a full socket, besides the waiting bytes.
    private(set) var cost = probeBytesMax + 512

    var queue: ChunkQueue
    /// Bytes in the request, even if the kernel has already accepted some of them.
    private(set) var probeBytes = 0
    /// libuv's count of unsent bytes at the last check for progress.
    private var unsentSeen = 0
    /// The loop's time when the kernel last accepted bytes.
    var progressAt: Int64
    private let request: UnsafeMutablePointer<uv_write_t>
    private let probe: UnsafeMutableRawBufferPointer

    init(queue: consuming ChunkQueue, at now: Int64) {
        self.queue = queue
        progressAt = now
        unsafe request = .allocate(capacity: 1)
        unsafe probe = .allocate(byteCount: Stall.probeBytesMax, alignment: 16)
    }

    deinit {
        precondition(probeBytes == 0, "libuv still holds the write request")
        unsafe request.deallocate()
        unsafe probe.deallocate()
    }

    /// Hands the first bytes of the queue to libuv, which calls `TCPSender.probeWritten` when they are sent.
    /// - Returns: libuv's code.
    func wait(on socket: TCPSocket, of loop: Loop) -> Int32 {
        loop.writeCalls += 1
        let count = unsafe queue.copyFront(to: probe)
        var buffer = unsafe uv_buf_init(probe.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(count))
        let result = unsafe uv_write(request, asStream(socket.handle), &buffer, 1) { request, status in
            guard let connection = unsafe owner(of: request?.pointee.handle.pointee.data, as: TCPConnection.self) else {
                return
            }
            TCPSender(connection).probeWritten(status)
        }
        guard result == 0 else { return result }
        queue.consume(count)
        probeBytes = count
        queue.trim()
        loop.queuedBytes -= cost
        cost = Stall.probeBytesMax + 512 + queue.offset
        loop.queuedBytes += cost
        unsentSeen = socket.unsentBytes
        return result
    }

    /// For how long the kernel has accepted nothing.
    /// - Parameter unsentBytes: libuv's count, which falls when the kernel accepts a part of the request.
    func milliseconds(unsentBytes: Int, at now: Int64) -> Int64 {
        if unsentBytes < unsentSeen { progressAt = now }
        unsentSeen = unsentBytes
        return now - progressAt
    }

    /// Notes that libuv has released the request.
    func probeEnded() {
        probeBytes = 0
    }
}

@available(*, unavailable)
extension Stall: Sendable {}
