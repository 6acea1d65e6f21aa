import JSON
import TestSupport
import Testing

@testable import Configuration

/// Access to `/metrics`: programs of this machine, and tokens with the scope.
struct MetricsDoorTests {
    private func status(_ server: LoopRig, host: String = "localhost", _ fields: [String] = []) throws -> Int {
        let peer = try HTTPPeer(port: server.port)
        let lines = ["GET /metrics HTTP/1.1", "Host: \(host)"] + fields + ["", ""]
        try peer.socket.send(lines.joined(separator: "\r\n"))
        return try peer.answer().status
    }

    private func bearer(_ server: LoopRig, scopes: Set<String>) throws -> String {
        "Authorization: Bearer \(try server.token("prometheus", scopes: scopes))"
    }

    @Test func `a program of this machine sees the figures, and a request through a proxy does not`() throws {
        let server = try LoopRig { $0.origins = AllowedOrigins(["https://films.example.org"]) ?? $0.origins }
        defer { server.stop() }
        for host in ["localhost", "127.0.0.1:8080", "[::1]"] {
            #expect(try status(server, host: host) == 200, "\(host)")
        }
        for field in ["X-Forwarded-For: 192.0.2.9", "X-Forwarded-For: 127.0.0.1", "Via: 1.1 proxy", "X-Real-IP: ::1"] {
            #expect(try status(server, [field]) == 401, "\(field)")
        }
        // The server's own name, from this machine: such a request comes from a proxy that adds no headers.
        #expect(try status(server, host: "films.example.org") == 401)
    }

    @Test func `a token opens them that has the scope metrics or admin, from anywhere and by any name`() throws {
        let server = try LoopRig()
        defer { server.stop() }
        let far = ["X-Forwarded-For: 192.0.2.9"]
        for scopes: Set<String> in [["metrics"], ["admin"], ["admin:read"]] {
            let token = try bearer(server, scopes: scopes)
            #expect(try status(server, [token]) == 200)
            #expect(try status(server, host: "scraped.example.org", [token] + far) == 200)
        }
        #expect(try status(server, [try bearer(server, scopes: [])] + far) == 403)
        #expect(try status(server, [try bearer(server, scopes: ["write"])]) == 403)
        #expect(try status(server, ["Authorization: Bearer nonsense"]) == 401)
    }

    @Test func `the scope metrics opens nothing else`() throws {
        let server = try LoopRig()
        defer { server.stop() }
        let peer = try HTTPPeer(port: server.port)
        let token = try bearer(server, scopes: ["metrics"])
        try peer.socket.send("GET /v1/stats HTTP/1.1\r\nHost: localhost\r\n\(token)\r\n\r\n")
        #expect(try peer.answer().status == 403)
    }

    @Test func `the door of the figures is open, or for tokens alone, as it is set`() throws {
        for (door, here, far) in [(MetricsDoor.open, 200, 200), (.token, 401, 401), (.local, 200, 401)] {
            let server = try LoopRig { $0.metricsDoor = door }
            defer { server.stop() }
            #expect(try status(server) == here, "\(door)")
            #expect(try status(server, ["X-Forwarded-For: 192.0.2.9"]) == far, "\(door)")
            #expect(try status(server, [try bearer(server, scopes: ["metrics"])]) == 200)
        }
    }

    @Test func `an address for the figures serves them to everybody, and nothing else`() throws {
        let server = try LoopRig {
            $0.metricsDoor = .token
            $0.metricsListen = ["127.0.0.1:0"]
        }
        defer { server.stop() }
        #expect(server.figuresPort != server.port)
        let peer = try HTTPPeer(port: server.figuresPort)
        let far = [("X-Forwarded-For", "192.0.2.9")]
        for path in ["/metrics", "/readyz", "/healthz"] {
            #expect(try peer.request("GET", path, headers: far).status == 200, "\(path)")
        }
        let token = try server.token("prometheus", scopes: ["admin"])
        for (method, path) in [
            ("GET", "/v1/stats"), ("GET", "/v1/ws"), ("POST", "/v1/commands"), ("GET", "/metrics/x"),
        ] {
            let answer = try peer.request(method, path, headers: [("Authorization", "Bearer \(token)")])
            #expect(answer.status == 404, "\(path)")
        }
        #expect(try status(server) == 401)
    }

    @Test func `readyz tells strangers no reasons`() throws {
        let server = try LoopRig {
            $0.issuers = [
                IssuerConfiguration(["issuer": "slow", "audience": "a", "keys": "http://127.0.0.1:1/k"])
            ].compactMap { $0 }
        }
        defer { server.stop() }
        let peer = try HTTPPeer(port: server.port)
        #expect(try peer.request("GET", "/readyz").text.contains("no keys of slow"))
        #expect(try peer.request("GET", "/readyz", headers: [("X-Forwarded-For", "192.0.2.9")]).text == "ready\n")
    }
}
