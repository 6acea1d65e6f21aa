import Admin
import Configuration
import JSON
import TestSupport
import Testing
import Wire

@testable import Gateway

/// The names of the server in `Host`: a page that lets its name point to this machine (DNS rebinding) gets neither a
/// demo's token nor the metrics.
struct HostTests {
    /// Pages with a place that gives tokens away, as those of a demo.
    private struct Pages: ServedPages {
        func owns(_ path: String) -> Bool { path == "/" || path.hasPrefix("/demo") }
        func givesToken(_ path: String) -> Bool { path == "/demo/session" }
        func response(to head: HTTPRequestHead) -> HTTPResponse? { HTTPResponse(status: 200, headers: [:]) }
    }

    private func status(_ server: LoopRig, _ target: String, host: String?) throws -> Int {
        let peer = try HTTPPeer(port: server.port)
        let version = host == nil ? "1.0" : "1.1"
        let field = host.map { "Host: \($0)\r\n" } ?? ""
        try peer.socket.send("GET \(target) HTTP/\(version)\r\n\(field)\r\n")
        return try peer.answer().status
    }

    private func rig(listen: String = "127.0.0.1:0", origins: [String] = []) throws -> LoopRig {
        try LoopRig(pages: Pages()) { configuration in
            configuration.listen = [listen]
            configuration.origins = AllowedOrigins(origins) ?? configuration.origins
        }
    }

    @Test func `a name that is not the server's gets no page, no metrics and no demo session`() throws {
        let server = try rig(origins: ["https://films.example.org"])
        defer { server.stop() }
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
        let server = try rig(listen: "0.0.0.0:0")
        defer { server.stop() }
        #expect(try status(server, "/demo", host: "demo.example.org") == 200)
        #expect(try status(server, "/demo/session?user=alice", host: "demo.example.org") == 421)
        #expect(try status(server, "/demo/session?user=alice", host: nil) == 421)
        #expect(try status(server, "/demo/session?user=alice", host: "192.0.2.7") == 200)
    }
}
