import CUV
import Glibc

/// The memory of the process, as the kernel counts it.
///
/// - Confinement: any
package enum ProcessMemory {
    /// Bytes that are in the machine's memory; nil when the kernel does not say.
    package static var residentBytes: Int? {
        let file = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 128)
        let count = unsafe read(file, &text, text.count)
        let numbers = text.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
        guard numbers.count > 1, let pages = Int(String(decoding: numbers[1], as: UTF8.self)) else { return nil }
        return pages * Int(getpagesize())
    }

    /// Allocations of at least this size get pages of their own; deliveries and sessions use far smaller ones.
    private static let largeBytes: Int32 = 256 * 1024

    /// Makes large allocations go back to the kernel when they are freed. Otherwise glibc would raise its threshold up
    /// to 32 MiB after a large one was freed; later large allocations would be placed among small ones, which keep them
    /// in memory.
    ///
    /// Called before there are other threads.
    package static func keepLargeApart() { mallopt(M_MMAP_THRESHOLD, largeBytes) }

    /// Bytes that the program has taken of glibc's arenas and not freed. Blocks with pages of their own do not count.
    ///
    /// Goes through the free blocks of all arenas, each under its lock: not for a hot path.
    package static var arenaBytes: Int { Int(mallinfo2().uordblks) }

    /// Gives freed memory back to the kernel: glibc keeps it in each thread's arena until the end of the arena is free.
    ///
    /// Takes some milliseconds for each 100 MB; threads that share an arena may wait meanwhile.
    package static func giveBack() { malloc_trim(0) }
}
