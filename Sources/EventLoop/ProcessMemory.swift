import CUV
import Glibc

/// The memory of the process, as the kernel sees it.
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

    /// Bytes from which on an allocation has pages of its own: far more than what is delivered or kept for a session.
    private static let largeBytes: Int32 = 256 * 1024

    /// Has what is large go back to the kernel when it is freed. glibc would raise the bound to the largest that was ever
    /// freed, up to 32 MiB, and what is large would lie among what is small from then on, which keeps it.
    ///
    /// Called before there are other threads.
    package static func keepLargeApart() { mallopt(M_MMAP_THRESHOLD, largeBytes) }

    /// Gives the kernel back what was freed: glibc keeps it, in each thread's arena, until the end of the arena is free.
    ///
    /// Takes some milliseconds for each 100 MB, during which threads that share an arena may wait for it.
    package static func giveBack() { malloc_trim(0) }
}
