import Authentication
import Configuration
import Foundation
import JSON
import Model
import Server
import Telemetry
import TestSupport
import Testing

/// Broadcasts over real sockets: to those who are online, at a time, listed, shown and cancelled.
@Suite struct BroadcastCallsTests {
    private let clock = MovedClock()

    private func start(_ folder: TemporaryFolder = TemporaryFolder()) throws -> TestServer {
        let clock = clock
        return try TestServer(in: folder) { $0.clock = WallClock { clock.now } }
    }

    /// The clock moves, so tokens last for a week.
    private func admin(_ server: TestServer) throws -> Admin {
        let token = try server.token("operator", isAdmin: true, validMilliseconds: 7 * 86_400_000)
        return Admin(try HTTPPeer(port: server.port), token: token)
    }

    private func device(
        _ server: TestServer, _ name: String, _ device: String = "phone", locale: String? = nil, since: JSONValue? = nil
    ) throws -> Device {
        let session = try server.connect()
        let token = try server.token(name, validMilliseconds: 7 * 86_400_000)
        var hello = Device.helloCommand(token: token, device: device, since: since)
        if let locale { hello["locale"] = .string(locale) }
        try session.ok(hello)
        try session.event("live")
        return session
    }

    private func time(inMilliseconds span: Int64) -> JSONValue { .string(clock.now.adding(milliseconds: span).text) }

    private func send(_ admin: Admin, _ more: JSONObject) throws -> JSONValue {
        var body: JSONObject = ["audience": "everyone", "title": "Hello"]
        for (name, value) in more.members { body[name] = value }
        let answer = try admin.call("POST", "/v1/broadcasts", .object(body))
        #expect(answer.status == 202, "\(answer.text)")
        return try answer.json()
    }

    private func show(_ admin: Admin, _ id: String) throws -> JSONValue {
        try admin.call("GET", "/v1/broadcasts/\(id)").json()
    }

    /// The broadcast when it is in a state; waits for it.
    private func wait(_ admin: Admin, _ id: String, _ state: String) throws -> JSONValue {
        for _ in 1...100 {
            let now = try show(admin, id)
            if now["state"] == .string(state) { return now }
            Thread.pause(milliseconds: 50)
        }
        let last = try show(admin, id)
        Issue.record("not \(state): \(last.text)")
        return last
    }

    @Test func `all sessions that are open get one to those online, in their language, and nobody gets it later`()
        throws
    {
        let folder = TemporaryFolder()
        var server = try start(folder)
        var admin = try self.admin(server)
        let (phone, laptop) = (try device(server, "alice", "phone"), try device(server, "alice", "laptop"))
        let italian = try device(server, "bob", locale: "it")
        try italian.ok(["type": "preferences", "set": ["mute": ["kinds": ["broadcast": true]]]])
        let sent = try send(
            admin,
            [
                "audience": "online", "title": ["en": "Back at ten", "it": "Torniamo alle dieci"],
                "expires": time(inMilliseconds: 600_000), "data": ["page": "news"],
            ])
        #expect(sent["audience"] == "online")
        for device in [phone, laptop] {
            let event = try device.event("notification")
            #expect(event["seq"] == nil && event["id"] == "b1" && event["topic"] == "online")
            #expect(event["title"] == "Back at ten" && event["data"] == ["page": "news"] && event["alert"] == nil)
        }
        let muted = try italian.event("notification")
        #expect(muted["title"] == "Torniamo alle dieci" && muted["alert"] == false && muted["reason"] == "muted")
        #expect(try phone.ok(["type": "notifications"])["notifications"] == [])
        #expect(try phone.ok(["type": "notifications"])["unread"] == 0)
        let shown = try wait(admin, "1", "sent")
        #expect(shown["delivered"] == 3)
        #expect(try admin.call("DELETE", "/v1/broadcasts/1").json() == ["id": "1", "cancelled": true])
        let removed = try phone.event("notification.removed")
        #expect(removed["id"] == "b1" && removed["reason"] == "retracted" && removed["seq"] == nil)
        // Another device of the same person, and a resume, have nothing of it.
        let third = try device(server, "alice", "tablet")
        try third.settle()
        #expect(third.durable.isEmpty)
        server.application.stop()
        server = try start(folder)
        defer { server.application.stop() }
        admin = try self.admin(server)
        #expect(try show(admin, "1")["state"] == "cancelled")
        let after = try device(server, "alice", "phone")
        try after.settle()
        #expect(after.durable.isEmpty)
    }

