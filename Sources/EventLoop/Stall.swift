import CUV

/// What a connection needs only while the kernel takes no more: the bytes that wait, and one small write request.
///
/// The request carries a copy of the first bytes. Its completion says that the socket has room; the rest is then
/// written from the shared arrays again, inside the scope in which Swift lends their memory.
/// - Confinement: loop
@safe
final class Stall {
    /// Bytes the request copies.
    private static let probeBytesMax = 4096
    /// Bytes that a connection with one takes more than another, besides those that wait.
    private(set) var cost = probeBytesMax + 512

    var queue: ChunkQueue
    /// Bytes in the request, whether or not the kernel has taken some of them yet.
    private(set) var probeBytes = 0
    /// libuv's count of unsent bytes when progress was last looked for.
    var unsentSeen = 0
    /// The loop's time when the kernel last took bytes.
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

    /// Hands the first bytes of the queue to libuv, which calls the connection's `probeWritten` when they left.
    /// - Returns: libuv's code.
    func wait(on handle: UnsafeMutablePointer<uv_tcp_t>) -> Int32 {
        let count = unsafe queue.copyFront(to: probe)
        var buffer = unsafe uv_buf_init(probe.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(count))
        let result = unsafe uv_write(request, asStream(handle), &buffer, 1) { request, status in
            unsafe owner(of: request?.pointee.handle.pointee.data, as: TCPConnection.self)?.probeWritten(status)
        }
        if result == 0 {
            queue.consume(count)
            probeBytes = count
            queue.trim()
            cost = Stall.probeBytesMax + 512 + queue.offset
        }
        return result
    }

    /// For how long the kernel has taken nothing.
    /// - Parameter unsentBytes: libuv's count, which falls when the kernel takes a part of the request.
    func milliseconds(unsentBytes: Int, at now: Int64) -> Int64 {
        if unsentBytes < unsentSeen { progressAt = now }
        unsentSeen = unsentBytes
        return now - progressAt
    }

    /// Notes that libuv has let go of the request.
    func probeEnded() {
        probeBytes = 0
    }
}

@available(*, unavailable)
extension Stall: Sendable {}
