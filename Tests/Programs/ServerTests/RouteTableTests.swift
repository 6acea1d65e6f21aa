import Authentication
import Configuration
import JSON
import Model
import Server
import Telemetry
import TestSupport
import Testing

@testable import Admin

/// The table of routes: what opens each of them, and what the audit has of each request.
@Suite struct RouteTableTests {
    /// A path of the route that leads to nothing that is there.
    private static func target(_ route: AdminRoute) -> String {
        if route.template == "documents", route.method == "GET" { return "/v1/documents?collection=products" }
        let parts = route.template.split(separator: "/").map { part in
            switch part {
            case "{id}": "987654"
            case "{path…}": "products/none"
            case "{topic…}": "match:987"
            case "{chat}": "alice:bob"
            case let name where name.hasPrefix("{"): "nobody"
            default: String(part)
            }
        }
        return "/v1/" + parts.joined(separator: "/")
    }

    private static func token(_ server: TestServer, _ subject: String, _ scopes: Set<String>) throws -> String {
        let now = WallClock.system.now()
        let claims = Claims(
            subject: try #require(UserID(subject)), scopes: scopes, expiresAt: now.adding(milliseconds: 600_000),
            tokenID: "jti-\(subject)")
        return JSONWebToken.sign(claims, issuedAt: now, with: server.application.secret)
    }

    /// The rows of the request with this answer.
    private static func rows(_ admin: Admin, of answer: HTTPPeer.Answer) throws -> [JSONValue] {
        let id = try #require(answer.headers["x-request-id"])
        return (try admin.call("GET", "/v1/audit?limit=20").json()["audit"]?.arrayValue ?? []).filter {
            $0["request"]?.stringValue == id
        }
    }

    @Test func `each route opens for its scope and for admin, and for no other word`() throws {
        let server = try TestServer { $0.push.contact = "mailto:a@example.org" }
        defer { server.application.stop() }
        let credentials: [(name: String, scopes: Set<String>?)] =
            [("nobody", nil), ("user", [])] + Scope.allCases.map { ($0.rawValue, [$0.rawValue]) }
        var wrong: [String] = []
        for (name, scopes) in credentials {
            let subject = "m-" + name.replacing(":", with: "-")
            let caller = Admin(
                try HTTPPeer(port: server.port), token: try scopes.map { try Self.token(server, subject, $0) })
            for route in RouteTable.all {
                let answer = try caller.call(
                    route.method, Self.target(route), text: route.method == "GET" ? nil : "{}")
                let isOpen = scopes.map { $0.contains("admin") || $0.contains(route.scope.rawValue) } ?? false
                let isRight =
                    isOpen
                    ? ![401, 403].contains(answer.status)
                    : answer.status == (scopes == nil ? 401 : 403)
                        && (scopes == nil || answer.text.contains("lacks the scope \(route.scope.rawValue);"))
                if !isRight {
                    wrong.append("\(name): \(route.method) \(route.template): \(answer.status) \(answer.text)")
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
        #expect(RouteTable.all.count >= 45)
    }

    @Test(arguments: NodeErrand.allCases)
    func `the token of a node opens what its errand needs, and nothing else`(_ errand: NodeErrand) throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let token = try Self.token(server, "node.c", [errand.rawValue, "admin"])
        let caller = Admin(try HTTPPeer(port: server.port), token: token)
        var wrong: [String] = []
        for route in RouteTable.all {
            let answer = try caller.call(route.method, Self.target(route), text: route.method == "GET" ? nil : "{}")
            let isRight =
                route.errands.contains(errand)
                ? ![401, 403].contains(answer.status)
                : answer.status == 401 && answer.text.contains("for \(errand.rawValue), and opens nothing here")
            if !isRight { wrong.append("\(route.method) \(route.template): \(answer.status) \(answer.text)") }
        }
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
        let opened = RouteTable.all.filter { $0.errands.contains(errand) }.map { "\($0.method) \($0.template)" }
        #expect(opened == ["GET backup"])
        // It is nobody's token either.
        #expect(try caller.call("POST", "/v1/commands", ["type": "ping"]).status == 401)
        #expect(try caller.call("GET", "/v1/documents/films/1").status == 401)
        #expect(try caller.call("GET", "/v1/events").status == 401)
        let refused = try server.connect().refused(Device.helloCommand(token: token))
        #expect(refused["code"] == "unauthenticated")
        #expect(throws: (any Error).self) {
            _ = try server.connect(headers: [("Authorization", "Bearer \(token)")]).hello(token: nil)
        }
    }

    @Test func `each request other than GET leaves exactly one row, even a refused one`() throws {
        let server = try TestServer { $0.push.contact = "mailto:a@example.org" }
        defer { server.application.stop() }
        let admin = try server.admin()
        let operatorToken = try Self.token(server, "ops", ["admin"])
        let callers = [
            ("ops", Admin(try HTTPPeer(port: server.port), token: operatorToken)),
            ("prom", Admin(try HTTPPeer(port: server.port), token: try Self.token(server, "prom", ["metrics"]))),
            ("reader", Admin(try HTTPPeer(port: server.port), token: try Self.token(server, "reader", ["admin:read"]))),
        ]
        for route in RouteTable.all where route.method != "GET" {
            for (name, caller) in callers {
                for body in ["{}", "nonsense", #"{"reason":"r","user":"alice","title":"T","audience":"everyone"}"#] {
                    let answer = try caller.call(route.method, Self.target(route), text: body)
                    let rows = try Self.rows(admin, of: answer)
                    let what = "\(name): \(route.method) \(route.template) \(body): \(answer.text)"
                    #expect(rows.count == (answer.status == 503 ? 0 : 1), "\(what)")
                    guard let row = rows.first else { continue }
                    #expect(row["action"] == .string(route.action), "\(what)")
                    #expect(row["actor"] == .string(name) && row["jti"] == .string("jti-\(name)"), "\(what)")
                    #expect(row["address"] == "127.0.0.1", "\(what)")
                    let outcome = answer.status < 300 ? "ok" : try answer.json()["code"]?.stringValue
                    #expect(row["outcome"]?.stringValue == outcome, "\(what) \(row.text)")
                }
            }
        }
    }
}
