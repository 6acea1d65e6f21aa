import Configuration
import Execution
import JSON
import Model
import Server
import TestSupport
import Testing

/// `anyone` in the rules: reads over HTTP without a token. And roles of tokens, over real connections.
struct OpenReadTests {
    private static let server = Result {
        try TestServer {
            $0.rules =
                (try? AccessRules([
                    "matches/{id}": "anyone", "items/{id}": "anyone", "items/secret": "public",
                    "notes/{id}": ["read": "public", "write": "role:editor"], "loans/{id}": ["read": "role:librarian"],
                ])) ?? AccessRules()
        }
    }
    private let server: TestServer

    init() throws { server = try Self.server.get() }

    private func stranger() throws -> Admin { Admin(try HTTPPeer(port: server.port), token: nil) }

    @Test func `a document and a listing that are open to anyone are read without a token, and by every token`() throws
    {
        let id = server.name("m")
        let path = "/v1/documents/matches/\(id)"
        #expect(try server.admin().call("PUT", path, ["score": "1:0"]).status == 200)
        let user = Admin(try HTTPPeer(port: server.port), token: try server.token(server.name("alice")))
        for reader in [try stranger(), user] {
            let read = try reader.call("GET", path)
            #expect(read.status == 200)
            #expect(try read.json()["data"] == ["score": "1:0"])
            #expect(read.headers["etag"] == "\"1\"")
            #expect(try reader.call("HEAD", path).status == 200)
            let list = try reader.call("GET", "/v1/documents?collection=matches&limit=200")
            #expect(list.status == 200)
            let paths = try list.json()["documents"]?.arrayValue?.compactMap { $0["path"]?.stringValue }
            #expect(paths?.contains("matches/\(id)") == true)
            #expect(try reader.call("GET", path + "-none").status == 404)
        }
    }

    @Test func `a document that is not open to anyone is refused as before, whether it exists or not`() throws {
        let admin = try server.admin()
        for path in ["notes/1", "items/secret"] {
            #expect(try admin.call("PUT", "/v1/documents/" + path, ["a": 1]).status == 200)
        }
        let user = Admin(try HTTPPeer(port: server.port), token: try server.token(server.name("alice")))
        let stranger = try stranger()
        for target in ["/notes/1", "/notes/2", "/items/secret", "/chats/a:b/messages/1", "?collection=items"] {
            let refused = try stranger.call("GET", "/v1/documents" + target)
            #expect(refused.status == 401)
            #expect(try refused.json()["code"] == "unauthenticated")
            #expect(try user.call("GET", "/v1/documents" + target).status == 403)
        }
        #expect(try stranger.call("GET", "/v1/documents/items/other").status == 404)
        for method in ["PUT", "PATCH"] {
            #expect(try stranger.call(method, "/v1/documents/matches/1", ["a": 1]).status == 401)
        }
        #expect(try stranger.call("DELETE", "/v1/documents/matches/1").status == 401)
        let broken = Admin(try HTTPPeer(port: server.port), token: "a.b.c")
        #expect(try broken.call("GET", "/v1/documents/matches/1").status == 401)
    }

    @Test func `a rule that lets anyone write is refused when it is put, and the error says where`() throws {
        let refused = try server.admin().call("PUT", "/v1/rules", ["rules": ["a/{x}": ["write": "anyone"]]])
        #expect(refused.status == 400)
        #expect(try refused.json()["field"] == "rules.a/{x}.write")
    }

    @Test func `open documents are read under the server's own names alone`() throws {
        let server = try TestServer {
            $0.rules = (try? AccessRules(["matches/{id}": "anyone"])) ?? AccessRules()
            $0.origins = AllowedOrigins(["https://app.example.org"]) ?? $0.origins
        }
        defer { server.application.stop() }
        for (host, status) in [("evil.example", 421), ("app.example.org", 404), ("127.0.0.1", 404)] {
            let peer = try HTTPPeer(port: server.port)
            try peer.socket.send("GET /v1/documents/matches/1 HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            #expect(try peer.answer().status == status)
        }
    }

    @Test func `strangers of one network together may not cost more than a user`() throws {
        let server = try TestServer { $0.rules = (try? AccessRules(["matches/{id}": "anyone"])) ?? AccessRules() }
        defer { server.application.stop() }
        // On each connection, the most requests that may be sent at once.
        let requests = "GET /v1/documents?collection=matches&limit=200 HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let count = Limits.commandsBurst / (1 + 200 / Limits.rowsPerWeight) - 5
        let strangers = try (0..<40).map { _ in try HTTPPeer(port: server.port) }
        for stranger in strangers {
            try stranger.socket.send(Array(String(repeating: requests, count: count).utf8))
        }
        var refused: [HTTPPeer.Answer] = []
        for stranger in strangers {
            for _ in 0..<count {
                let answer = try stranger.answer()
                if answer.status != 200 { refused.append(answer) }
            }
        }
        #expect(!refused.isEmpty)
        #expect(refused.allSatisfy { $0.status == 429 && $0.text.contains("without a token") })
        #expect(refused.allSatisfy { $0.headers["retry-after"] != nil })
        #expect(try server.admin().call("GET", "/v1/documents?collection=matches").status == 200)
    }

    @Test func `a session has the roles of its token as long as it rests on it, and a posted command those of its own`()
        throws
    {
        let name = server.name("ayse")
        #expect(try server.admin().call("PUT", "/v1/documents/loans/7", ["book": "x"]).status == 200)
        let librarian = try #require(RoleName("librarian"))
        let (plain, bearing) = (try server.token(name), try server.token(name, roles: [librarian]))
        let device = try server.connect()
        try device.hello(token: bearing)
        #expect(try device.ok(["type": "get", "path": "loans/7"])["data"] == ["book": "x"])
        try device.hello(token: plain)
        #expect(try device.refused(["type": "get", "path": "loans/7"])["code"] == "not-found")
        try device.hello(token: bearing)
        #expect(try device.ok(["type": "get", "path": "loans/7"])["data"] == ["book": "x"])
        for (token, status) in [(plain, 404), (bearing, 200), (plain, 404)] {
            let user = Admin(try HTTPPeer(port: server.port), token: token)
            #expect(try user.call("POST", "/v1/commands", ["type": "get", "path": "loans/7"]).status == status)
        }
        func put(_ key: String) -> JSONValue {
            ["type": "put", "path": "notes/7", "data": ["a": 1], "key": .string(key)]
        }
        #expect(try device.refused(put("before"))["code"] == "forbidden")
        let editor = try #require(RoleName("editor"))
        try device.hello(token: try server.token(name, roles: [editor]))
        #expect(try device.refused(put("before"))["code"] == "forbidden", "the outcome stands with its key")
        #expect(try device.ok(put("after"))["version"] == 1)
    }
}
