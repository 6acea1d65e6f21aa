/// The chunks written in this turn, on all connections of a loop: one array, in which the chunks of a connection form a
/// chain.
///
/// A connection holds the ends of its chain and no memory of its own; a written chunk costs one reference and no
/// allocation. At the end of the turn everything is sent and the array is empty again.
/// - Confinement: loop
@safe
struct Cork {
    /// "No entry".
    private static let none = UInt32.max
    /// An array that a burst has made larger than this is released.
    private static let entriesKeptMax = 1 << 18

    /// The chunks of one connection, by the first and the last entry.
    struct Chain {
        fileprivate var head = Cork.none
        fileprivate var tail = Cork.none

        var isEmpty: Bool { head == Cork.none }
        /// Whether it is one chunk, or none.
        var isSingle: Bool { head == tail }
    }

    private struct Entry {
        var chunk: [UInt8]
        var next: UInt32
    }

    private var entries: [Entry] = []

    /// Appends a chunk to a chain.
    mutating func append(_ chunk: [UInt8], to chain: inout Chain) {
        let index = UInt32(entries.count)
        entries.append(Entry(chunk: chunk, next: Cork.none))
        if chain.isEmpty { chain.head = index } else { entries[Int(chain.tail)].next = index }
        chain.tail = index
    }

    /// Lends the bytes of the first chunk.
    func withFirstBytes<Result>(of chain: Chain, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe entries[Int(chain.head)].chunk.withUnsafeBytes(body)
    }

    /// Copies a chain without removing it.
    /// - Parameter buffer: Must have room for the whole chain.
    /// - Returns: bytes copied.
    func copy(_ chain: Chain, to buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        var index = chain.head
        while index != Cork.none {
            unsafe entries[Int(index)].chunk.withUnsafeBytes { bytes in
                unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
                count += bytes.count
            }
            index = entries[Int(index)].next
        }
        return count
    }

    /// Removes a chain and returns it as a queue, in the order of writing.
    mutating func takeQueue(_ chain: Chain) -> ChunkQueue {
        var queue = ChunkQueue()
        var index = chain.head
        while index != Cork.none {
            queue.append(take(index))
            index = entries[Int(index)].next
        }
        return queue
    }

    /// Removes a chain and returns it as one array.
    mutating func join(_ chain: Chain) -> [UInt8] {
        guard !chain.isEmpty else { return [] }
        var joined = take(chain.head)
        var index = entries[Int(chain.head)].next
        while index != Cork.none {
            joined += take(index)
            index = entries[Int(index)].next
        }
        return joined
    }

    private mutating func take(_ index: UInt32) -> [UInt8] {
        var chunk: [UInt8] = []
        swap(&chunk, &entries[Int(index)].chunk)
        return chunk
    }

    /// Forgets all chunks: every chain has been sent or taken.
    mutating func clear() {
        entries.removeAll(keepingCapacity: entries.capacity <= Cork.entriesKeptMax)
    }
}
