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

    /// Gives the kernel back what was freed: glibc keeps it, in each thread's arena, until the end of the arena is free.
    ///
    /// Takes some milliseconds for each 100 MB, during which threads that share an arena may wait for it.
    package static func giveBack() { malloc_trim(0) }
}
