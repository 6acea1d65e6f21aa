import Authentication
import JSON
import Model
import Server
import TestSupport
import Testing

/// Tokens with a scope of operators: they are for programs, and no user's.
struct ProgramTokenTests {
    private static func answers(_ token: String, on server: TestServer) throws -> [Int] {
        let caller = Admin(try HTTPPeer(port: server.port), token: token)
        return [
            try caller.call("POST", "/v1/commands", ["type": "follow", "topic": "user:alice", "key": "k"]).status,
            try caller.call("POST", "/v1/commands", ["type": "chats"]).status,
        ]
    }

    @Test(arguments: Scope.allCases) func `a program's token is no person, unless it says so`(_ scope: Scope) throws {
        let server = try TestServer.shared.get()
        let name = server.name("program")
        let token = try server.token(name, scopes: [scope.rawValue])
        let device = try server.connect()
        let refused = try device.refused(Device.helloCommand(token: token))
        #expect(refused["code"] == "forbidden" && refused["field"] == "token")
        #expect(refused["message"]?.stringValue?.contains("the scope \(scope.rawValue) is no user's") == true)
        let header = try server.connect(headers: [("Authorization", "Bearer \(token)")])
        #expect(try header.refused(["type": "hello"])["code"] == "forbidden")
        #expect(try Self.answers(token, on: server) == [403, 403])
        let events = try Admin(HTTPPeer(port: server.port), token: token).call("GET", "/v1/events")
        #expect(events.status == 403)
        #expect(try events.json()["field"] == "token")

        let both = try server.token(name, scopes: [scope.rawValue, Claims.userScope])
        try server.connect().hello(token: both)
        #expect(try Self.answers(both, on: server) == [200, 200])
    }

    @Test func `a session is not renewed with a program's token, and goes on with its own`() throws {
        let server = try TestServer.shared.get()
        let name = server.name("alice")
        let device = try server.device(name)
        let refused = try device.refused(Device.helloCommand(token: try server.token(name, scopes: ["admin"])))
        #expect(refused["code"] == "forbidden")
        try device.ok(["type": "ping"])
    }

    @Test func `words that are no operators' change nothing`() throws {
        let server = try TestServer.shared.get()
        let token = try server.token(server.name("alice"), scopes: ["openid", "profile", "user", "admin:nothing"])
        try server.connect().hello(token: token)
        #expect(try Self.answers(token, on: server) == [200, 200])
        let stats = try Admin(HTTPPeer(port: server.port), token: token).call("GET", "/v1/stats")
        #expect(stats.status == 403, "the word user opens nothing")
    }
}
