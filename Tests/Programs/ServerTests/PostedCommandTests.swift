import JSON
import Server
import TestSupport
import Testing

/// `POST /v1/commands`: one command, one reply, no session.
struct PostedCommandTests {
    let server: TestServer

    init() throws { server = try TestServer.shared.get() }

    private func caller(_ user: String) throws -> Admin {
        Admin(try HTTPPeer(port: server.port), token: try server.token(user))
    }

    @Test func `a new user becomes known, writes a message and reads it`() throws {
        let user = server.name("alice")
        let caller = try caller(user)
        let follow: JSONValue = ["type": "follow", "topic": "person:525", "key": "f"]
        let first = try caller.call("POST", "/v1/commands", follow)
        #expect(first.status == 200, "\(first.text)")
        #expect(first.headers["content-type"] == "application/json")
        #expect(try first.json()["ok"]?["seq"]?.integerValue != nil)
        #expect(try first.json()["re"] == nil)
        #expect(try caller.call("POST", "/v1/commands", follow).body == first.body)
        let list = try caller.call("POST", "/v1/commands", ["id": 7, "type": "following"]).json()
        #expect(list["re"] == 7)
        #expect(list["ok"]?["topics"] == ["person:525"])
        #expect(try caller.call("POST", "/v1/commands", ["type": "ping"]).json()["ok"]?["time"] != nil)
    }

    @Test func `fields that a command does not have are named in the reply, with an id and without one`() throws {
        let caller = try caller(server.name("alice"))
        let warning: JSONValue = ["notifications ignores the unknown field 'kind'"]
        let plain = try caller.call("POST", "/v1/commands", ["type": "notifications", "kind": "review"])
        #expect(try plain.status == 200 && plain.json()["warnings"] == warning, "\(plain.text)")
        let named = try caller.call("POST", "/v1/commands", ["id": 3, "type": "notifications", "kind": "review"])
        #expect(try named.json()["warnings"] == warning && named.json()["re"] == 3)
        let device = try server.device(server.name("bob"))
        let reply = try device.reply(to: device.post(["type": "notifications", "kind": "review"]))
        #expect(reply["warnings"] == warning && reply["ok"]?["notifications"] == [])
    }

    @Test func `a message that is posted reaches every device as any other`() throws {
        let pair = try server.pair()
        let caller = try caller(pair.alice)
        let answer = try caller.call(
            "POST", "/v1/commands", ["type": "send", "chat": .string(pair.chat), "text": "over HTTP", "key": "h"])
        let ok = try answer.json()["ok"]
        #expect(ok?["n"] == 2)
        for device in pair.all {
            let event = try device.event("message") { $0["key"] == "h" || $0["n"] == 2 }
            #expect(event["seq"] == ok?["seq"])
        }
        let typing: JSONValue = ["type": "typing", "chat": .string(pair.chat), "on": true]
        #expect(try caller.call("POST", "/v1/commands", typing).json() == ["ok": [:]])
        #expect(try pair.bobPhone.event("typing")["user"] == .string(pair.alice))
    }

    @Test func `the users of one connection are kept apart`() throws {
        let (alice, bob) = (server.name("alice"), server.name("bob"))
        let peer = try HTTPPeer(port: server.port)
        for (user, topic) in [(alice, "person:1"), (bob, "person:2"), (alice, "person:3")] {
            let caller = Admin(peer, token: try server.token(user))
            let follow: JSONValue = ["type": "follow", "topic": .string(topic)]
            #expect(try caller.call("POST", "/v1/commands", follow).status == 200)
        }
        let list = try Admin(peer, token: server.token(bob)).call("POST", "/v1/commands", ["type": "following"])
        #expect(try list.json()["ok"]?["topics"] == ["person:2"])
    }

    @Test(
        arguments: [
            (#"{"type":"hello"}"#, 400, "bad-request", "type"),
            (#"{"type":"presence","watch":["bob"]}"#, 400, "bad-request", "type"),
            (#"{"type":"focus","on":true}"#, 400, "bad-request", "type"),
            (#"{"type":"watch","path":"products"}"#, 400, "bad-request", "type"),
            (#"{"type":"dance"}"#, 400, "unknown-command", "type"),
            (#"{"type":"follow","topic":"nonsense"}"#, 400, "bad-request", "topic"),
            (#"{"type":"send","to":"nobody","text":"x"}"#, 400, "bad-request", "key"),
            (#"{"type":"follow","type":"follow"}"#, 400, "bad-request", "type"),
            (#"{"type":"history","chat":"x:y"}"#, 403, "forbidden", "chat"), ("[]", 400, "bad-request", nil),
            ("", 400, "bad-request", nil), (String(repeating: " ", count: 140_000), 413, "too-large", nil),
        ] as [(String, Int, String, String?)])
    func `a command that cannot be done is a problem document`(
        _ command: String, _ status: Int, _ code: String, _ field: String?
    ) throws {
        let answer = try caller(server.name("alice")).call("POST", "/v1/commands", text: command)
        #expect(answer.status == status, "\(answer.text)")
        #expect(answer.headers["content-type"] == "application/problem+json")
        let problem = try answer.json()
        #expect(problem["code"] == .string(code))
        if let field { #expect(problem["field"] == .string(field)) }
    }

    @Test func `a posted command that is refused is counted like one of a session`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        func refusals() throws -> Int64 { try #require(try admin.statistic("refusals_total")) }
        let caller = Admin(try HTTPPeer(port: server.port), token: try server.token("alice"))
        for command in [#"{"type":"dance"}"#, "[]", #"{"type":"history","chat":"x:y"}"#, #"{"type":"hello"}"#] {
            let before = try refusals()
            #expect(try caller.call("POST", "/v1/commands", text: command).status >= 400)
            #expect(try refusals() == before + 1, "\(command)")
        }
        let before = try refusals()
        #expect(try caller.call("POST", "/v1/commands", ["type": "ping"]).status == 200)
        #expect(try admin.call("PUT", "/v1/documents/chats/x", [:]).status == 403)
        #expect(try refusals() == before, "what is no command is none")
    }

    @Test func `without a token it is 401, with another method 405`() throws {
        let peer = try HTTPPeer(port: server.port)
        let answer = try peer.request("POST", "/v1/commands", body: Array(#"{"type":"ping"}"#.utf8))
        #expect(answer.status == 401)
        #expect(try answer.json()["code"] == "unauthenticated")
        let expired = Admin(peer, token: try server.token("alice", validMilliseconds: -1000))
        #expect(try expired.call("POST", "/v1/commands", ["type": "ping"]).json()["code"] == "token-expired")
        #expect(try peer.request("GET", "/v1/commands").headers["allow"] == "POST")
    }
}
