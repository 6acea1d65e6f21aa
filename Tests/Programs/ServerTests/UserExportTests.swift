import Configuration
import Foundation
import JSON
import Server
import TestSupport
import Testing

/// `GET /v1/users/ID/export`: everything about one person, and nothing of what others keep from that person.
struct UserExportTests {
    /// The lines of an export.
    private struct Export {
        let answer: HTTPPeer.Answer
        let lines: [JSONValue]

        init(_ admin: Admin, _ user: String, query: String = "") throws {
            answer = try admin.call("GET", "/v1/users/\(user)/export\(query)")
            lines = try answer.body.split(separator: UInt8(ascii: "\n")).map {
                try JSONValue(parsing: Array($0), depthMax: 24)
            }
        }

        func all(_ kind: String) -> [JSONValue] { lines.filter { $0["kind"]?.stringValue == kind } }
        func one(_ kind: String) throws -> JSONValue { try #require(all(kind).first, "\(kind)") }
    }

    /// A person with rows of every kind.
    private static func live(on server: TestServer) throws -> Pair {
        let pair = try server.pair()
        let (phone, admin) = (pair.alicePhone, try server.admin())
        func put(_ path: String, _ body: JSONValue) throws {
            let answer = try admin.call("PUT", path, body)
            #expect(answer.status == 200, "\(answer.text)")
        }
        try phone.ok(["type": "send", "chat": .string(pair.chat), "text": "of alice", "key": "m1"])
        try pair.bobPhone.ok(["type": "send", "chat": .string(pair.chat), "text": "of bob", "key": "m2"])
        try phone.ok(["type": "react", "chat": .string(pair.chat), "n": 3, "emoji": "👍", "on": true])
        try phone.ok(["type": "read", "chat": .string(pair.chat), "n": 3])
        try phone.ok(["type": "preferences", "set": ["locale": "it", "timeZone": "Europe/Rome"]])
        try phone.ok(["type": "follow", "topic": "person:525"])
        try pair.bobPhone.ok(["type": "follow", "topic": .string("user:\(pair.alice)")])
        try phone.ok(["type": "block", "user": "mallory-of-export"])
        try phone.ok([
            "type": "device", "platform": "webpush",
            "subscription": [
                "endpoint": .string("https://push.example/\(pair.alice)"), "expirationTime": .null,
                "keys": [
                    "p256dh": "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
                    "auth": "tBHItJI5svbpez7KI4CCXg",
                ],
            ],
        ])
        let reporter = try server.device("reporter-of-export")
        try reporter.ok(["type": "report", "user": .string(pair.alice), "reason": "secret words of the reporter"])
        try reporter.ok(["type": "block", "user": .string(pair.alice)])
        let report = try phone.ok([
            "type": "report", "user": .string(pair.bob), "chat": .string(pair.chat), "n": 3, "reason": "mine",
        ])
        _ = report
        try put("/v1/users/\(pair.alice)/restrictions", ["kind": "mute", "reason": "words for alice"])
        try put("/v1/users/\(pair.alice)/limits", ["send": "5/1s"])
        try put("/v1/documents/users/\(pair.alice)/tasks/1", ["title": "task of alice"])
        let notice: JSONValue = ["audience": .string("user:\(pair.alice)"), "title": "for alice", "body": "x"]
        #expect(try admin.call("POST", "/v1/broadcasts", notice).status == 202)
        let away: JSONValue = ["audience": "person:525", "title": "archived by alice"]
        #expect(try admin.call("POST", "/v1/broadcasts", away).status == 202)
        let id = try phone.event("notification") { $0["title"] == "archived by alice" }["id"]
        try phone.ok(["type": "archive", "ids": [id ?? .null]])
        return pair
    }

