import Foundation
import TestSupport
import Testing

/// The memory of the running program.
@Suite(.enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"))
struct MemoryTests {
    private static let mebibyte = 1 << 20
    let folder = TemporaryFolder()

    /// A request that takes about 40 KB in memory, and is incomplete.
    private static let request: [UInt8] = {
        let lines = (0..<90).map { "x-\($0): \(String(repeating: "a", count: 150))\r\n" }.joined()
        let head = "POST / HTTP/1.1\r\nHost: a\r\n\(lines)Content-Length: 15000\r\n\r\n"
        return Array((head + String(repeating: "b", count: 14_000)).utf8)
    }()

    @Test func `the memory of a burst is given back`() async throws {
        let server = try ServerProcess(data: folder.path)
        #expect(try HTTPPeer(port: server.port).request("GET", "/healthz").status == 200)
        let before = try server.residentBytes()
        var largest = before
        for _ in 0..<4 {
            let sockets = try (0..<600).map { _ in try TCPSocket(port: server.port) }
            for socket in sockets { try? socket.send(Self.request) }
            for _ in 0..<20 where largest < before + 10 * Self.mebibyte {
                try await Task.sleep(for: .milliseconds(250))
                largest = max(largest, try server.residentBytes())
            }
            for socket in sockets { socket.close() }
        }
        #expect(largest > before + 10 * Self.mebibyte)
        #expect(largest < before + 64 * Self.mebibyte)
        var after = largest
        for _ in 0..<240 where after > before + 12 * Self.mebibyte {
            try await Task.sleep(for: .milliseconds(500))
            after = try server.residentBytes()
        }
        #expect(after <= before + 12 * Self.mebibyte, "before \(before), largest \(largest), after \(after)")
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
    }
}
