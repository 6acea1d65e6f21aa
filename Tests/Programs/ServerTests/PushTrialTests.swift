import Configuration
import Foundation
import JSON
import Model
import TestSupport
import Testing

/// `POST /v1/push/test`: a server, real sockets, and the fakes of the push services.
@Suite(.enabled(if: ProviderFake.isInstalled && TestAuthority.made != nil && Certificates.made != nil))
struct PushTrialTests {
    private func test(_ world: PushWorld, _ body: JSONValue = ["user": "alice", "title": "Does this arrive?"]) throws
        -> HTTPPeer.Answer
    {
        try world.server.admin().call("POST", "/v1/push/test", body)
    }

    private func rows(_ answer: HTTPPeer.Answer) throws -> [JSONValue] {
        guard answer.status == 200 else { throw TCPSocket.Failure(description: answer.text) }
        return try answer.json()["devices"]?.arrayValue ?? []
    }

    @Test func `every device gets the text at once, and the answer says what its service said`() throws {
        let world = try PushWorld(hold: 20_000, also: ["fcm", "webpush"])
        try world.register("alice")
        try world.register("alice", "tablet", ["type": "device", "platform": "fcm", "token": "token-1"])
        let subscription = try world.subscription("/201/alice")
        try world.register(
            "alice", "browser", ["type": "device", "platform": "webpush", "subscription": subscription])
        try world.register("bob", "phone", token: "000001")
        // Somebody looks at another device, and quiet hours are on: a test asks for neither.
        let laptop = try world.server.device("alice", "laptop")
        try laptop.ok(["type": "focus", "on": true])
        try laptop.ok(["type": "preferences", "set": ["quietHours": ["from": "00:00", "to": "23:59"]]])
        let answer = try test(world, ["user": "alice", "title": "Test", "body": "Hello", "level": "time-sensitive"])
        let rows = try rows(answer)
        #expect(try answer.json()["user"] == "alice")
        #expect(Set(rows.map { $0["platform"]?.stringValue }) == ["apns", "fcm", "webpush"])
        for row in rows {
            #expect(row["state"] == "sent", "\(row.text)")
            #expect(row["milliseconds"]?.integerValue.map { $0 < 5_000 } == true)
            #expect(row["id"]?.stringValue.flatMap { Int64($0) } != nil)
        }
        let apns = try #require(rows.first { $0["platform"] == "apns" })
        #expect(apns["device"] == "phone" && apns["status"] == 200)
        #expect(apns["answer"]?.stringValue?.hasPrefix("200, apns-id ") == true)
        let sent = try world.requests(of: world.apns)
        #expect(sent.count == 1)
        #expect(sent[0].json["aps"]?["alert"] == ["title": "Test", "body": "Hello"])
        #expect(sent[0].json["aps"]?["interruption-level"] == "time-sensitive")
        #expect(sent[0].json["ww"]?["kind"] == "push-test")
        let web = try #require(world.requests(of: world.web).first)
        #expect(web.json["notification"]?["title"] == "Test")
        #expect(try world.requests(of: world.fcm).count == 1)
        #expect(try world.server.admin().call("GET", "/v1/push/jobs").json()["jobs"] == [])
        #expect(try laptop.ok(["type": "notifications"])["notifications"] == [])
        try world.wait("the note of the answer") { try world.devices(of: "alice").allSatisfy { $0["lastPush"] != nil } }
    }

    @Test func `a device that is gone is removed, and the others are sent`() throws {
        let world = try PushWorld()
        try world.register("alice", "old", token: "e41002")
        try world.register("alice", "new")
        let rows = try rows(test(world))
        let old = try #require(rows.first { $0["device"] == "old" })
        #expect(old["state"] == "dropped" && old["status"] == 410)
        #expect(old["answer"]?.stringValue?.hasPrefix("410 Unregistered") == true)
        #expect(rows.first { $0["device"] == "new" }?["state"] == "sent")
        try world.wait("the removal") { try world.devices(of: "alice").count == 1 }
        #expect(try world.devices(of: "alice")[0]["device"] == "new")
    }

    @Test func `an unknown token is tried in Apple's other environment before the answer`() throws {
        let world = try PushWorld()
        try world.register("alice", token: "e40002")
        let rows = try rows(test(world))
        #expect(rows.first?["state"] == "dropped", "\(rows)")
        #expect(try world.requests(of: world.apns).count == 2)
    }

    @Test func `a service in trouble says so, no failure counts, and nothing is sent again`() throws {
        let world = try PushWorld()
        try world.register("alice", token: "e50301")
        let row = try #require(rows(test(world)).first)
        #expect(row["state"] == "again" && row["status"] == 503, "\(row.text)")
        Thread.pause(milliseconds: 6_500)
        #expect(try world.requests(of: world.apns).count == 1)
        #expect(try world.devices(of: "alice")[0]["failures"] == 0)
    }

    @Test func `a refused key is the answer, and after it that the service waits`() throws {
        let world = try PushWorld()
        try world.register("alice", token: "e40304")
        #expect(try rows(test(world)).first?["status"] == 403)
        let row = try #require(rows(test(world)).first)
        #expect(row["state"] == "waits" && row["milliseconds"] == nil, "\(row.text)")
        #expect(row["answer"]?.stringValue?.hasPrefix("the key is refused: 403") == true)
        #expect(try world.requests(of: world.apns).count == 1)
    }

    @Test func `a platform that is off says so`() throws {
        var isOff = false
        let world = try PushWorld(also: ["fcm"]) { configuration in
            if isOff { configuration.push.fcmSettings.serviceAccountPath = nil }
            if isOff { configuration.push.fcmSettings.url = nil }
        }
        try world.register("alice", "phone", ["type": "device", "platform": "fcm", "token": "token-1"])
        try world.restart { isOff = true }
        let row = try #require(rows(test(world)).first)
        #expect(row["state"] == "dropped" && row["answer"] == "the server is not configured for fcm")
    }

    @Test func `a user without devices has none in the answer, an unknown user is refused`() throws {
        let world = try PushWorld()
        try world.server.device("alice").peer.socket.close()
        #expect(try test(world).json() == ["user": "alice", "devices": []])
        let unknown = try test(world, ["user": "nobody", "title": "x"])
        #expect(unknown.status == 404)
        #expect(try unknown.json()["field"] == "user")
    }

    @Test func `few tests run at once, and a silent service ends none of them later than it may`() throws {
        let world = try PushWorld()
        try world.register("alice", token: "f00006")
        let token = try world.server.token("operator", isAdmin: true)
        let body = "{\"user\":\"alice\",\"title\":\"x\"}"
        let head = "POST /v1/push/test HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n"
        let peers = try (0..<5).map { _ in try HTTPPeer(port: world.server.port) }
        let began = Date()
        for peer in peers {
            try peer.socket.send(Array("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8))
        }
        for peer in peers { peer.socket.patienceMilliseconds = 30_000 }
        let answers = try peers.map { try $0.answer() }
        #expect(Date().timeIntervalSince(began) < 26)
        #expect(answers.map(\.status).sorted() == [200, 200, 200, 200, 429])
        let states = try answers.filter { $0.status == 200 }.flatMap { try rows($0) }.map { $0["state"]?.stringValue }
        #expect(states.count == 4 && !states.contains(nil))
    }
}
