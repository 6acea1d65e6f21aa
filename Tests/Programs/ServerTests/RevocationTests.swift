import Authentication
import JSON
import Model
import Server
import Telemetry
import TestSupport
import Testing

/// Revocation and kick: they end sessions at once, later tokens are refused, and both outlive the server.
struct RevocationTests {
    let server: TestServer
    let admin: Admin

    init() throws {
        server = try TestServer.shared.get()
        admin = try server.admin()
    }

    private func token(_ user: String, jti: String, on other: TestServer? = nil) throws -> String {
        try (other ?? server).token(user, jti: jti)
    }

    private func revoke(_ body: JSONValue, headers: [(String, String)] = []) throws -> JSONValue {
        let answer = try admin.call("POST", "/v1/revocations", body, headers: headers)
        guard answer.status == 200 else { throw TCPSocket.Failure(description: answer.text) }
        return try answer.json()
    }

    @Test func `a revoked token ends its sessions at once with 4401, and no others`() throws {
        let (user, jti) = (server.name("alice"), server.name("jti"))
        let first = try server.connect()
        try first.hello(token: token(user, jti: jti), device: "phone")
        let second = try server.connect()
        try second.hello(token: token(user, jti: jti), device: "laptop")
        let other = try server.connect()
        try other.hello(token: token(user, jti: server.name("jti")), device: "watch")
        let answer = try revoke(["jti": .string(jti), "reason": "lost phone"])
        #expect(answer["jti"] == .string(jti))
        #expect(answer["by"] == "operator")
        #expect(answer["reason"] == "lost phone")
        #expect((answer["seq"]?.integerValue ?? 0) > 0)
        for device in [first, second] {
            #expect(try device.waitForEnd() == .close(code: 4401, reason: "token revoked"))
        }
        try other.settle()
    }

