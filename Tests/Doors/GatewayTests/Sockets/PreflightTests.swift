import Configuration
import JSON
import TestSupport
import Testing

/// Answers of a loop to pages of other origins, before it asks for a token.
struct PreflightTests {
    private static let own = "https://app.example.org"
    private static let stranger = "https://evil.example"
    private static let server = Result {
        try LoopRig { $0.origins = AllowedOrigins([own]) ?? $0.origins }
    }
    private let page: PagePeer

    init() throws { page = PagePeer(port: try Self.server.get().port) }

    @Test(arguments: ["/v1/commands", "/v1/events", "/v1/documents/a/b", "/v1/rules"])
    func `a preflight of a configured origin is answered without a token`(target: String) throws {
        let wish = [("Access-Control-Request-Method", "PUT"), ("Access-Control-Request-Headers", "authorization")]
        let answer = try page.ask("OPTIONS", target, from: Self.own, wish)
        #expect(answer.status == 204)
        #expect(answer.headers["access-control-allow-origin"] == Self.own)
        #expect(answer.headers["access-control-allow-methods"] == "GET, HEAD, POST, PUT, PATCH, DELETE")
        for field in ["Authorization", "Content-Type", "Idempotency-Key", "If-Match", "Last-Event-ID"] {
            #expect(answer.headers["access-control-allow-headers"]?.contains(field) == true)
        }
        #expect(answer.headers["access-control-max-age"] == "600")
        let refused = try page.ask("OPTIONS", target, from: Self.stranger, wish)
        #expect(refused.status == 403)
        #expect(refused.saysNothingToPages)
    }

    @Test func `no page may read an answer outside of v1`() throws {
        for target in ["/healthz", "/readyz", "/metrics"] {
            #expect(try page.ask("GET", target, from: Self.own).saysNothingToPages)
        }
    }

    @Test func `where any origin may, the answer says so`() throws {
        let open = try LoopRig { $0.origins = AllowedOrigins(["*"]) ?? $0.origins }
        defer { open.stop() }
        let peer = try HTTPPeer(port: open.port)
        let answer = try peer.request("GET", "/v1/stats", headers: [("Origin", Self.stranger)])
        #expect(answer.status == 401)
        #expect(answer.headers["access-control-allow-origin"] == "*")
        let closed = try LoopRig()
        defer { closed.stop() }
        let other = try HTTPPeer(port: closed.port)
        let silent = try other.request("GET", "/v1/stats", headers: [("Origin", "http://localhost")])
        #expect(silent.saysNothingToPages)
    }

    @Test func `a page that may not is refused with 403 before it has a session`() throws {
        let server = try LoopRig { $0.origins = AllowedOrigins(["https://app.example.org"]) ?? $0.origins }
        defer { server.stop() }
        for (origin, status) in [("https://evil.example", 403), ("null", 403)] {
            let peer = try HTTPPeer(port: server.port)
            try peer.socket.send(WebSocketPeer.upgrade("/v1/ws", [("Origin", origin)]))
            let answer = try peer.answer()
            #expect(answer.status == status)
            #expect(try answer.json()["code"] == "forbidden")
            #expect(try answer.json()["field"] == "Origin")
        }
        let admitted = try WebSocketPeer(port: server.port, headers: [("Origin", "https://app.example.org")])
        #expect(admitted.answerHeaders["sec-websocket-accept"] != nil)
    }
}
