import Foundation

/// Reads the resources that a process has used, from `/proc/PID`.
struct ProcessMeter: Sendable {
    /// One reading of the process.
    struct Reading: Sendable {
        /// User and system time since its start.
        var cpuSeconds: Double
        var residentBytes: Int64
        /// Resident memory, with shared pages counted in parts; nil where the kernel does not report it.
        var proportionalBytes: Int64?
        var descriptors: Int
    }

    let pid: Int64

    /// This program.
    static var own: ProcessMeter { ProcessMeter(pid: Int64(ProcessInfo.processInfo.processIdentifier)) }

    /// Reads the process.
    ///
    /// - Parameter isThorough: Whether to add up the mapped pages, which takes milliseconds and stops the process.
    /// - Throws: when this machine has no such process.
    func read(isThorough: Bool = false) throws(LoadFailure) -> Reading {
        // The command's name is in parentheses and may contain blanks; the numbers follow it.
        guard let stat = Self.text("/proc/\(pid)/stat"), let close = stat.lastIndex(of: ")") else {
            throw LoadFailure("there is no process \(pid) here; is the server on this machine?")
        }
        let fields = stat[close...].dropFirst(2).split(separator: " ")
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
            throw LoadFailure("/proc/\(pid)/stat is not as expected")
        }
        let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")
        return Reading(
            cpuSeconds: (user + system) / Double(sysconf(Int32(_SC_CLK_TCK))),
            residentBytes: Self.bytes("VmRSS:", in: "/proc/\(pid)/status") ?? 0,
            proportionalBytes: isThorough ? Self.bytes("Pss:", in: "/proc/\(pid)/smaps_rollup") : nil,
            descriptors: files?.count ?? 0
        )
    }

    /// The bytes that it has handed to the kernel for files and sockets since its start; nil where the kernel does not
    /// report them.
    var writtenBytes: Int64? {
        Self.text("/proc/\(pid)/io")?.split(separator: "\n").first { $0.hasPrefix("wchar:") }?
            .split(separator: " ").last.flatMap { Int64($0) }
    }

    /// The largest resident memory since its start; nil where the kernel does not report it.
    var peakBytes: Int64? { Self.bytes("VmHWM:", in: "/proc/\(pid)/status") }

    private static func bytes(_ name: String, in path: String) -> Int64? {
        let line = text(path)?.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(separator: " ").compactMap { Int64($0) }.first.map { $0 * 1024 }
    }

    /// A file of `/proc`, whose size is not known before reading.
    static func text(_ path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.readToEnd() else { return nil }
        return String(decoding: data, as: UTF8.self)
    }
}
