import Configuration
import TestSupport
import Testing

/// The parameters of a request's query.
struct QueryTests {
    private static let server = Result { try LoopRig() }
    let server: LoopRig

    init() throws { server = try Self.server.get() }

    private func answer(_ method: String, _ target: String) throws -> HTTPPeer.Answer {
        let token = try server.token("operator", scopes: ["admin", "user"])
        return try HTTPPeer(port: server.port).request(method, target, headers: [("Authorization", "Bearer \(token)")])
    }

    @Test(arguments: [
        (
            "GET", "/v1/documents?collection=parcels&where=customer:carl",
            "where is no parameter of this path; known are: "
        ),
        (
            "GET", "/v1/documents?colection=parcels",
            "colection is no parameter of this path; did you mean 'collection'?"
        ),
        ("GET", "/v1/documents?collection=a&limit=1&limit=2", "limit stands in the query twice"),
        ("GET", "/v1/documents/a/b?version=1", "version is no parameter of this path, which has none"),
        ("GET", "/v1/audit?since=1", "since is no parameter of this path"),
        ("POST", "/v1/commands?token=x", "token is no parameter of this path, which has none"),
        ("GET", "/v1/events?watches=a/b", "watches is no parameter of this path; did you mean 'watch'?"),
        ("GET", "/v1/stats?x", "x is no parameter of this path, which has none"),
    ])
    func `a parameter that a path does not have, or has twice, is refused by name`(
        _ method: String, _ target: String, _ detail: String
    ) throws {
        let answer = try answer(method, target)
        #expect(answer.status == 400 && answer.text.contains(detail), "\(answer.text)")
    }

    @Test(arguments: [
        "/healthz?x=1", "/readyz?probe=a", "/v1/openapi.json?x=1", "/v1/sdk/watchwise.js?v=2", "/metrics?format=x",
    ])
    func `pages that probes, proxies and browsers ask for take any`(_ target: String) throws {
        #expect(try answer("GET", target).status == 200)
    }

    @Test func `names that begin with a low line are the client's own`() throws {
        #expect(try answer("GET", "/v1/documents?_=17").text.contains("collection is required"))
    }

    @Test func `without a token only the token is asked for`() throws {
        let answer = try HTTPPeer(port: server.port).request("GET", "/v1/stats?x=1")
        #expect(answer.status == 401)
    }
}
