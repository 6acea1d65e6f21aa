import Foundation
import JSON
import TestSupport
import Testing

/// A log that cannot be written ends nothing, and nobody waits for it.
@Suite(.enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"))
struct LogOutputTests {
    /// The place to which the server writes its log.
    enum Place: CaseIterable {
        case fullDisk, goneReader, fullPipe, fullPipeThatWaits, closed
    }

    let folder = TemporaryFolder()

    /// A pipe that has no room.
    private func filledPipe(waits: Bool) -> Pipe {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        let bytes = Data(repeating: 0x2e, count: 4096)
        while (try? pipe.fileHandleForWriting.write(contentsOf: bytes)) != nil {}
        if waits { _ = fcntl(descriptor, F_SETFL, flags) }
        return pipe
    }

    private func statistics(_ port: UInt16) throws -> JSONValue {
        let ended = try ServerProcess.run(
            ["stats", "--json", "--data", folder.path, "--server", "http://127.0.0.1:\(port)"])
        return try JSONValue(parsing: Array(ended.output.utf8))
    }

    @Test(arguments: Place.allCases)
    func `the server starts, serves, reloads and stops`(place: Place) throws {
        _ = signal(SIGPIPE, SIG_IGN)
        let arguments = [
            "serve", "--data", folder.path, "--listen", "127.0.0.1:0", "--log-level", "debug",
        ]
        var pipe: Pipe?
        let server: ServerProcess
        switch place {
        case .fullDisk: server = try ServerProcess(arguments, lines: 1, redirection: "2>/dev/full")
        case .closed: server = try ServerProcess(arguments, lines: 1, redirection: "2>&-")
        case .goneReader:
            pipe = Pipe()
            server = try ServerProcess(arguments, lines: 1, errors: pipe?.fileHandleForWriting ?? .nullDevice)
            try pipe?.fileHandleForReading.close()
        case .fullPipe, .fullPipeThatWaits:
            pipe = filledPipe(waits: place == .fullPipeThatWaits)
            server = try ServerProcess(arguments, lines: 1, errors: pipe?.fileHandleForWriting ?? .nullDevice)
        }
        let alice = try Chatter(port: server.port, token: ServerProcess.token("alice", data: folder.path))
        for _ in 0..<3 {
            server.signal(SIGHUP)
            _ = try alice.ok(["type": "follow", "topic": "user:bob"])
            _ = try alice.ok(["type": "unfollow", "topic": "user:bob"])
        }
        let lost = try statistics(server.port)["log_lines_lost_total"]?.integerValue
        #expect(place == .closed ? lost == 0 : (lost ?? 0) > 0)
        server.signal(SIGTERM)
        #expect(alice.readToEnd() == .close(code: 4501, reason: "drain"))
        #expect(server.wait() == 0)
        withExtendedLifetime(pipe) {}
    }

    @Test func `a server without standard streams writes its log into no file and to no client`() throws {
        let arguments = ["serve", "--data", folder.path, "--listen", "127.0.0.1:0", "--log-level", "debug"]
        let server = try ServerProcess(arguments, lines: 1, redirection: "2>&- <&-")
        let alice = try Chatter(port: server.port, token: ServerProcess.token("alice", data: folder.path))
        for _ in 0..<5 { server.signal(SIGHUP) }
        _ = try alice.ok(["type": "follow", "topic": "user:bob"])
        server.signal(SIGTERM)
        #expect(alice.readToEnd() == .close(code: 4501, reason: "drain"))
        #expect(server.wait() == 0)
        for name in folder.files {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + name))
            #expect(bytes.range(of: Data("level=info".utf8)) == nil, "in \(name)")
        }
    }
}