    @Test func `a waiting broadcast is sent after a restart, once, to the users of that time`() throws {
        let folder = TemporaryFolder()
        var server = try start(folder)
        var admin = try self.admin(server)
        _ = try device(server, "alice", "phone")
        let body: JSONValue = [
            "audience": "everyone", "title": "Later", "at": time(inMilliseconds: 3_600_000),
        ]
        let key = [("Idempotency-Key", "k1")]
        let first = try admin.call("POST", "/v1/broadcasts", body, headers: key)
        #expect(try first.json()["state"] == "scheduled" && first.json()["at"] == body["at"])
        #expect(try show(admin, "1")["state"] == "scheduled")
        server.application.stop()
        clock.move(milliseconds: 1_800_000)
        server = try start(folder)
        admin = try self.admin(server)
        #expect(try admin.call("POST", "/v1/broadcasts", body, headers: key).text == first.text)
        let bob = try device(server, "bob", "phone")
        try bob.settle()
        #expect(bob.durable.isEmpty)
        server.application.stop()
        clock.move(milliseconds: 1_801_000)
        server = try start(folder)
        defer { server.application.stop() }
        admin = try self.admin(server)
        let sent = try wait(admin, "1", "sent")
        #expect(sent["size"] == 2 && sent["progress"]?["total"] == 2 && sent["progress"]?["done"] == 2)
        for name in ["alice", "bob"] {
            let device = try self.device(server, name, "laptop")
            let list = try device.ok(["type": "notifications"])
            #expect(list["notifications"]?.arrayValue?.map { $0["title"] } == ["Later"] && list["unread"] == 1)
        }
        Thread.pause(milliseconds: 1200)
        let device = try self.device(server, "alice", "phone")
        #expect(try device.ok(["type": "notifications"])["unread"] == 1)
    }

    @Test func `by each person's clock it comes live zone by zone, and cancelled in the middle no further`() throws {
        let server = try start()
        defer { server.application.stop() }
        let admin = try self.admin(server)
        let zones = [("asahi", "Asia/Tokyo"), ("carla", "America/New_York")]
        let devices = try zones.map { name, zone in
            let device = try self.device(server, name, "phone")
            try device.ok(["type": "preferences", "set": ["timeZone": .string(zone)]])
            return device
        }
        // Tokyo has no other offset than this one.
        let wall = String(clock.now.adding(milliseconds: 9 * 3_600_000 + 60_000).text.dropLast())
        let sent = try send(admin, ["at": .string(wall)])
        #expect(sent["at"] == .string(wall))
        try devices[0].settle()
        #expect(devices[0].durable.filter { $0["type"] == "notification" }.isEmpty)
        clock.move(milliseconds: 61_000)
        #expect(try devices[0].event("notification")["title"] == "Hello")
        let shown = try wait(admin, "1", "sending")
        #expect(shown["progress"]?["done"] == 1 && shown["next"] != nil)
        #expect(try admin.call("GET", "/v1/broadcasts?state=sending").json()["broadcasts"]?.arrayValue?.count == 1)
        _ = try admin.call("DELETE", "/v1/broadcasts/1")
        #expect(try devices[0].event("notification.removed")["reason"] == "retracted")
        clock.move(milliseconds: 24 * 3_600_000)
        Thread.pause(milliseconds: 1500)
        try devices[1].settle()
        #expect(devices[1].durable.filter { $0["type"] == "notification" }.isEmpty)
        #expect(try show(admin, "1")["state"] == "cancelled")
    }

