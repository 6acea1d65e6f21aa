import Foundation
import JSON
import Server
import TestSupport
import Testing

/// Blocks, restrictions and reports on real sockets and over HTTP.
struct ModerationTests {
    let server: TestServer
    let admin: Admin

    init() throws {
        server = try TestServer.shared.get()
        admin = try server.admin()
    }

    private func restrict(_ user: String, _ body: JSONValue) throws -> JSONValue {
        try admin.call("PUT", "/v1/users/\(user)/restrictions", body).json()
    }

    // MARK: Blocks

    @Test func `a block reaches one's own devices alone, hides presence at once, and stands on resume`() throws {
        let pair = try server.pair()
        let hello = try server.connect().hello(token: server.token(pair.bob), device: "away")
        let since: JSONValue = ["epoch": hello["epoch"] ?? .null, "seq": hello["seq"] ?? .null]
        #expect(
            try pair.alicePhone.ok(["type": "presence", "watch": [.string(pair.bob)]])["online"]
                == [.string(pair.bob)])
        #expect(
            try pair.bobLaptop.ok(["type": "presence", "watch": [.string(pair.alice)]])["online"]
                == [.string(pair.alice)])
        let ok = try pair.bobPhone.ok(["type": "block", "user": .string(pair.alice), "key": "b1"])
        for device in [pair.bobPhone, pair.bobLaptop] {
            let event = try device.event("blocked")
            #expect(event["user"] == .string(pair.alice) && event["key"] == "b1" && event["seq"] == ok["seq"])
        }
        #expect(try pair.alicePhone.event("unfollowed")["topic"] == .string("user:\(pair.bob)"))
        let presence = try pair.alicePhone.event("presence")
        #expect(presence["user"] == .string(pair.bob) && presence["online"] == false && presence["lastSeen"] == nil)
        #expect(try pair.bobLaptop.event("presence")["user"] == .string(pair.alice))
        #expect(try pair.alicePhone.ok(["type": "presence", "watch": [.string(pair.bob)]])["online"] == [])
        for device in pair.all { try device.settle() }
        #expect(!(pair.alicePhone.texts + pair.aliceLaptop.texts).contains { $0.contains("blocked") })
        let back = try server.connect()
        try back.hello(token: server.token(pair.bob), device: "away", since: since)
        try back.event("live")
        #expect(back.messages.filter { $0["type"] == "blocked" }.count == 1)
        #expect(try back.ok(["type": "blocks"])["users"] == [.string(pair.alice)])
        #expect(try pair.bobPhone.ok(["type": "block", "user": .string(pair.alice), "key": "b1"]) == ok)
        try back.ok(["type": "unblock", "user": .string(pair.alice)])
        #expect(try pair.bobPhone.event("unblocked")["user"] == .string(pair.alice))
    }

    @Test func `nothing is sent between the two, nor typed; each field that is wrong is named`() throws {
        let pair = try server.pair()
        try pair.bobPhone.ok(["type": "block", "user": .string(pair.alice)])
        let commands: [(JSONValue, JSONValue)] = [
            (["type": "send", "chat": .string(pair.chat), "text": "x", "key": "k1"], "chat"),
            (["type": "send", "to": .string(pair.bob), "text": "x", "key": "k2"], "to"),
            (["type": "recommend", "to": .string(pair.bob), "product": ["id": "movie/1"], "key": "k3"], "to"),
            (["type": "edit", "chat": .string(pair.chat), "n": 1, "text": "x"], "chat"),
            (["type": "react", "chat": .string(pair.chat), "n": 1, "emoji": "👍", "on": true], "chat"),
            (["type": "typing", "chat": .string(pair.chat), "on": true], "chat"),
            (["type": "follow", "topic": .string("user:\(pair.bob)")], "topic"),
        ]
        for (command, field) in commands {
            let error = try pair.alicePhone.refused(command)
            #expect(
                error["code"] == "blocked" && error["class"] == "permanent" && error["field"] == field, "\(command)")
        }
        try pair.alicePhone.ok(["type": "read", "chat": .string(pair.chat), "n": 1])
        #expect(try pair.bobPhone.refused(["type": "block", "user": .string(pair.bob)])["field"] == "user")
        #expect(try pair.bobPhone.refused(["type": "block", "user": "a b"])["field"] == "user")
        #expect(try pair.bobPhone.refused(["type": "unblock"])["field"] == "user")
    }

    // MARK: Restrictions

    @Test func `a ban ends all sessions with 4403 and refuses hello, stream and command, until it ends`() throws {
        let user = server.name("mallory")
        let devices = [try server.device(user, "phone"), try server.device(user, "laptop")]
        let until = Date(timeIntervalSinceNow: 3600).formatted(.iso8601)
        let answer = try restrict(user, ["kind": "ban", "until": .string(until), "reason": "threats"])
        #expect(answer["kind"] == "ban" && answer["by"] == "operator" && answer["seq"]?.integerValue != nil)
        for device in devices { #expect(try device.waitForEnd() == .close(code: 4403, reason: "banned")) }
        let error = try server.connect().refused(Device.helloCommand(token: server.token(user)))
        #expect(error["code"] == "forbidden" && error["message"]?.stringValue?.hasSuffix("threats") == true)
        let wait = try #require(error["retryAfterMs"]?.integerValue)
        #expect(wait > 3_500_000 && wait <= 3_600_000)
        let peer = try HTTPPeer(port: server.port)
        let bearer = [("Authorization", "Bearer \(try server.token(user))")]
        for (method, target) in [("POST", "/v1/commands"), ("GET", "/v1/events")] {
            let body = method == "POST" ? Array(#"{"type":"ping"}"#.utf8) : nil
            #expect(try peer.request(method, target, headers: bearer, body: body).status == 403)
        }
        let held = try admin.call("GET", "/v1/users/\(user)/restrictions").json()["restrictions"]?.arrayValue
        #expect(held?.count == 1 && held?.first?["reason"] == "threats")
        let ended = try admin.call("DELETE", "/v1/users/\(user)/restrictions?kind=ban").json()
        #expect(ended["ended"] == ["ban"])
        try server.device(user, "phone").settle()
    }

    @Test func `a restriction outlives the server, and one that is over holds no more`() throws {
        let folder = TemporaryFolder()
        let user = "mallory"
        do {
            let first = try TestServer(in: folder) { _ in }
            defer { first.application.stop() }
            let answer = try first.admin().call(
                "PUT", "/v1/users/\(user)/restrictions", ["kind": "ban", "reason": "threats"])
            #expect(answer.status == 200)
        }
        let second = try TestServer(in: folder) { _ in }
        defer { second.application.stop() }
        let error = try second.connect().refused(Device.helloCommand(token: second.token(user)))
        #expect(error["code"] == "forbidden" && error["retryAfterMs"] == nil)
        let soon = Date(timeIntervalSinceNow: 2).formatted(.iso8601)
        _ = try second.admin().call(
            "PUT", "/v1/users/\(user)/restrictions", ["kind": "ban", "until": .string(soon), "reason": "threats"])
        Thread.pause(milliseconds: 2100)
        try second.device(user, "phone").settle()
    }

    @Test func `bodies and users that are wrong are refused by name, and only administrators restrict`() throws {
        let target = "/v1/users/\(server.name("x"))/restrictions"
        for (body, field) in [
            (["reason": "r"], "kind"), (["kind": "jail", "reason": "r"], "kind"), (["kind": "ban"], "reason"),
            (["kind": "ban", "reason": ""], "reason"), (["kind": "ban", "reason": "r", "until": "soon"], "until"),
            (["kind": "ban", "reason": "r", "until": "2020-01-01T00:00:00Z"], "until"),
            (["kind": "ban", "reason": "r", "for": 3], "for"),
        ] as [(JSONValue, String)] {
            let answer = try admin.call("PUT", target, body)
            #expect(answer.status == 400, "\(body)")
            #expect(try answer.json()["field"] == .string(field), "\(body)")
        }
        #expect(try admin.call("GET", target).status == 404)
        #expect(try admin.call("POST", target, ["kind": "ban"]).status == 405)
        #expect(try admin.call("PUT", "/v1/users/a%20b/restrictions", ["kind": "ban", "reason": "r"]).status == 400)
        let user = Admin(try HTTPPeer(port: server.port), token: try server.token("alice"))
        for (method, target) in [
            ("PUT", target), ("GET", "/v1/reports"), ("POST", "/v1/reports/r1/decide"), ("PUT", "/v1/users/a/limits"),
        ] {
            #expect(try user.call(method, target, ["kind": "ban", "reason": "r"]).status == 403, "\(target)")
        }
    }

    @Test func `a person's own limits hold over all devices`() throws {
        let pair = try server.pair()
        let target = "/v1/users/\(pair.alice)/limits"
        #expect(try admin.call("PUT", target, ["send": "2/1h"]).status == 200)
        func send(_ device: Device, _ key: String) throws -> JSONValue {
            ["type": "send", "chat": .string(pair.chat), "text": "x", "key": .string(key)]
        }
        try pair.alicePhone.ok(send(pair.alicePhone, "l1"))
        try pair.aliceLaptop.ok(send(pair.aliceLaptop, "l2"))
        let error = try pair.aliceLaptop.refused(send(pair.aliceLaptop, "l3"))
        #expect(error["code"] == "rate-limited" && error["class"] == "limit")
        #expect((error["retryAfterMs"]?.integerValue ?? 0) > 1_700_000)
        #expect(try admin.call("PUT", target, ["send": "x"]).json()["field"] == "send")
        #expect(try admin.call("GET", target).json()["limits"] == ["send": "2/1h"])
        #expect(try admin.call("DELETE", target).status == 200)
        try pair.alicePhone.ok(send(pair.alicePhone, "l3"))
    }

    // MARK: Reports

    @Test func `a report, its copy, its decision, and the statements on every device`() throws {
        let pair = try server.pair()
        try pair.alicePhone.ok(["type": "send", "chat": .string(pair.chat), "text": "buy this", "key": "s"])
        let command: JSONValue = [
            "type": "report", "user": .string(pair.alice), "chat": .string(pair.chat), "n": 2, "category": "spam",
            "reason": "ads", "key": "r",
        ]
        let ok = try pair.bobPhone.ok(command)
        #expect(try pair.bobPhone.ok(command) == ok)
        let report = try #require(ok["report"]?.stringValue)
        for device in [pair.bobPhone, pair.bobLaptop] {
            let notice = try device.event("notification") { $0["kind"] == "moderation" }
            #expect(notice["data"]?["report"] == .string(report) && notice["level"] == "active")
        }
        let listed = try admin.call("GET", "/v1/reports?state=open&category=spam&user=\(pair.alice)").json()
        #expect(listed["reports"]?.arrayValue?.map { $0["report"] } == [.string(report)])
        let shown = try admin.call("GET", "/v1/reports/\(report)").json()
        #expect(shown["messages"]?.arrayValue?.map { $0["n"] } == [1, 2])
        let target = "/v1/reports/\(report)/decide"
        for (body, field) in [
            (["statement": "s"], "action"), (["action": "shoot", "statement": "s"], "action"),
            (["action": "warn"], "statement"),
            (["action": "warn", "statement": "s", "until": "2056-01-01T00:00:00Z"], "until"),
            (["action": "warn", "statement": "s", "note": 3], "note"),
            (["action": "warn", "statement": "s", "key": ""], "key"),
            (["action": "warn", "statement": "s", "why": ""], "why"),
        ] as [(JSONValue, String)] {
            #expect(try admin.call("POST", target, body).json()["field"] == .string(field), "\(body)")
        }
        let body: JSONValue = [
            "action": "delete", "statement": "rule 3", "note": "private", "key": .string(server.name("d")),
        ]
        let decided = try admin.call("POST", target, body).json()
        #expect(decided["reports"] == [.string(report)] && decided["action"] == "delete")
        #expect(try admin.call("POST", target, body).json() == decided)
        for device in [pair.alicePhone, pair.aliceLaptop] {
            #expect(try device.event("message.deleted")["reason"] == "moderated")
            let notice = try device.event("notification") { $0["kind"] == "moderation" }
            #expect(notice["body"] == "rule 3" && !notice.text.contains("private") && !notice.text.contains(pair.bob))
        }
        #expect(try admin.call("POST", target, ["action": "warn", "statement": "s"]).json()["code"] == "conflict")
        for (method, target, status) in [
            ("GET", "/v1/reports/x1", 404), ("GET", "/v1/reports?state=new", 400),
            ("GET", "/v1/reports?category=x", 400),
            ("DELETE", "/v1/reports/\(report)", 405), ("POST", "/v1/reports", 405), ("GET", target, 405),
            ("GET", "/v1/reports/\(report)/x", 404),
        ] {
            #expect(try admin.call(method, target).status == status, "\(method) \(target)")
        }
        let wrong = try pair.bobPhone.refused(["type": "report", "user": .string(pair.alice), "n": 2])
        #expect(wrong["code"] == "bad-request" && wrong["field"] == "chat")
    }
}
