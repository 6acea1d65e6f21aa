import Foundation
import JSON
import TestSupport
import Testing

/// The servers to which the command line sends tokens.
@Suite(.enabled(if: ServerProcess.binary != nil, "the program watchwise is not built beside the tests"))
struct OperatorTokenTests {
    let folder = TemporaryFolder()
    private var data: String { folder.path + "/data" }

    /// A folder with a secret, as a server leaves it.
    private func makeSecret() throws {
        let server = try ServerProcess(data: data)
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
    }

    @Test func `the secret's token goes to this machine's own addresses alone`() throws {
        try makeSecret()
        let listener = try WebServer { _ in WebServer.Answer(body: Array("{}".utf8)) }
        defer { listener.stop() }
        // 0.0.0.0 is not a loopback address, and still reaches this machine.
        let elsewhere = "http://0.0.0.0:\(listener.port)"
        for more in [[], ["--insecure-http"]] {
            let ended = try ServerProcess.run(["stats", "--server", elsewhere, "--data", data] + more)
            #expect(ended.status == 2)
            #expect(ended.errors.contains("--token") && ended.errors.contains("watchwise token"), "\(ended.errors)")
        }
        #expect(listener.requests.isEmpty)
        for own in ["http://127.0.0.1", "http://localhost", "http://127.3.2.1"] {
            _ = try ServerProcess.run(["stats", "--server", "\(own):\(listener.port)", "--data", data])
        }
        #expect(listener.requests.count == 2, "127.3.2.1 is allowed and has no listener")
        #expect(listener.requests.allSatisfy { $0.headers["authorization"]?.hasPrefix("Bearer ey") == true })
    }

    @Test func `a given token goes over plain http to another machine only when that is asked for`() throws {
        let listener = try WebServer { _ in WebServer.Answer(body: Array("{}".utf8)) }
        defer { listener.stop() }
        let there = ["stats", "--server", "http://0.0.0.0:\(listener.port)", "--token", "a.b.c"]
        let refused = try ServerProcess.run(there)
        #expect(refused.status == 2)
        #expect(refused.errors.contains("https://") && refused.errors.contains("--insecure-http"), "\(refused.errors)")
        #expect(listener.requests.isEmpty)
        _ = try ServerProcess.run(there + ["--insecure-http"])
        #expect(listener.requests.map { $0.headers["authorization"] } == ["Bearer a.b.c"])
        _ = try ServerProcess.run(["stats", "--server", "http://127.0.0.1:\(listener.port)", "--token", "a.b.c"])
        #expect(listener.requests.count == 2)
    }

    @Test func `a token of another server's folder is refused, and the answer says so`() throws {
        try makeSecret()
        let server = try ServerProcess(data: folder.path + "/other")
        let ended = try ServerProcess.run(["stats", "--server", "http://127.0.0.1:\(server.port)", "--data", data])
        #expect(ended.status == 1)
        #expect(ended.errors.contains("another server"), "\(ended.errors)")
    }
}
