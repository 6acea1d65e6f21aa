internal import Foundation
package import JSON

/// A running fake of `Tests/PushProviders`, with the certificate of the ``TestAuthority``.
///
/// - Confinement: any
package final class ProviderFake: Sendable {
    /// A line of a fake's log: a request, a connection, a GOAWAY.
    package struct Event: Decodable, Sendable {
        /// `connection`, `request`, `refused`, `goaway`, `closed`.
        package let event: String
        /// The number of the connection, from 1.
        package let connection: Int?
        /// The path of a request.
        package let path: String?
        /// The status of the answer to a request.
        package let status: Int?
        /// The streams that were open on the connection when a request was complete, with its own.
        package let open: Int?
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let python = root.deletingLastPathComponent().appending(path: ".build/trials/python/bin/python").path

    /// Whether the fakes can run here: `Tests/PushProviders/run --install` makes them able to.
    package static let isInstalled = FileManager.default.isExecutableFile(atPath: python)

    /// `https://localhost:PORT`
    package let url: String
    private let process: Process
    private let folder = TemporaryFolder()

    /// Starts `NAME.py` and waits for its port.
    /// - Parameter options: More than those that all fakes have.
    package init(_ name: String, _ options: [String] = [], authority: TestAuthority) throws {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        process = Process()
        process.executableURL = URL(filePath: Self.python)
        process.arguments =
            [
                "-B", Self.root.appending(path: "PushProviders/\(name).py").path, "--log", folder.path + "/log",
                "--certificate", authority.serverCertificate, "--key", authority.serverKey,
            ] + options
        let output = Pipe()
        process.standardOutput = output
        try process.runStoppable()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = UInt16(line.trimmingCharacters(in: .newlines)) else {
            process.terminate()
            throw TCPSocket.Failure(description: "\(name).py did not start")
        }
        url = "https://localhost:\(port)"
    }

    deinit { stop() }

    /// Ends it and waits for its end.
    package func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    /// The whole lines of one kind, from the first on.
    package func lines(_ kind: String) throws -> [JSONValue] {
        let log = try String(contentsOfFile: folder.path + "/log", encoding: .utf8)
        // The last line may still be on its way.
        let whole = log.split(separator: "\n").dropLast(log.hasSuffix("\n") ? 0 : 1)
        return try whole.map { try JSONValue(parsing: Array($0.utf8)) }.filter { $0["event"] == .string(kind) }
    }

    /// The events of one kind, from the first on.
    package func events(_ kind: String) throws -> [Event] {
        let log = try String(contentsOfFile: folder.path + "/log", encoding: .utf8)
        let events = try log.split(separator: "\n").map { try JSONDecoder().decode(Event.self, from: Data($0.utf8)) }
        return events.filter { $0.event == kind }
    }
}
