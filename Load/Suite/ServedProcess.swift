import Client
import Foundation

/// A server that this program starts, ends and can start again on the same port.
///
/// - Confinement: one thread at a time
final class ServedProcess {
    /// How to start it on a port; with port 0 it chooses one and prints it.
    struct Plan {
        var program: String
        var arguments: (_ port: Int) -> [String]
        /// The file for its output.
        var log: String
        /// Whether it prints `listening on ADDRESS`; other servers are asked until they answer.
        var saysWhenReady = true
        /// A PEM file with the authority of its certificate; nil for a server without TLS.
        var authorities: String?
    }

    private let plan: Plan
    private var port: Int
    private var process: Process?

    /// - Parameter port: 0 lets the server choose at its first start.
    init(_ plan: Plan, port: Int = 0) {
        self.plan = plan
        self.port = port
    }

    /// The triggers that all scenarios are about.
    static let filmNetwork = ["--triggers", "film-network"]

    /// WatchWise on a folder.
    convenience init(binary: String, data: String, arguments: [String]) {
        self.init(
            Plan(
                program: binary,
                arguments: { ["serve", "--listen", "127.0.0.1:\($0)", "--data", data] + Self.filmNetwork + arguments },
                log: data + ".log"))
    }

    var pid: Int64 { Int64(process?.processIdentifier ?? 0) }

    /// - Throws: when it has ended by itself.
    func checkThatItRuns() throws(LoadFailure) {
        guard process?.isRunning == true else {
            throw LoadFailure("the server ended by itself: \(Self.lastWords(plan.log))")
        }
    }

    /// The log's last line; the log is deleted with its folder.
    private static func lastWords(_ log: String) -> String {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").last.map { String($0.prefix(300)) } ?? "it said nothing"
    }

    /// - Throws: when it does not print that it listens.
    func start() throws -> ServerAddress {
        let process = Process()
        process.executableURL = URL(filePath: plan.program)
        process.arguments = plan.arguments(port)
        let output = Pipe()
        if !FileManager.default.fileExists(atPath: plan.log) {
            _ = FileManager.default.createFile(atPath: plan.log, contents: nil)
        }
        if let log = FileHandle(forUpdatingAtPath: plan.log) {
            _ = try log.seekToEnd()
            process.standardError = log
            process.standardOutput = log
        }
        if plan.saysWhenReady { process.standardOutput = output }
        try Remains.own.start(process)
        self.process = process
        if plan.saysWhenReady { port = try Self.port(saidOn: output.fileHandleForReading, log: plan.log) }
        let address = try ServerAddress(
            "\(plan.authorities == nil ? "http" : "https")://127.0.0.1:\(port)", authorities: plan.authorities)
        if !plan.saysWhenReady { try awaitAnswer(of: address) }
        return address
    }

    private static func port(saidOn output: FileHandle, log: String) throws -> Int {
        var text = ""
        while !text.contains("\n") {
            guard let more = try output.read(upToCount: 1), !more.isEmpty else {
                throw LoadFailure("the server did not start: \(lastWords(log))")
            }
            text += String(decoding: more, as: UTF8.self)
        }
        let line = text.split(separator: "\n").first ?? ""
        guard let number = line.split(separator: ":").last.flatMap({ Int($0) }) else {
            throw LoadFailure("the server said '\(line)'")
        }
        return number
    }

    private func awaitAnswer(of address: ServerAddress) throws {
        let end = Date().addingTimeInterval(20)
        while true {
            guard process?.isRunning == true else { throw LoadFailure("it ended at once: \(Self.lastWords(plan.log))") }
            if case .success = Result(catching: { try AdminCalls.knock(at: address) }) { return }
            guard Date() < end else { throw LoadFailure("it did not listen in 20 s: \(Self.lastWords(plan.log))") }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    /// Sends a signal and waits until the process ends.
    ///
    /// - Returns: Its exit status, negative for a signal, and the time until it ended.
    func end(_ signal: Int32) -> (status: Int32, time: Duration) {
        guard let process else { return (0, .zero) }
        let begun = ContinuousClock.now
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        Remains.own.ended(process)
        self.process = nil
        let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        return (status, .now - begun)
    }
}