    @Test func `a revoked token opens nothing any more`() throws {
        let (user, jti) = (server.name("alice"), server.name("jti"))
        let token = try token(user, jti: jti)
        let early = try server.connect(headers: [("Authorization", "Bearer \(token)")])
        _ = try revoke(["jti": .string(jti)])
        let device = try server.connect()
        let error = try device.refused(Device.helloCommand(token: token))
        #expect(error["code"] == "token-revoked")
        #expect(error["class"] == "auth")
        #expect(error["field"] == "token")
        // The upgrade came before the revocation, the hello after it.
        #expect(try early.refused(["type": "hello"])["code"] == "token-revoked")
        try device.hello(token: server.token(user))
        // An open session cannot be renewed with it either.
        #expect(try device.refused(Device.helloCommand(token: token))["code"] == "token-revoked")
        let peer = try HTTPPeer(port: server.port)
        let bearer = [("Authorization", "Bearer \(token)")]
        for (method, target) in [("POST", "/v1/commands"), ("GET", "/v1/events"), ("GET", "/v1/stats")] {
            let answer = try peer.request(
                method, target, headers: bearer, body: method == "POST" ? Array(#"{"type":"ping"}"#.utf8) : nil)
            #expect(answer.status == 401)
            #expect(try answer.json()["code"] == "token-revoked")
        }
        try peer.socket.send(WebSocketPeer.upgrade("/v1/ws", bearer))
        #expect(try peer.answer().status == 401)
    }

    @Test func `a stream of events ends with bye when its token is revoked or its user kicked`() throws {
        let (alice, bob) = (server.name("alice"), server.name("bob"))
        let jti = server.name("jti")
        let streams = try [(alice, jti), (bob, server.name("jti"))].map { user, jti in
            let stream = try EventStreamPeer(server, token: token(user, jti: jti))
            _ = try stream.event("live")
            return stream
        }
        _ = try revoke(["jti": .string(jti)])
        let bye = try streams[0].event("bye").json()
        #expect(bye["code"] == 4401)
        #expect(bye["reason"] == "token revoked")
        #expect(try admin.call("POST", "/v1/users/\(bob)/kick", ["reason": "spam"]).status == 200)
        let kicked = try streams[1].event("bye").json()
        #expect(kicked["code"] == 4403)
        #expect(kicked["reason"] == "spam")
        for stream in streams { #expect(try stream.next() == nil) }
    }

    @Test func `a whole token may be shown instead of its name, and tells how long to remember it`() throws {
        let (user, jti) = (server.name("alice"), server.name("jti"))
        let token = try token(user, jti: jti)
        let answer = try revoke(["token": .string(token)])
        #expect(answer["jti"] == .string(jti))
        let until = try #require(answer["until"]?.stringValue.flatMap(Timestamp.init))
        #expect(until < WallClock.system.now().adding(milliseconds: 3_700_000))
        // Again, although it is revoked already.
        #expect(try revoke(["token": .string(token)])["id"] == answer["id"])
        let nameless = try admin.call("POST", "/v1/revocations", ["token": .string(try server.token(user))])
        #expect(nameless.status == 400)
        #expect(try nameless.json()["field"] == "token")
    }

    @Test func `all tokens of a user up to now are revoked, later ones are good, others are not touched`() throws {
        let (user, other) = (server.name("alice"), server.name("bob"))
        let device = try server.device(user)
        let stranger = try server.device(other)
        let answer = try revoke(["user": .string(user)])
        #expect(answer["user"] == .string(user))
        #expect(answer["before"]?.stringValue != nil)
        #expect(try device.waitForEnd() == .close(code: 4401, reason: "token revoked"))
        try stranger.settle()
        let again = try server.connect()
        let early = try server.token(user, issuedMillisecondsAgo: 60_000)
        #expect(try again.refused(Device.helloCommand(token: early))["code"] == "token-revoked")
        try again.hello(token: server.token(user, issuedMillisecondsAgo: -5_000))
    }

    @Test func `a lifted revocation lets the token in again, and is no more in the list`() throws {
        let (user, jti) = (server.name("alice"), server.name("jti"))
        let id = try #require(try revoke(["jti": .string(jti)])["id"]?.stringValue)
        let listed = try admin.call("GET", "/v1/revocations?limit=200").json()["revocations"]?.arrayValue ?? []
        #expect(listed.first { $0["id"] == .string(id) }?["jti"] == .string(jti))
        let lifted = try admin.call("DELETE", "/v1/revocations/\(id)")
        #expect(lifted.status == 200)
        #expect(try lifted.json()["lifted"] == true)
        try server.connect().hello(token: token(user, jti: jti))
        let page = try admin.call("GET", "/v1/revocations?limit=200").json()["revocations"]?.arrayValue ?? []
        #expect(!page.contains { $0["id"] == .string(id) })
        #expect(try admin.call("DELETE", "/v1/revocations/\(id)").status == 404)
    }

    @Test func `a kick ends every session of the user with 4403, and a good token comes back`() throws {
        let user = server.name("mallory")
        let devices = try ["phone", "laptop"].map { try server.device(user, $0) }
        let bystander = try server.device(server.name("bob"))
        let answer = try admin.call("POST", "/v1/users/\(user)/kick", ["reason": "spam"])
        #expect(answer.status == 200, "\(answer.text)")
        for device in devices { #expect(try device.waitForEnd() == .close(code: 4403, reason: "spam")) }
        try bystander.settle()
        try server.device(user).settle()
    }

    @Test func `a kick that revokes shuts out the tokens that the user has`() throws {
        let user = server.name("mallory")
        let device = try server.device(user)
        let token = try server.token(user, issuedMillisecondsAgo: 10_000)
        let answer = try admin.call("POST", "/v1/users/\(user)/kick", ["revoke": true]).json()
        #expect(answer["revocation"]?.stringValue != nil)
        #expect(try device.waitForEnd() == .close(code: 4403, reason: "kicked"))
        #expect(
            try server.connect().refused(Device.helloCommand(token: token))["code"] == "token-revoked")
    }

    @Test func `a repetition with its key does nothing more, another content under it is refused`() throws {
        let user = server.name("mallory")
        _ = try server.device(user)
        let key = [("Idempotency-Key", server.name("k"))]
        let first = try admin.call("POST", "/v1/users/\(user)/kick", headers: key).json()
        let back = try server.device(user)
        #expect(try admin.call("POST", "/v1/users/\(user)/kick", headers: key).json() == first)
        try back.settle()
        let other = try admin.call("POST", "/v1/users/\(user)/kick", ["revoke": true], headers: key)
        #expect(try other.json()["code"] == "key-reused")
        let jti = JSONValue.string(server.name("jti"))
        let revocation = [("Idempotency-Key", server.name("k"))]
        #expect(
            try revoke(["jti": jti], headers: revocation)["seq"] == revoke(["jti": jti], headers: revocation)["seq"])
    }

    @Test(
        arguments: [
            ([:], "jti"), (["jti": ""], "jti"), (["jti": 7], "jti"), (["jti": "a", "user": "bob"], "jti"),
            (["user": "no user"], "user"), (["jti": "a", "until": "soon"], "until"), (["token": "a.b.c"], "token"),
            (["jti": "a", "until": "2001-01-01T00:00:00Z"], "until"),
            (["jti": "a", "before": "2026-01-01T00:00:00Z"], "before"),
            (["jti": "a", "until": "2126-01-01T00:00:00Z"], "until"), (["jti": "a", "until": 7], "until"),
            (["jti": "a", "reason": ""], "reason"), (["jti": "a", "why": "x"], "why"),
        ] as [(JSONValue, String)])
    func `a bad revocation names the field`(body: JSONValue, field: String) throws {
        let answer = try admin.call("POST", "/v1/revocations", body)
        #expect([400, 401].contains(answer.status))
        #expect(try answer.json()["field"] == .string(field), "\(answer.text)")
    }

    @Test func `only an admin may, and only where there is somebody`() throws {
        let user = server.name("alice")
        let plain = Admin(try HTTPPeer(port: server.port), token: try server.token(user))
        #expect(try plain.call("POST", "/v1/revocations", ["jti": "x"]).status == 403)
        #expect(try plain.call("GET", "/v1/revocations").status == 403)
        #expect(try plain.call("POST", "/v1/users/\(user)/kick").status == 403)
        #expect(try admin.call("POST", "/v1/users/\(server.name("nobody"))/kick").status == 404)
        #expect(try admin.call("PUT", "/v1/revocations").status == 405)
        #expect(try admin.call("GET", "/v1/users/\(user)/kick").status == 405)
        #expect(try admin.call("POST", "/v1/users/a%20b/kick").status == 400)
    }

    @Test func `a revoked token stays revoked over a restart of the server`() throws {
        let folder = TemporaryFolder()
        let first = try TestServer(in: folder) { _ in }
        let jti = "k-1"
        let good = try first.token("alice", jti: jti)
        try first.device("alice").settle()
        #expect(try first.admin().call("POST", "/v1/revocations", ["jti": .string(jti)]).status == 200)
        first.application.stop()
        let second = try TestServer(in: folder) { _ in }
        defer { second.application.stop() }
        #expect(try second.admin().statistic("revocations") == 1)
        #expect(try second.connect().refused(Device.helloCommand(token: good))["code"] == "token-revoked")
    }
}
