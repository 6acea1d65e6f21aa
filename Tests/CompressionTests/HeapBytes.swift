import Glibc

/// What the process has taken from the allocator.
enum HeapBytes {
    /// Small blocks and mapped ones.
    static var inUse: Int {
        let info = mallinfo2()
        return Int(info.uordblks + info.hblkhd)
    }
}
