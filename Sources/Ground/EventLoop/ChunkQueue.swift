import CUV
import DequeModule

/// Shared byte arrays that wait for one socket, in order; the first may be partly sent.
/// - Confinement: loop
@safe
struct ChunkQueue {
    /// Chunks of at least this size are not copied.
    static let largeBytesMin = 16 << 10

    private var chunks: Deque<[UInt8]> = []
    /// Bytes of the first chunk that are sent; they stay in memory as long as its rest.
    private(set) var offset = 0
    /// Bytes that still wait.
    private(set) var byteCount = 0

    init() {}

    /// The rest of a chunk.
    /// - Parameter sent: its first bytes, which the kernel has accepted.
    init(_ chunk: [UInt8], without sent: Int) {
        append(chunk)
        consume(sent)
    }

    /// Whether nothing waits.
    var isEmpty: Bool { byteCount == 0 }

    /// Appends a chunk, by reference.
    mutating func append(_ chunk: [UInt8]) {
        byteCount += chunk.count
        chunks.append(chunk)
    }

    /// Removes bytes from the front, when the kernel has accepted them or they were copied.
    /// - Parameter count: at most `byteCount`.
    mutating func consume(_ count: Int) {
        precondition(count <= byteCount)
        byteCount -= count
        offset += count
        while !chunks.isEmpty, offset >= chunks[0].count { offset -= chunks.removeFirst().count }
    }

    /// Copies the rest of the first chunk when the larger part of a large one is sent. So a connection holds less than
    /// twice the waiting bytes, and each byte is copied at most once.
    mutating func trim() {
        guard offset >= ChunkQueue.largeBytesMin, !chunks.isEmpty, offset * 2 >= chunks[0].count else { return }
        chunks[0] = Array(chunks[0][offset...])
        offset = 0
    }

    /// The content of one write: copied small chunks, then at most one chunk that is lent instead of copied.
    struct Gathered {
        /// Bytes at the start of the gather buffer.
        var copied = 0
        /// A large chunk, or the only one.
        var lent: [UInt8] = []
        /// Bytes of `lent` that are skipped.
        var lentOffset = 0
        /// All the bytes of this write.
        var byteCount: Int { copied + lent.count - lentOffset }
    }

    /// Gathers the front of the queue without removing it.
    func gather(into buffer: UnsafeMutableRawBufferPointer) -> Gathered {
        var result = Gathered()
        for index in chunks.indices {
            let skipped = index == 0 ? offset : 0
            let size = chunks[index].count - skipped
            if size >= ChunkQueue.largeBytesMin || chunks.count == 1 {
                result.lent = chunks[index]
                result.lentOffset = skipped
                break
            }
            guard result.copied + size <= buffer.count else { break }
            unsafe copy(index, from: skipped, to: UnsafeMutableRawBufferPointer(rebasing: buffer[result.copied...]))
            result.copied += size
        }
        return result
    }

    /// Copies as much as fits into the buffer from the front, from any number of chunks.
    /// - Returns: bytes copied.
    func copyFront(to buffer: UnsafeMutableRawBufferPointer) -> Int {
        var copied = 0
        for index in chunks.indices {
            guard copied < buffer.count else { break }
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[copied...])
            copied += unsafe copy(index, from: index == 0 ? offset : 0, to: rest)
        }
        return copied
    }

    @discardableResult
    private func copy(_ index: Int, from skipped: Int, to buffer: UnsafeMutableRawBufferPointer) -> Int {
        unsafe chunks[index].withUnsafeBytes { bytes in
            let count = min(bytes.count - skipped, buffer.count)
            unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[skipped..<skipped + count]))
            return count
        }
    }
}

extension ChunkQueue.Gathered {
    /// Offers the bytes to the kernel.
    /// - Parameter copies: the buffer with the copied bytes.
    /// - Returns: the bytes taken, or libuv's code.
    func tryWrite(to stream: UnsafeMutablePointer<uv_stream_t>, copies: UnsafeMutableRawBufferPointer) -> Int32 {
        unsafe lent.withUnsafeBytes { lent in
            let rest = unsafe UnsafeRawBufferPointer(rebasing: lent[min(lentOffset, lent.count)...])
            let lentBuffer = unsafe uv_buf_init(
                UnsafeMutableRawPointer(mutating: rest.baseAddress)?.assumingMemoryBound(to: CChar.self),
                UInt32(min(rest.count, Int(Int32.max) >> 1))
            )
            let copiedBuffer = unsafe uv_buf_init(
                copies.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(copied))
            var buffers = unsafe (copiedBuffer, lentBuffer)
            return unsafe withUnsafePointer(to: &buffers) { pair in
                unsafe pair.withMemoryRebound(to: uv_buf_t.self, capacity: 2) {
                    unsafe uv_try_write(stream, $0, rest.isEmpty ? 1 : 2)
                }
            }
        }
    }
}
