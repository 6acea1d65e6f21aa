/// The chunks written in this turn, on all connections of a loop: one array, in which the chunks of a connection form a
/// chain.
///
/// A connection holds two indices into it and no memory of its own; a written chunk costs one reference and no
/// allocation. At the end of the turn everything is sent and the array is empty again.
/// - Confinement: loop
@safe
struct Cork {
    /// "No entry".
    static let none = UInt32.max
    /// An array that a burst has made larger than this is released.
    private static let entriesKeptMax = 1 << 18

    private struct Entry {
        var chunk: [UInt8]
        var next: UInt32
    }

    private var entries: [Entry] = []

    /// Appends a chunk to a chain.
    /// - Parameter tail: the chain's last entry, or `none` for a new chain.
    /// - Returns: the new entry's index.
    mutating func append(_ chunk: [UInt8], after tail: UInt32) -> UInt32 {
        let index = UInt32(entries.count)
        entries.append(Entry(chunk: chunk, next: Cork.none))
        if tail != Cork.none { entries[Int(tail)].next = index }
        return index
    }

    /// Lends the bytes of one chunk.
    func withBytes<Result>(of index: UInt32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe entries[Int(index)].chunk.withUnsafeBytes(body)
    }

    /// Copies a chain without removing it.
    /// - Parameter buffer: Must have room for the whole chain.
    /// - Returns: bytes copied.
    func copy(chain head: UInt32, to buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        var index = head
        while index != Cork.none {
            unsafe withBytes(of: index) { bytes in
                unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
                count += bytes.count
            }
            index = entries[Int(index)].next
        }
        return count
    }

    /// Removes and returns one chunk.
    mutating func take(_ index: UInt32) -> [UInt8] {
        var chunk: [UInt8] = []
        swap(&chunk, &entries[Int(index)].chunk)
        return chunk
    }

    /// Moves a chain to a queue, in the order of writing.
    mutating func take(chain head: UInt32, into queue: inout ChunkQueue) {
        var index = head
        while index != Cork.none {
            queue.append(take(index))
            index = entries[Int(index)].next
        }
    }

    /// Removes a chain and returns it as one array.
    mutating func join(chain head: UInt32) -> [UInt8] {
        guard head != Cork.none else { return [] }
        var joined = take(head)
        var index = entries[Int(head)].next
        while index != Cork.none {
            joined += take(index)
            index = entries[Int(index)].next
        }
        return joined
    }

    /// Forgets all chunks: every chain has been sent or taken.
    mutating func clear() {
        entries.removeAll(keepingCapacity: entries.capacity <= Cork.entriesKeptMax)
    }
}
