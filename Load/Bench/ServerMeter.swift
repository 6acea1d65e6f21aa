import Foundation

/// What the server's process has used, from `/proc/PID`.
struct ServerMeter: Sendable {
    /// A look at the process.
    struct Reading: Sendable {
        /// User and system time since its start.
        let cpuSeconds: Double
        let residentBytes: Int64
    }

    let pid: Int64

    /// - Throws: when there is no such process on this machine.
    func read() throws(LoadFailure) -> Reading {
        // The command's name stands in parentheses and may hold blanks: what matters comes behind it.
        guard let stat = Self.text("/proc/\(pid)/stat"), let close = stat.lastIndex(of: ")") else {
            throw LoadFailure("there is no process \(pid) here; is the server on this machine?")
        }
        let fields = stat[close...].dropFirst(2).split(separator: " ")
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]),
            let status = Self.text("/proc/\(pid)/status")
        else { throw LoadFailure("/proc/\(pid) is not as expected") }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        let kibibytes = line.split(separator: " ").compactMap { Int64($0) }.first ?? 0
        return Reading(
            cpuSeconds: (user + system) / Double(sysconf(Int32(_SC_CLK_TCK))),
            residentBytes: kibibytes * 1024
        )
    }

    /// A file of `/proc`, whose size is not known before it is read.
    static func text(_ path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.readToEnd() else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    /// What this machine is, in one line.
    static var machine: String {
        let model =
            text("/proc/cpuinfo")?.split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown processor"
        let kernel = text("/proc/sys/kernel/osrelease")?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        let memory = text("/proc/meminfo")?.split(separator: " ").compactMap { Int64($0) }.first ?? 0
        let cores = ProcessInfo.processInfo.activeProcessorCount
        return "\(cores) × \(model), \(memory / 1_048_576) GiB, Linux \(kernel)"
    }

    /// Files and sockets this process may have open.
    static var descriptorsMax: Int {
        let line = text("/proc/self/limits")?.split(separator: "\n").first { $0.hasPrefix("Max open files") } ?? ""
        return line.split(separator: " ").compactMap { Int($0) }.first ?? .max
    }
}
