/// Shared byte arrays waiting for one socket, in order, the first perhaps partly taken.
/// - Confinement: loop
@safe
struct ChunkQueue {
    /// Chunks from this size on are not copied together.
    static let largeBytesMin = 16 << 10

    private var chunks: [[UInt8]] = []
    private var head = 0
    /// Bytes of the first chunk that are gone already, and are kept as long as the rest of it is.
    private(set) var offset = 0
    /// Bytes still waiting.
    private(set) var byteCount = 0

    /// Whether nothing waits.
    var isEmpty: Bool { byteCount == 0 }

    /// Appends a chunk, by reference.
    mutating func append(_ chunk: [UInt8]) {
        byteCount += chunk.count
        chunks.append(chunk)
    }

    /// Drops bytes from the front: the kernel has them, or they were copied.
    /// - Parameter count: at most `byteCount`.
    mutating func consume(_ count: Int) {
        precondition(count <= byteCount)
        byteCount -= count
        offset += count
        while head < chunks.count, offset >= chunks[head].count {
            offset -= chunks[head].count
            chunks[head] = []
            head += 1
        }
        if head == chunks.count {
            chunks.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 64, head * 2 >= chunks.count {
            chunks.removeFirst(head)
            head = 0
        }
    }

    /// Keeps no more than the rest of the first chunk, where the larger part of a large one is gone. So what a connection
    /// keeps is less than twice of what waits, and each byte is copied at most once.
    mutating func trim() {
        guard offset >= ChunkQueue.largeBytesMin, head < chunks.count, offset * 2 >= chunks[head].count else { return }
        chunks[head] = Array(chunks[head][offset...])
        offset = 0
    }

    /// What one write can take: copied small chunks, then at most one chunk that is lent instead of copied.
    struct Gathered {
        /// Bytes at the start of the gather buffer.
        var copied = 0
        /// A large chunk, or the only one.
        var lent: [UInt8] = []
        /// Bytes of `lent` to leave out.
        var lentOffset = 0
        /// All the bytes of this write.
        var byteCount: Int { copied + lent.count - lentOffset }
    }

    /// Gathers the front of the queue without consuming it.
    func gather(into buffer: UnsafeMutableRawBufferPointer) -> Gathered {
        var result = Gathered()
        for index in head..<chunks.count {
            let skipped = index == head ? offset : 0
            let size = chunks[index].count - skipped
            if size >= ChunkQueue.largeBytesMin || chunks.count - head == 1 {
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

    /// Copies as much as fits from the front, over any number of chunks.
    /// - Returns: bytes copied.
    func copyFront(to buffer: UnsafeMutableRawBufferPointer) -> Int {
        var copied = 0
        for index in head..<chunks.count {
            guard copied < buffer.count else { break }
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[copied...])
            copied += unsafe copy(index, from: index == head ? offset : 0, to: rest)
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
