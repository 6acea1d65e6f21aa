import Foundation
import JSON
import Model
import Server
import TestSupport
import Testing

/// `POST /v1/publish/TOPIC`: a text and a few header fields become a notification.
struct PublishTests {
    let server: TestServer
    let admin: Admin

    init() throws {
        server = try TestServer.shared.get()
        admin = try server.admin()
    }

    @Test func `a text reaches the followers of its topic, its first line as the title`() throws {
        let topic = "product:tv/\(server.name("p"))"
        let device = try server.device(server.name("alice"))
        try device.ok(["type": "follow", "topic": .string(topic)])
        let stranger = try server.device(server.name("bob"))
        let form = ("Content-Type", "application/x-www-form-urlencoded")
        let answer = try admin.call("POST", "/v1/publish/\(topic)", text: "a=b&c — ciò\n", headers: [form])
        #expect(answer.status == 202, "\(answer.text)")
        let body = try answer.json()
        #expect(body["audience"] == .string(topic))
        #expect(body["size"] == 1)
        #expect(body["id"]?.stringValue != nil)
        let event = try device.event("notification")
        #expect(event["seq"] == body["seq"])
        #expect(event["title"] == "a=b&c — ciò")
        #expect(event["body"] == "")
        #expect(event["level"] == "active")
        try stranger.settle()
        #expect(stranger.durable.isEmpty)
        let encoded = topic.replacingOccurrences(of: "/", with: "%2F")
        let letter = "Back at ten \r\n\r\nWe change a disk.\nTwo minutes."
        #expect(try admin.call("POST", "/v1/publish/\(encoded)", text: letter).json()["audience"] == .string(topic))
        let second = try device.event("notification")
        #expect(second["title"] == "Back at ten")
        #expect(second["body"] == "We change a disk.\nTwo minutes.")
        let long = String(repeating: "word ", count: 60) + "end"
        _ = try admin.call("POST", "/v1/publish/\(topic)", text: long)
        let third = try device.event("notification")
        #expect(third["title"]?.stringValue?.count == Limits.titleCharactersMax)
        #expect(third["title"]?.stringValue?.hasSuffix("…") == true)
        #expect(third["body"] == .string(long))
    }

    @Test func `a title of encoded words is shown as what it means, and a mark before the body is no part of it`()
        throws
    {
        let user = server.name("alice")
        let device = try server.device(user)
        for title in ["=?UTF-8?B?S3Jha8OzdyDwn46s?=", "=?utf-8?q?Krak=C3=B3w_=F0=9F=8E=AC?=", "Kraków 🎬"] {
            let answer = try admin.call(
                "POST", "/v1/publish/user:\(user)", text: "\u{feff}Back at ten", headers: [("Title", title)])
            #expect(answer.status == 202, "\(answer.text)")
            let event = try device.event("notification")
            #expect(event["title"] == "Kraków 🎬" && event["body"] == "Back at ten")
        }
    }

    @Test(arguments: ["   ", "\u{200b}", "\u{a0}\u{3000}", "=?UTF-8?Q?=20=0A?="])
    func `a title that shows nothing is refused at every door, and a text of a chat as well`(_ blank: String) throws {
        let user = server.name("alice")
        let title = blank.hasPrefix("=?") ? " \n" : blank
        let calls: [(String, JSONValue)] = [
            ("/v1/broadcasts", ["audience": "everyone", "title": .string(title)]),
            ("/v1/broadcasts", ["audience": "everyone", "title": ["en": "x", "it": .string(title)]]),
            ("/v1/broadcasts", ["audience": "everyone", "title": "x", "body": .string(title)]),
            ("/v1/push/test", ["user": .string(user), "title": .string(title)]),
        ]
        for (path, body) in calls {
            let refused = try admin.call("POST", path, body)
            #expect(refused.status == 400 && refused.text.contains("must show something"), "\(refused.text)")
        }
        if blank.hasPrefix("=?") {
            let encoded = try admin.call("POST", "/v1/publish/user:\(user)", text: "x", headers: [("Title", blank)])
            #expect(encoded.status == 400 && encoded.text.contains("Title must show something"), "\(encoded.text)")
        }
        #expect(try admin.call("POST", "/v1/publish/user:\(user)", text: "\u{200b}").status == 400)
        let device = try server.device(user)
        let other = server.name("bob")
        _ = try server.device(other)
        let error = try device.refused(["type": "send", "to": .string(other), "text": .string(title), "key": "m"])
        #expect(error["code"] == "bad-request" && error["field"] == "text")
    }

