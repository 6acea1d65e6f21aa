import Foundation
import TestSupport
import Testing

@testable import WatchWise

/// A real server for the tests of the library, and people who have tokens.
final class LiveServer {
    let folder = TemporaryFolder()
    let address: String
    let port: UInt16
    private var process: ServerProcess

    /// Starts a server on which everybody owns the tasks below their name, or that of an application.
    init(configuration: String? = nil) throws {
        let file = configuration ?? folder.path + ".json"
        if configuration == nil {
            try Data(#"{"rules": {"users/{user}/tasks/{task}": "owner"}}"#.utf8).write(to: URL(filePath: file))
        }
        arguments = ["--config", file]
        process = try ServerProcess(data: folder.path, arguments: ["--listen", "127.0.0.1:0"] + arguments)
        port = process.port
        address = "http://127.0.0.1:\(port)"
    }

    /// Writes a document as the operator.
    func put(_ path: String, _ json: String) throws {
        let ended = try ServerProcess.run(["put", path, json, "--server", address, "--data", folder.path])
        try #require(ended.status == 0, "\(ended.errors)")
    }

    private let arguments: [String]

    /// Kills it, and starts it once more at the same port.
    func restart() throws {
        process.signal(SIGKILL)
        _ = process.wait()
        process = try ServerProcess(data: folder.path, arguments: ["--listen", "127.0.0.1:\(port)"] + arguments)
    }

    /// Kills it.
    func kill() {
        process.signal(SIGKILL)
        _ = process.wait()
    }

    /// Lets a person write to another one, whom they follow from now on.
    func befriend(_ user: String, _ other: String) async throws {
        let ww = try await open(user)
        try await ww.topics.follow("user:\(other)").done()
        await ww.close()
    }

    /// A device of a person.
    func open(
        _ user: String, store: StoreLocation = .memory, through port: UInt16? = nil, connects: Bool = true,
        conflicts: ConflictHandler? = nil
    ) async throws -> WatchWise {
        let token = try ServerProcess.token(user, data: folder.path)
        let server = port.map { "http://127.0.0.1:\($0)" } ?? address
        return try await WatchWise(
            server: server, user: user, store: store, connects: connects, conflicts: conflicts
        ) { _ in token }
    }
}

extension AsyncSequence where Element: Sendable {
    /// The first element that fits; fails after a minute: beside all other tests the machine is slow.
    func first(within limit: Duration = .seconds(60), _ fits: @escaping @Sendable (Element) -> Bool) async throws
        -> Element where Self: Sendable
    {
        try await withThrowingTaskGroup(of: Element?.self) { group in
            group.addTask {
                for try await element in self where fits(element) { return element }
                return nil
            }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return try #require(try await group.next() ?? nil, "nothing came within \(limit)")
        }
    }
}
