import Client
import EventLoop
import Foundation

/// A server that a scenario starts, ends and starts again, always on the same port and folder.
///
/// - Confinement: one thread at a time
final class ServedProcess {
    private let binary: String
    private let data: String
    private let arguments: [String]
    private var port = 0
    private var process: Process?

    init(binary: String, data: String, arguments: [String]) {
        self.binary = binary
        self.data = data
        self.arguments = arguments
    }

    var pid: Int64 { Int64(process?.processIdentifier ?? 0) }

    /// - Throws: when it does not say that it listens.
    func start() throws -> ServerAddress {
        let process = Process()
        process.executableURL = URL(filePath: binary)
        process.arguments = ["serve", "--listen", "127.0.0.1:\(port)", "--data", data] + arguments
        let output = Pipe()
        process.standardOutput = output
        if !FileManager.default.fileExists(atPath: data + ".log") {
            _ = FileManager.default.createFile(atPath: data + ".log", contents: nil)
        }
        if let log = FileHandle(forUpdatingAtPath: data + ".log") {
            _ = try log.seekToEnd()
            process.standardError = log
        }
        try process.run()
        self.process = process
        var text = ""
        while !text.contains("\n") {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw LoadFailure("the server did not start, see \(data).log") }
            text += String(decoding: more, as: UTF8.self)
        }
        let line = text.split(separator: "\n").first ?? ""
        guard let number = line.split(separator: ":").last.flatMap({ Int($0) }) else {
            throw LoadFailure("the server said '\(line)'")
        }
        port = number
        return try ServerAddress("http://127.0.0.1:\(port)")
    }

    /// Sends a signal and waits for the end.
    ///
    /// - Returns: how it ended, negative for a signal; and after how long.
    func end(_ signal: Int32) -> (status: Int32, time: Duration) {
        guard let process else { return (0, .zero) }
        let begun = ContinuousClock.now
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        self.process = nil
        let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        return (status, .now - begun)
    }
}
