import Foundation

/// What a process has used, from `/proc/PID`.
struct ProcessMeter: Sendable {
    /// A look at the process.
    struct Reading: Sendable {
        /// User and system time since its start.
        var cpuSeconds: Double
        var residentBytes: Int64
        /// Resident, shared pages counted in parts; nil where the kernel does not tell.
        var proportionalBytes: Int64?
        var descriptors: Int
    }

    let pid: Int64

    /// This program.
    static var own: ProcessMeter { ProcessMeter(pid: Int64(ProcessInfo.processInfo.processIdentifier)) }

    /// Looks at the process.
    ///
    /// - Parameter isThorough: whether to add up the mapped pages, which takes milliseconds and stops the process.
    /// - Throws: when there is no such process on this machine.
    func read(isThorough: Bool = false) throws(LoadFailure) -> Reading {
        // The command's name stands in parentheses and may hold blanks: what matters comes behind it.
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

    /// What it has handed to the kernel, files and sockets, since its start; nil where the kernel does not tell.
    var writtenBytes: Int64? {
        Self.text("/proc/\(pid)/io")?.split(separator: "\n").first { $0.hasPrefix("wchar:") }?
            .split(separator: " ").last.flatMap { Int64($0) }
    }

    /// The most memory that it has had resident since its start; nil where the kernel does not tell.
    var peakBytes: Int64? { Self.bytes("VmHWM:", in: "/proc/\(pid)/status") }

    private static func bytes(_ name: String, in path: String) -> Int64? {
        let line = text(path)?.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(separator: " ").compactMap { Int64($0) }.first.map { $0 * 1024 }
    }

    /// A file of `/proc`, whose size is not known before it is read.
    static func text(_ path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.readToEnd() else { return nil }
        return String(decoding: data, as: UTF8.self)
    }
}