    @Test func `the list has pages and states, and says what is wrong with a question`() throws {
        let server = try start()
        defer { server.application.stop() }
        let admin = try self.admin(server)
        for number in 1...3 { _ = try send(admin, ["title": .string("T\(number)")]) }
        _ = try send(admin, ["title": "Later", "at": time(inMilliseconds: 60_000)])
        let first = try admin.call("GET", "/v1/broadcasts?limit=3").json()
        #expect(first["broadcasts"]?.arrayValue?.map { $0["id"] } == ["4", "3", "2"])
        let rest = try admin.call("GET", "/v1/broadcasts?limit=3&before=\(first["next"]?.stringValue ?? "")").json()
        #expect(rest["broadcasts"]?.arrayValue?.map { $0["title"] } == ["T1"] && rest["next"] == nil)
        let waiting = try admin.call("GET", "/v1/broadcasts?state=scheduled").json()
        #expect(waiting["broadcasts"]?.arrayValue?.map { $0["title"] } == ["Later"])
        for (query, field) in [("state=gone", "state"), ("before=x", "before"), ("limit=0", "limit")] {
            let refused = try admin.call("GET", "/v1/broadcasts?\(query)")
            #expect(refused.status == 400)
            #expect(try refused.json()["field"] == .string(field), "\(query)")
        }
    }

    @Test func `dry runs write nothing, and an audience of nobody has the size 0`() throws {
        let server = try start()
        defer { server.application.stop() }
        let admin = try self.admin(server)
        let online: JSONObject = ["audience": "online", "expires": time(inMilliseconds: 60_000), "dryRun": true]
        let nobody = try send(admin, online)
        #expect(nobody["dryRun"] == true && nobody["audience"] == "online" && nobody["size"] == 0)
        #expect(nobody["reach"]?["people"] == 0 && nobody["languages"] == [] && nobody["next"] == nil)
        let phone = try device(server, "alice", "phone")
        // The loop that is asked hears of sessions of the other a moment later.
        for _ in 1...100 where try send(admin, online)["size"] == 0 { Thread.pause(milliseconds: 20) }
        #expect(try send(admin, online)["size"] == 1)
        #expect(try send(admin, ["audience": "person:1", "dryRun": true])["size"] == 0)
        #expect(try admin.call("GET", "/v1/broadcasts").json() == ["broadcasts": []])
        try phone.settle()
    }

    @Test func `with the scope for reading they are shown, and with that for publishing sent and cancelled`() throws {
        let server = try start()
        defer { server.application.stop() }
        func caller(_ scope: String) throws -> Admin {
            let now = WallClock.system.now()
            let claims = Claims(
                subject: try #require(UserID("op")), scopes: [scope], expiresAt: now.adding(milliseconds: 600_000))
            let token = JSONWebToken.sign(claims, issuedAt: now, with: server.application.secret)
            return Admin(try HTTPPeer(port: server.port), token: token)
        }
        let body: JSONValue = ["audience": "everyone", "title": "T"]
        let (reader, publisher) = (try caller("admin:read"), try caller("admin:publish"))
        #expect(try publisher.call("POST", "/v1/broadcasts", body).status == 202)
        #expect(try reader.call("GET", "/v1/broadcasts").status == 200)
        #expect(try reader.call("GET", "/v1/broadcasts/1").status == 200)
        for (admin, method, path) in [
            (reader, "POST", ""), (reader, "DELETE", "/1"), (publisher, "GET", ""), (publisher, "GET", "/1"),
        ] {
            let refused = try admin.call(method, "/v1/broadcasts" + path, method == "POST" ? body : nil)
            #expect(refused.status == 403, "\(method) \(path)")
        }
        #expect(try publisher.call("DELETE", "/v1/broadcasts/1").status == 200)
    }
}
