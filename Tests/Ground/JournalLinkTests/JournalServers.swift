import Foundation
import Glibc
import JournalLink
import TestSupport

/// NATS servers of one test's own, on free ports: one alone, or three as a cluster.
/// - Confinement: the thread of the test
final class JournalServers {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let program = root.appending(path: ".build/trials/python/bin/nats-server").path

    /// Whether the server is there: `Tests/JournalTrials/fetch-nats` brings it.
    static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

    private struct Server {
        let name: String
        let port: UInt16
        let monitorPort: UInt16
        let configuration: String
        var process: Process?
    }

    private let folder = TemporaryFolder()
    private var servers: [Server] = []

    /// Starts servers.
    /// - Parameters:
    ///   - sync: The value of `sync_interval`.
    ///   - more: Lines for the configuration of each server.
    init(_ count: Int = 1, sync: String = "always", more: String = "") throws {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let ports = NATSServers.freePorts(count * 3)
        let routes = (0..<count).map { "nats://127.0.0.1:\(ports[$0 * 3 + 2])" }.joined(separator: ", ")
        for index in 0..<count {
            let name = "n\(index + 1)"
            let path = "\(folder.path)/\(name).conf"
            let cluster = "cluster { name: ww, listen: \"127.0.0.1:\(ports[index * 3 + 2])\", routes: [\(routes)] }"
            let text = """
                server_name: \(name)
                host: 127.0.0.1
                port: \(ports[index * 3])
                http: "127.0.0.1:\(ports[index * 3 + 1])"
                max_payload: 8MB
                jetstream { store_dir: "\(folder.path)/\(name)", sync_interval: \(sync), max_file_store: 1GB }
                \(count > 1 ? cluster : "")
                \(more)
                """
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            servers.append(
                Server(
                    name: name, port: ports[index * 3], monitorPort: ports[index * 3 + 1], configuration: path,
                    process: nil
                )
            )
        }
        for index in servers.indices { try start(index) }
    }

    deinit {
        for index in servers.indices { kill(index) }
    }

    /// Their addresses, those of stopped servers included.
    var addresses: [JournalAddress] {
        servers.compactMap { try? JournalAddress("nats://127.0.0.1:\($0.port)") }
    }

    /// The number of a server with a name.
    func index(of name: String) -> Int? { servers.firstIndex { $0.name == name } }

    func port(_ index: Int) -> UInt16 { servers[index].port }

    func monitorURL(_ index: Int) -> String { "http://127.0.0.1:\(servers[index].monitorPort)" }

    /// A file of `Tests/JournalTrials`.
    static func file(_ name: String) -> String { root.appending(path: "Tests/JournalTrials/\(name)").path }

    /// The options of a client of all of them.
    func options(_ application: String = "test", user: String = "") throws -> JournalOptions {
        let addresses = try servers.map { try JournalAddress("nats://\(user)127.0.0.1:\($0.port)") }
        return try JournalOptions(addresses: addresses, application: application, name: "journal tests")
    }

    func start(_ index: Int) throws {
        let process = Process()
        process.executableURL = URL(filePath: Self.program)
        process.arguments = [
            "--config", servers[index].configuration, "--log", "\(folder.path)/\(servers[index].name).log",
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.runStoppable()
        servers[index].process = process
    }

    /// Ends a server as `kill -9` does.
    func kill(_ index: Int) {
        guard let process = servers[index].process else { return }
        _ = Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        servers[index].process = nil
    }

    /// Stops or continues a server's process without its notice.
    ///
    /// One thread takes the signal and stops the others. On a busy machine that thread waits for a processor, and the others
    /// answer meanwhile: so this returns when all stand still.
    func freeze(_ index: Int, _ isFrozen: Bool) {
        guard let process = servers[index].process else { return }
        let identifier = process.processIdentifier
        _ = Glibc.kill(identifier, isFrozen ? SIGSTOP : SIGCONT)
        while isFrozen, process.isRunning, !Self.standsStill(identifier) { Thread.pause(milliseconds: 1) }
    }

    /// Whether the kernel has stopped each thread of a process.
    private static func standsStill(_ identifier: Int32) -> Bool {
        let tasks = "/proc/\(identifier)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return threads.allSatisfy { thread in
            // The state is the first word after the name, which stands in parentheses.
            let text = (try? String(contentsOfFile: "\(tasks)/\(thread)/stat", encoding: .utf8)) ?? ""
            return text.split(separator: ")").last?.dropFirst().first == "T"
        }
    }
}
