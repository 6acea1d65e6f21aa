import Configuration
import JSON
import Model
import Server
import Telemetry
import TestSupport
import Testing

/// Mutes, quiet hours, digests and snoozes, on real connections with a clock of the test.
struct InterruptingTests {
    private let clock = MovedClock()
    private let folder = TemporaryFolder()
    private let server: TestServer

    init() throws { server = try Self.start(folder, clock) }

    private static func start(_ folder: TemporaryFolder, _ clock: MovedClock) throws -> TestServer {
        try TestServer(in: folder) { $0.clock = WallClock { clock.now } }
    }

    private func device(_ name: String, on server: TestServer? = nil, since: JSONValue? = nil) throws -> Device {
        let server = server ?? self.server
        let device = try server.connect()
        try device.hello(token: server.token(name, validMilliseconds: 7 * 86_400_000), since: since)
        try device.event("live")
        return device
    }

    private func broadcast(_ audience: String, _ title: String, on server: TestServer? = nil) throws {
        let server = server ?? self.server
        let token = try server.token("operator", isAdmin: true, validMilliseconds: 7 * 86_400_000)
        let admin = Admin(try HTTPPeer(port: server.port), token: token)
        let body: JSONValue = [
            "audience": .string(audience), "title": ["en": .string(title), "it": .string("i" + title)],
        ]
        #expect(try admin.call("POST", "/v1/broadcasts", body).status == 202)
    }

    /// A window of quiet hours around now, two hours long or a little more.
    private var quietAroundNow: JSONValue {
        func time(_ milliseconds: Int64) -> JSONValue {
            .string(String(clock.now.adding(milliseconds: milliseconds).text.dropFirst(11).prefix(5)))
        }
        return ["from": time(-3_600_000), "to": time(3_600_000)]
    }

    @Test
    func `a notification is silent for users who muted its topic, and loud for others; live, listed and resumed alike`()
        throws
    {
        defer { server.application.stop() }
        let names = ["muted", "loud", "italian"]
        let devices = try names.map { try device($0) } + [try device("muted")]
        let epoch = try devices[0].hello(token: server.token("muted", validMilliseconds: 86_400_000))["epoch"] ?? .null
        for device in devices.dropLast() { try device.ok(["type": "follow", "topic": "person:1"]) }
        let mute: JSONValue = ["type": "preferences", "set": ["mute": ["topics": ["person:1": true]]]]
        let before = try #require(devices[0].ok(["type": "preferences"])["mute"])
        #expect(before == [:])
        try devices[0].ok(mute)
        try devices[2].ok(mute)
        try devices[2].ok(["type": "preferences", "set": ["locale": "it"]])
        try broadcast("person:1", "one")
        let events = try devices.map { try $0.event("notification") }
        #expect(events.map { $0["alert"] } == [false, nil, false, false])
        #expect(events.map { $0["reason"] } == ["muted", nil, "muted", "muted"])
        #expect(events.map { $0["title"] } == ["one", "one", "ione", "one"])
        #expect(events[3] == events[0])
        let metrics = try HTTPPeer(port: server.port).request("GET", "/metrics")
        #expect(metrics.text.contains(#"watchwise_silenced_total{reason="muted"} 3"#))
        let listed = try devices[0].ok(["type": "notifications"])["notifications"]?.arrayValue?.first
        #expect(listed?["reason"] == "muted")
        try devices[0].ok(["type": "preferences", "set": ["mute": nil]])
        try broadcast("person:1", "two")
        try devices[0].event("notification") { $0["title"] == "two" }
        let resumed = try device("muted", since: ["epoch": epoch, "seq": 0])
        let live = zip(devices[0].texts, devices[0].messages).filter { $0.1["type"] == "notification" }.map(\.0)
        let again = zip(resumed.texts, resumed.messages).filter { $0.1["type"] == "notification" }.map(\.0)
        #expect(again == live)
        #expect(live.count == 2)
    }

