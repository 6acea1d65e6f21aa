import Configuration
import JSON
import Server
import TestSupport
import Testing

/// Pages of other origins that use `fetch`: their rights, and the headers for the browser.
struct CrossOriginTests {
    private static let page = "https://app.example.org"
    private static let stranger = "https://evil.example"
    private static let server = Result {
        try TestServer { $0.origins = AllowedOrigins([page]) ?? $0.origins }
    }
    private let server: TestServer

    init() throws { server = try Self.server.get() }

    private func ask(
        _ method: String, _ target: String, from origin: String?, token: String? = nil, body: JSONValue? = nil,
        _ more: [(String, String)] = []
    ) throws -> HTTPPeer.Answer {
        var headers = more
        if let origin { headers.append(("Origin", origin)) }
        if let token { headers.append(("Authorization", "Bearer \(token)")) }
        return try HTTPPeer(port: server.port).request(method, target, headers: headers, body: body.map(\.bytes))
    }

    private func saysNothing(_ answer: HTTPPeer.Answer) -> Bool {
        !answer.headers.keys.contains { $0.hasPrefix("access-control-") }
    }

    @Test func `a page of a configured origin may read every answer below v1, even refusals`() throws {
        let token = try server.token("operator", isAdmin: true)
        for (target, status) in [("/v1/stats", 200), ("/v1/documents/a/b", 404), ("/v1/nothing", 404)] {
            let answer = try ask("GET", target, from: Self.page, token: token)
            #expect(answer.status == status)
            #expect(answer.headers["access-control-allow-origin"] == Self.page)
            #expect(answer.headers["vary"] == "Origin")
            #expect(answer.headers["access-control-expose-headers"]?.contains("ETag") == true)
        }
        let refused = try ask("GET", "/v1/events", from: Self.page)
        #expect(refused.status == 401)
        #expect(refused.headers["access-control-allow-origin"] == Self.page)
        let posted = try ask(
            "POST", "/v1/commands", from: Self.page, token: try server.token("alice"), body: ["type": "ping"])
        #expect(posted.status == 200)
        #expect(posted.headers["access-control-allow-origin"] == Self.page)
        let stream = try EventStreamPeer(server, token: try server.token("alice"), headers: [("Origin", Self.page)])
        #expect(stream.head.contains("Access-Control-Allow-Origin: \(Self.page)"))
    }

    @Test func `a page of another origin may read nothing, and its writes are refused`() throws {
        let admin = try server.token("operator", isAdmin: true)
        let path = "/v1/documents/pages/\(server.name("p"))"
        for origin in [Self.stranger, "null"] {
            let put = try ask("PUT", path, from: origin, token: admin, body: ["a": 1])
            #expect(put.status == 403)
            #expect(try put.json()["field"] == "Origin")
            let posted = try ask(
                "POST", "/v1/commands", from: origin, token: try server.token("alice"), body: ["type": "ping"])
            #expect(posted.status == 403)
            let read = try ask("GET", "/v1/stats", from: origin, token: admin)
            #expect(read.status == 200)
            #expect([put, posted, read].allSatisfy(saysNothing))
        }
        #expect(try ask("GET", path, from: nil, token: admin).status == 404)
        #expect(try ask("PUT", path, from: nil, token: admin, body: ["a": 1]).status == 200)
        #expect(try ask("PUT", path, from: "http://localhost", token: admin, body: ["a": 2]).status == 200)
    }
}