    @Test func `an export has every kind of row, equals what commands show, and ends with the number of its lines`()
        throws
    {
        let server = try TestServer { $0.push.contact = "mailto:admin@example.org" }
        defer { server.application.stop() }
        let pair = try Self.live(on: server)
        let admin = try server.admin()
        let export = try Export(admin, pair.alice)
        #expect(export.answer.status == 200)
        #expect(export.answer.headers["content-type"] == "application/x-ndjson")
        let header = try #require(export.lines.first)
        #expect(header["kind"] == "header" && header["format"] == "watchwise-export/1")
        #expect(header["user"] == .string(pair.alice) && header["seq"]?.integerValue ?? 0 > 0)
        #expect(header["at"]?.stringValue?.count == 24)
        #expect(export.lines.last == ["kind": "end", "lines": .integer(Int64(export.lines.count))])
        let kinds = Set(export.lines.compactMap { $0["kind"]?.stringValue })
        for kind in [
            "profile", "preferences", "device", "follow", "followed", "chat", "message", "reaction", "notification",
            "read",
            "document", "block", "report", "restriction", "key", "archived",
        ] { #expect(kinds.contains(kind), "\(kind)") }

        let shown = try pair.alicePhone.ok(["type": "history", "chat": .string(pair.chat), "limit": 200])
        let messages = export.all("message").map { Self.without(["kind"], $0) }
        #expect(messages == shown["messages"]?.arrayValue ?? [])
        let list = try pair.alicePhone.ok(["type": "chats"])["chats"]?.arrayValue ?? []
        #expect(export.all("chat").map { Self.without(["kind"], $0) } == list.map { Self.without(["last"], $0) })
        let inbox = try pair.alicePhone.ok(["type": "notifications"])["notifications"]?.arrayValue ?? []
        #expect(inbox.count > 0)
        #expect(
            export.all("notification").map { Self.without(["kind", "type"], $0) }
                == inbox.map { Self.without(["kind"], $0) })
        #expect(export.all("notification").map { $0["type"] } == inbox.map { $0["kind"] })
        #expect(
            Self.without(["kind"], try export.one("preferences")) == (try pair.alicePhone.ok(["type": "preferences"])))
        #expect(try export.one("profile")["limits"] == ["send": "5/1s"])
        #expect(try export.one("profile")["user"] == .string(pair.alice))
        #expect(try export.one("device")["target"] == .string("https://push.example/\(pair.alice)"))
        #expect(
            Set(export.all("follow").compactMap { $0["topic"]?.stringValue })
                == ["person:525", "user:\(pair.bob)"])
        #expect(export.all("followed").map { $0["by"] } == [.string(pair.bob)])
        let archived = try export.one("archived")
        #expect(archived["topic"] == "person:525" && archived["notification"]?.stringValue?.hasPrefix("n") == true)
        #expect(export.all("archived").count == 1)
        #expect(export.all("block").map { $0["user"] } == ["mallory-of-export"])
        let reaction = try export.one("reaction")
        #expect(reaction["n"] == 3 && reaction["emoji"] == "👍" && reaction["chat"] == .string(pair.chat))
        #expect(try export.one("read")["n"] == 3)
        let restriction = try export.one("restriction")
        #expect(restriction["restriction"] == "mute" && restriction["reason"] == "words for alice")
        let own: JSONValue = .string("users/\(pair.alice)/tasks/1")
        let document = try #require(export.all("document").first { $0["path"] == own })
        #expect(document["data"] == ["title": "task of alice"])
        #expect(export.all("report").contains { $0["reason"] == "mine" && $0["messages"]?.arrayValue?.count == 3 })
        #expect(export.all("key").contains { $0["key"] == "m1" && $0["reply"]?["n"] == 2 })
        for secret in ["reporter-of-export", "secret words", "operator"] {
            #expect(!export.answer.text.contains(secret), "\(secret)")
        }
        let row = try admin.call("GET", "/v1/audit?action=user.export&target=users/\(pair.alice)&limit=1").json()
        #expect(row["audit"]?.arrayValue?.first?["outcome"] == "ok")
    }

    private static func without(_ names: [String], _ value: JSONValue) -> JSONValue {
        guard var object = value.objectValue else { return value }
        for name in names { object[name] = .none }
        return .object(object)
    }

    @Test func `the texts of others can be left out`() throws {
        let server = try TestServer { $0.push.contact = "mailto:admin@example.org" }
        defer { server.application.stop() }
        let pair = try Self.live(on: server)
        let admin = try server.admin()
        let export = try Export(admin, pair.alice, query: "?others=omit")
        #expect(export.answer.text.contains("of alice") && !export.answer.text.contains("of bob"))
        let other = try #require(export.all("message").first { $0["from"] == .string(pair.bob) })
        #expect(other["text"] == nil && other["n"] == 3)
        let wrong = try admin.call("GET", "/v1/users/\(pair.alice)/export?others=all")
        #expect(wrong.status == 400)
        #expect(try wrong.json()["field"] == "others")
    }

    @Test func `an export needs the scope admin data, an unknown user is not found, and each request has its row`()
        throws
    {
        let server = try TestServer.shared.get()
        let admin = try server.admin()
        let missing = try admin.call("GET", "/v1/users/nobody-of-export/export")
        #expect(missing.status == 404)
        #expect(try missing.json()["code"] == "not-found")
        let row = try admin.call("GET", "/v1/audit?action=user.export&target=users/nobody-of-export").json()
        #expect(row["audit"]?.arrayValue?.map { $0["outcome"] } == ["not-found"])
        #expect(try admin.call("GET", "/v1/users/no%20user/export").json()["field"] == "user")
        let user = Admin(try HTTPPeer(port: server.port), token: try server.token("alice"))
        #expect(try user.call("GET", "/v1/users/alice/export").status == 403)
        #expect(try Admin(HTTPPeer(port: server.port), token: nil).call("GET", "/v1/users/alice/export").status == 401)
        #expect(try admin.call("HEAD", "/v1/users/alice/export").status == 405)
    }

    @Test func `a long export is of one moment, and shows each message once`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let pair = try server.pair()
        for portion in 0..<6 {
            let ids = try (0..<200).map { number in
                try pair.alicePhone.post([
                    "type": "send", "chat": .string(pair.chat), "text": .string("message \(number)"),
                    "key": .string("k\(portion).\(number)"),
                ])
            }
            for id in ids { #expect(try pair.alicePhone.reply(to: id)["ok"] != nil) }
        }
        let writer = BackgroundWriter(to: pair.chat, as: pair.bob, on: server)
        let export = try Export(server.admin(), pair.alice)
        _ = try writer.stop()
        let seq = try #require(export.lines.first?["seq"]?.integerValue)
        let messages = export.all("message")
        #expect(messages.map { $0["n"]?.integerValue } == (1...Int64(messages.count)).map { $0 })
        #expect(messages.allSatisfy { $0["seq"]?.integerValue ?? .max <= seq })
        #expect(messages.count >= 1201)
        #expect(export.all("key").count == 1201)
        #expect(export.lines.last?["lines"]?.integerValue == Int64(export.lines.count))
    }
}