    @Test func `a title is one line without characters that steer a terminal or turn its direction`() throws {
        let user = server.name("alice")
        let device = try server.device(user)
        let title = "one\ntwo\u{0}\u{1b}[31m\u{202e}gpj.exe"
        for title in [JSONValue.string(title), ["en": .string(title)]] {
            let answer = try admin.call(
                "POST", "/v1/broadcasts", ["audience": .string("user:\(user)"), "title": title])
            #expect(answer.status == 202, "\(answer.text)")
            #expect(try device.event("notification")["title"] == "one two[31mgpj.exe")
        }
    }

    @Test func `the header fields are the options`() throws {
        let user = server.name("alice")
        let device = try server.device(user)
        let answer = try admin.call(
            "POST", "/v1/publish/user:\(user)", text: "Back at ten",
            headers: [
                ("Title", "Maintenance"), ("level", "time-sensitive"), ("Collapse", "m"),
                ("Expires", "2099-01-01T00:00:00Z"),
            ])
        #expect(answer.status == 202)
        let event = try device.event("notification")
        #expect(event["title"] == "Maintenance")
        #expect(event["level"] == "time-sensitive")
        #expect(event["collapse"] == "m")
        #expect(event["expires"] == "2099-01-01T00:00:00.000Z")
        let late = try admin.call(
            "POST", "/v1/publish/user:\(user)", text: "Back at ten", headers: [("Expires", "2026-01-01T00:00:00Z")])
        #expect(late.status == 400)
        #expect(try late.json()["field"] == "Expires")
    }

    @Test func `everyone is an audience, and a key makes a repetition harmless`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        let device = try server.device("alice")
        let key = ("Idempotency-Key", "once")
        let first = try admin.call("POST", "/v1/publish/everyone", text: "hello", headers: [key])
        let again = try admin.call("POST", "/v1/publish/everyone", text: "hello", headers: [key])
        #expect(first.status == 202)
        #expect(again.body == first.body)
        let other = try admin.call("POST", "/v1/publish/everyone", text: "other", headers: [key])
        #expect(other.status == 422)
        try device.event("notification")
        try device.settle()
        #expect(device.durable.count == 1)
    }

    @Test(arguments: [
        ("nobody", "x", "Title: T", "topic"), ("Person:1", "x", "Title: T", "topic"),
        ("person:1", "", "Title: T", "body"), ("person:1", " \n", "Title: T", "body"),
        ("person:1", String(repeating: "x", count: 1001), "Title: T", "body"),
        ("person:1", "x", "Title: ", "Title"), ("person:1", "x", "Level: loud", "Level"),
        ("person:1", "x", "Expires: tomorrow", "Expires"), ("person:1", "x", "Collapse: ", "Collapse"),
        ("person:1", "x", "Idempotency-Key: a b", "Idempotency-Key"),
    ])
    func `an error names the member as the request names it`(
        _ topic: String, _ text: String, _ header: String, _ field: String
    ) throws {
        let parts = header.split(separator: ":", maxSplits: 1).map(String.init)
        let value = String(parts[1].dropFirst())
        let answer = try admin.call("POST", "/v1/publish/\(topic)", text: text, headers: [(parts[0], value)])
        #expect(answer.status == 400)
        let problem = try answer.json()
        #expect(problem["field"] == .string(field), "\(answer.text)")
        #expect(problem["message"]?.stringValue?.hasPrefix(field + " must be ") == true, "\(answer.text)")
    }

    @Test func `only administrators publish, by POST and in UTF-8`() throws {
        let peer = try HTTPPeer(port: server.port)
        #expect(try peer.request("POST", "/v1/publish/everyone", body: [0x78]).status == 401)
        let user = Admin(peer, token: try server.token("alice"))
        #expect(try user.call("POST", "/v1/publish/everyone", text: "x").status == 403)
        #expect(try admin.call("GET", "/v1/publish/everyone").headers["allow"] == "POST")
        let token = try server.token("operator", isAdmin: true)
        let answer = try peer.request(
            "POST", "/v1/publish/everyone", headers: [("Authorization", "Bearer \(token)")], body: [0x78, 0xFF])
        #expect(answer.status == 400)
        #expect(try answer.json()["field"] == "body")
        #expect(try admin.call("POST", "/v1/publish", text: "x").status == 404)
        #expect(try admin.call("POST", "/v1/publish/user:\(server.name("nobody"))", text: "x").status == 404)
    }
}
