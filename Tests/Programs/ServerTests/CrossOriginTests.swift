import Configuration
import JSON
import Server
import TestSupport
import Testing

/// Pages of other origins that use `fetch`: their rights, and the headers for the browser.
struct CrossOriginTests {
    private static let own = "https://app.example.org"
    private static let stranger = "https://evil.example"
    private static let server = Result {
        try TestServer { $0.origins = AllowedOrigins([own]) ?? $0.origins }
    }
    private let server: TestServer
    private let page: PagePeer

    init() throws {
        server = try Self.server.get()
        page = PagePeer(port: server.port)
    }

    @Test func `a page of a configured origin may read every answer below v1, even refusals`() throws {
        let token = try server.token("operator", isAdmin: true)
        for (target, status) in [("/v1/stats", 200), ("/v1/documents/a/b", 404), ("/v1/nothing", 404)] {
            let answer = try page.ask("GET", target, from: Self.own, token: token)
            #expect(answer.status == status)
            #expect(answer.headers["access-control-allow-origin"] == Self.own)
            #expect(answer.headers["vary"] == "Origin")
            #expect(answer.headers["access-control-expose-headers"]?.contains("ETag") == true)
        }
        let refused = try page.ask("GET", "/v1/events", from: Self.own)
        #expect(refused.status == 401)
        #expect(refused.headers["access-control-allow-origin"] == Self.own)
        let posted = try page.ask(
            "POST", "/v1/commands", from: Self.own, token: try server.token("alice"), body: ["type": "ping"])
        #expect(posted.status == 200)
        #expect(posted.headers["access-control-allow-origin"] == Self.own)
        let stream = try EventStreamPeer(server, token: try server.token("alice"), headers: [("Origin", Self.own)])
        #expect(stream.head.contains("Access-Control-Allow-Origin: \(Self.own)"))
    }

    @Test func `a page of another origin may read nothing, and its writes are refused`() throws {
        let admin = try server.token("operator", isAdmin: true)
        let path = "/v1/documents/pages/\(server.name("p"))"
        for origin in [Self.stranger, "null"] {
            let put = try page.ask("PUT", path, from: origin, token: admin, body: ["a": 1])
            #expect(put.status == 403)
            #expect(try put.json()["field"] == "Origin")
            let posted = try page.ask(
                "POST", "/v1/commands", from: origin, token: try server.token("alice"), body: ["type": "ping"])
            #expect(posted.status == 403)
            let read = try page.ask("GET", "/v1/stats", from: origin, token: admin)
            #expect(read.status == 200)
            for answer in [put, posted, read] { #expect(answer.saysNothingToPages) }
        }
        #expect(try page.ask("GET", path, from: nil, token: admin).status == 404)
        #expect(try page.ask("PUT", path, from: nil, token: admin, body: ["a": 1]).status == 200)
        #expect(try page.ask("PUT", path, from: "http://localhost", token: admin, body: ["a": 2]).status == 200)
    }
}
