import EventLoop
internal import Foundation
import Store
import ThreadMessages

/// Looks now and then whether the file of the program was exchanged, and asks a new one for its version.
///
/// A program that was installed is run once, as `--version`: that shows its tables, and that it starts on this machine.
///
/// - Confinement: any
package final class ProgramWatch: Sendable {
    private static let lookMilliseconds: Int64 = 1000

    private let thread: LoopThread

    private init(_ thread: LoopThread) { self.thread = thread }

    static func start(_ path: String, telling installed: InstalledProgram) throws -> ProgramWatch {
        ProgramWatch(
            try LoopThread.start(named: "installed") { loop in
                let look = ProgramLook(at: path, installed)
                let timer = LoopTimer(on: loop) { look.look() }
                timer.start(afterMilliseconds: 0, repeatingMilliseconds: lookMilliseconds)
                look.timer = timer
            })
    }

    func stop() {
        thread.stop()
        thread.join()
    }

    /// The line of `watchwise --version` with the number of the newest migration.
    package static var ownLine: String { "database schema \(ownSchema)" }

    /// The number of the newest migration.
    package static var ownSchema: Int { Founding.schema }

    /// Reads the output of `watchwise --version`.
    static func facts(_ output: String, of path: String) -> InstalledProgram.Facts {
        let lines = output.split(separator: "\n")
        let schema = lines.lazy.compactMap { $0.wholeMatch(of: /database schema ([0-9]+)/)?.1 }.first
        return InstalledProgram.Facts(
            program: lines.first.map(String.init) ?? "it prints no version", schema: schema.flatMap { Int($0) } ?? 0,
            path: path)
    }
}

/// The file of the program.
///
/// - Confinement: loop
private final class ProgramLook {
    private let path: String
    private let installed: InstalledProgram
    private var seen: [FileAttributeKey: String] = [:]
    /// Closed by the loop when it ends.
    var timer: LoopTimer?

    init(at path: String, _ installed: InstalledProgram) {
        self.path = path
        self.installed = installed
    }

    func look() {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else {
            seen = [:]
            return installed.set(.init(program: "there is no file", schema: 0, path: path))
        }
        let keys: [FileAttributeKey] = [.systemFileNumber, .modificationDate, .size]
        let found = keys.reduce(into: [:]) { $0[$1] = attributes[$1].map { "\($0)" } }
        guard found != seen else { return }
        seen = found
        installed.set(ask())
    }

    private func ask() -> InstalledProgram.Facts {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: path)
        process.arguments = ["--version"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
            let text = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return ProgramWatch.facts(String(decoding: text, as: UTF8.self), of: path)
        } catch {
            // A file that is still being written cannot be run yet.
            seen = [:]
            return .init(program: "it cannot be run: \(error.localizedDescription)", schema: 0, path: path)
        }
    }
}

@available(*, unavailable)
extension ProgramLook: Sendable {}