    @Test func `every device gets one summary when quiet hours end, even over a restart`() throws {
        let phone = try device("alice")
        let laptop = try device("alice")
        try phone.ok(["type": "preferences", "set": ["quietHours": quietAroundNow]])
        #expect(try laptop.event("preferences")["preferences"]?["quietHours"] == quietAroundNow)
        for number in 1...3 { try broadcast("user:alice", "n\(number)") }
        for device in [phone, laptop] {
            #expect(try device.event("notification") { $0["title"] == "n3" }["reason"] == "quiet-hours")
        }
        let seq = try #require(phone.seqs.last)
        let epoch = try phone.hello(token: server.token("alice", validMilliseconds: 86_400_000))["epoch"] ?? .null
        server.application.stop()
        clock.move(milliseconds: 2 * 3_600_000)
        let restarted = try Self.start(folder, clock)
        defer { restarted.application.stop() }
        let devices = try (0..<2).map { _ in
            try device("alice", on: restarted, since: ["epoch": epoch, "seq": .integer(seq)])
        }
        for device in devices {
            let summary = try device.event("notification")
            #expect(summary["title"] == "3 notifications while you were away")
            #expect(summary["kind"] == "digest")
            #expect(summary["alert"] == nil)
        }
        try broadcast("user:alice", "after", on: restarted)
        for device in devices {
            #expect(try device.event("notification")["title"] == "after", "it is told once")
            #expect(try device.event("unread") { $0["notifications"] == 5 }["chats"] == 0)
        }
    }

    @Test func `a notification that is snoozed on one device goes from the other, and comes back on both`() throws {
        defer { server.application.stop() }
        let phone = try device("alice")
        let laptop = try device("alice")
        try broadcast("user:alice", "later")
        let id = try phone.event("notification")["id"] ?? .null
        let until = JSONValue.string(clock.now.adding(milliseconds: 3_600_000).text)
        #expect(try phone.ok(["type": "snooze", "ids": [id], "until": until])["unread"] == 0)
        let removed = try laptop.event("notification.removed")
        #expect(removed["reason"] == "snoozed")
        #expect(removed["id"] == id)
        try laptop.event("unread") { $0["notifications"] == 0 }
        #expect(
            try phone.refused(["type": "snooze", "ids": [id], "until": "2020-01-01T00:00:00Z"])["field"] == "until")
        clock.move(milliseconds: 3_600_000)
        for device in [phone, laptop] {
            let back = try device.event("notification") { $0["id"] != id }
            #expect(back["title"] == "later")
            #expect(try device.event("unread") { $0["notifications"] == 1 }["chats"] == 0)
        }
        #expect(try phone.ok(["type": "notifications"])["notifications"]?.arrayValue?.count == 1)
    }

    @Test func `the application sets preferences over HTTP, and devices hear of it`() throws {
        let server = try TestServer.shared.get()
        defer { self.server.application.stop() }
        let name = server.name("alice")
        let phone = try server.device(name)
        let admin = try server.admin()
        let path = "/v1/users/\(name)/preferences"
        let put = try admin.call("PUT", path, ["timeZone": "Europe/Rome", "levels": ["time-sensitive"]])
        #expect(put.status == 200)
        #expect(try phone.event("preferences")["preferences"] == (try put.json()))
        let patch = try admin.call("PATCH", path, ["levels": nil, "presence": "nobody"])
        #expect(try patch.json()["presence"] == "nobody")
        #expect(try admin.call("GET", path).json() == (try patch.json()))
        #expect(try phone.ok(["type": "preferences"]) == (try patch.json()))
        #expect(try admin.call("PUT", path, ["levels": 7]).json()["field"] == "levels")
        #expect(try admin.call("DELETE", path).status == 405)
        #expect(try admin.call("GET", "/v1/users/nobody.at.all/preferences").status == 404)
        let mine = Admin(try HTTPPeer(port: server.port), token: try server.token(name))
        #expect(try mine.call("GET", path).status == 403)
    }
}
