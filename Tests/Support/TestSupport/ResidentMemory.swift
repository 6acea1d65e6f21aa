internal import Foundation

/// The memory of a process that is in the machine's memory (proc_pid_statm(5)).
///
/// - Confinement: any
package enum ResidentMemory {
    /// - Parameter process: its number; nil for this process.
    /// - Returns: bytes.
    /// - Throws: when there is no such process.
    package static func bytes(of process: Int32? = nil) throws -> Int {
        let file = "/proc/\(process.map { "\($0)" } ?? "self")/statm"
        let pages = try String(contentsOfFile: file, encoding: .utf8).split(separator: " ").dropFirst().first
        return (pages.flatMap { Int($0) } ?? 0) * 4096
    }
}
