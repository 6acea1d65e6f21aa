internal import Foundation
import Glibc
package import JSON

/// NATS servers of one test's own, on free ports: one alone, or several as a cluster.
///
/// - Confinement: the thread of the test
package final class NATSServers {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let program = root.appending(path: ".build/trials/python/bin/nats-server").path

    /// Whether the server is there: `Tests/JournalTrials/fetch-nats` brings it.
    package static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

    private let folder = TemporaryFolder()
    private var processes: [Process] = []
    /// `nats://127.0.0.1:PORT` of each.
    package let addresses: [String]
    /// `http://127.0.0.1:PORT` of the monitoring port of each.
    package let monitors: [String]

    /// Starts servers.
    ///
    /// - Parameters:
    ///   - sync: The value of `sync_interval`.
    ///   - more: Lines for the configuration of each server.
    package init(_ count: Int = 1, sync: String = "always", more: String = "") throws {
        let ports = Self.freePorts(count * 3)
        addresses = (0..<count).map { "nats://127.0.0.1:\(ports[$0 * 3])" }
        monitors = (0..<count).map { "http://127.0.0.1:\(ports[$0 * 3 + 1])" }
        let routes = (0..<count).map { "nats://127.0.0.1:\(ports[$0 * 3 + 2])" }.joined(separator: ", ")
        let folder = folder.path
        let texts = (0..<count).map { index in
            let name = "n\(index + 1)"
            let cluster = "cluster { name: ww, listen: \"127.0.0.1:\(ports[index * 3 + 2])\", routes: [\(routes)] }"
            return """
                server_name: \(name)
                host: 127.0.0.1
                port: \(ports[index * 3])
                http: "127.0.0.1:\(ports[index * 3 + 1])"
                max_payload: 8MB
                jetstream { store_dir: "\(folder)/\(name)", sync_interval: \(sync), max_file_store: 1GB }
                \(count > 1 ? cluster : "")
                \(more)
                """
        }
        try start(texts, (0..<count).map { ports[$0 * 3] })
    }

    /// Starts servers with these configurations.
    ///
    /// - Parameter clientPorts: the port for clients of each.
    package init(_ configurations: [String], clientPorts: [UInt16]) throws {
        addresses = clientPorts.map { "nats://127.0.0.1:\($0)" }
        monitors = []
        try start(configurations, clientPorts)
    }

    private func start(_ configurations: [String], _ ports: [UInt16]) throws {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        for (index, text) in configurations.enumerated() {
            let name = "n\(index + 1)"
            let path = "\(folder.path)/\(name).conf"
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            let process = Process()
            process.executableURL = URL(filePath: Self.program)
            process.arguments = ["--config", path, "--log", "\(folder.path)/\(name).log"]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.runStoppable()
            processes.append(process)
        }
        for port in ports { try waitForConnection(to: port) }
    }

    /// The answer of a server at a path of its port for figures.
    package static func figures(_ path: String, port: UInt16) throws -> JSONValue {
        let url = try URL(string: "http://127.0.0.1:\(port)/\(path)").map { try Data(contentsOf: $0) } ?? Data()
        return try JSONValue(parsing: Array(url))
    }

    /// Ports that nobody listens on now. They are below those that the system gives away (32768 on), so no other test gets
    /// one of them before the server has it.
    package static func freePorts(_ count: Int) -> [UInt16] {
        var ports: Set<UInt16> = []
        while ports.count < count {
            let port = UInt16.random(in: 12_000..<32_000)
            if (try? TCPSocket(port: port)) == nil { ports.insert(port) }
        }
        return Array(ports)
    }

    private func waitForConnection(to port: UInt16) throws {
        for _ in 0..<300 {
            if (try? TCPSocket(port: port)) != nil { return }
            Thread.sleep(forTimeInterval: 0.1)
        }
        throw TCPSocket.Failure(description: "a NATS server does not take connections on port \(port)")
    }

    deinit { stop() }

    /// Ends all servers as `kill -9` does.
    package func stop() {
        for process in processes {
            _ = kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        processes = []
    }
}

@available(*, unavailable)
extension NATSServers: Sendable {}
