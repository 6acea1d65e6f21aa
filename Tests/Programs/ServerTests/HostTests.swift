import Configuration
import Demo
import JSON
import Model
import Server
import Testing
import TestSupport

/// The names of the server in `Host`: a page that lets its name point to this machine (DNS rebinding) gets neither a
/// demo's token nor the metrics.
struct HostTests {
    private func status(_ server: TestServer, _ target: String, host: String?) throws -> Int {
        let peer = try HTTPPeer(port: server.port)
        let version = host == nil ? "1.0" : "1.1"
        let field = host.map { "Host: \($0)\r\n" } ?? ""
        try peer.socket.send("GET \(target) HTTP/\(version)\r\n\(field)\r\n")
        return try peer.answer().status
    }

    private func demo(listen: String = "127.0.0.1:0", origins: [String] = []) throws -> TestServer {
        let alice = try #require(UserID("alice"))
        let english = try #require(LanguageTag("en"))
        let pages: Application.PagesMaker = { sign in
            DemoStage(
                .init(name: "film-network", title: "WatchWise", panes: [(alice, nil)]),
                people: [.init(id: alice, name: "Alice", locale: english)], sign: sign)
        }
        return try TestServer(pages: pages) { configuration in
            configuration.listen = [listen]
            configuration.origins = AllowedOrigins(origins) ?? configuration.origins
        }
    }

    @Test func `a name that is not the server's gets no page, no metrics and no demo session`() throws {
        let server = try demo(origins: ["https://films.example.org"])
        defer { server.application.stop() }
        let targets = ["/", "/demo", "/demo/stage", "/demo/session?user=alice", "/metrics"]
        for host in ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example"] {
            for target in targets { #expect(try status(server, target, host: host) == 421, "\(host) \(target)") }
            #expect(try status(server, "/healthz", host: host) == 200)
        }
        let own = [
            "localhost", "LOCALHOST:8080", "127.0.0.1:\(server.port)", "[::1]:1", "192.0.2.7", "films.example.org",
            "demo.localhost", "localhost.",
        ]
        for host in own {
            for target in targets where target != "/metrics" {
                #expect(try status(server, target, host: host) < 400, "\(host) \(target)")
            }
        }
        let peer = try HTTPPeer(port: server.port)
        try peer.socket.send("GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        let problem = try peer.answer().json()
        #expect(problem["field"] == "Host")
        #expect(problem["detail"]?.stringValue?.contains("--origin") == true)
    }

    @Test func `a server that others reach and that knows no name of its own gives demo sessions to addresses alone`()
        throws
    {
        let server = try demo(listen: "0.0.0.0:0")
        defer { server.application.stop() }
        #expect(try status(server, "/demo", host: "demo.example.org") == 200)
        #expect(try status(server, "/demo/session?user=alice", host: "demo.example.org") == 421)
        #expect(try status(server, "/demo/session?user=alice", host: nil) == 421)
        #expect(try status(server, "/demo/session?user=alice", host: "192.0.2.7") == 200)
    }
}
