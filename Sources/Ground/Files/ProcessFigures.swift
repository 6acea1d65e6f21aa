import Glibc

/// The kernel's figures of this process (proc(5), getrusage(2)).
/// - Confinement: any
package enum ProcessFigures {
    /// Processor time of all threads.
    package static var cpuMicroseconds: Int {
        var usage = rusage()
        guard unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        return seconds * 1_000_000 + Int(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
    }

    /// Bytes of memory: all that it may address, and those that are in the machine's memory. Nil without `/proc`.
    package static var memory: (virtual: Int, resident: Int)? {
        guard let words = words(ofFile: "/proc/self/statm"), words.count > 1, let whole = Int(words[0]),
            let resident = Int(words[1])
        else { return nil }
        return (whole * pageBytes, resident * pageBytes)
    }

    /// How many descriptors are open; with 10,000 of them the kernel takes milliseconds to list them. Nil without `/proc`.
    package static func openDescriptors() -> Int? {
        guard let folder = unsafe opendir("/proc/self/fd") else { return nil }
        defer { unsafe _ = closedir(folder) }
        // Not `.` and `..`, and not the descriptor of the list itself.
        var count = -3
        while unsafe readdir(folder) != nil { count += 1 }
        return max(0, count)
    }

    /// How many may be open.
    package static var descriptorsMax: Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        return Int(clamping: limit.rlim_cur)
    }

    /// When it began, in seconds since 1970, by the present clock. Nil without `/proc`.
    package static var startSeconds: Int? {
        var (wall, boot) = (timespec(), timespec())
        // The command's name may hold blanks and brackets; the field after it is the third, and the 22nd counts ticks since the boot.
        guard let words = words(ofFile: "/proc/self/stat", after: ")"), words.count > 19, let ticks = Int(words[19]),
            unsafe clock_gettime(CLOCK_REALTIME, &wall) == 0, unsafe clock_gettime(CLOCK_BOOTTIME, &boot) == 0
        else { return nil }
        return wall.tv_sec - boot.tv_sec + ticks / max(1, sysconf(Int32(_SC_CLK_TCK)))
    }

    private static let pageBytes = max(1, sysconf(Int32(_SC_PAGESIZE)))

    /// The words of a file of `/proc`, which has no size: from the last place of a text on.
    private static func words(ofFile path: String, after mark: Character? = nil) -> [Substring]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 2048)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return nil }
        let text = String(decoding: bytes[..<count], as: UTF8.self)
        let start = mark.flatMap { text.lastIndex(of: $0) }.map { text.index(after: $0) } ?? text.startIndex
        return text[start...].split(whereSeparator: \.isWhitespace)
    }
}
