import Foundation
import JSON
import Server
import TestSupport
import Testing

/// The counts on connected devices, when notifications of followed topics are removed while others arrive.
struct UnreadOnDevicesTests {
    /// The counts of a device that connects now.
    private func truth(_ server: TestServer, _ user: String) throws -> JSONValue? {
        try server.connect().hello(token: server.token(user))["unread"]
    }

    /// The last counts of a device, after it has had time to receive everything.
    private func counts(of device: Device, awaiting truth: JSONValue?) throws -> JSONValue? {
        var last: JSONValue?
        for _ in 0..<400 {
            try device.settle()
            last = device.toldCounts
            if last == truth { break }
            Thread.pause(milliseconds: 50)
        }
        return last
    }

    @Test func `something replaced in one topic and something new in another leave the counts true`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        let user = server.name("alice")
        let devices = try (0..<3).map { try server.device(user, "d\($0)") }
        for topic in ["station:a", "station:b"] as [JSONValue] {
            try devices[0].ok(["type": "follow", "topic": topic])
        }
        for number in 0..<2000 {
            let headers = number == 0 ? [("Collapse", "c")] : []
            let topic = number % 2 == 0 ? "station:a" : "station:b"
            #expect(try admin.call("POST", "/v1/publish/\(topic)", text: "m", headers: headers).status == 202)
        }
        for round in 0..<10 {
            _ = try admin.call("POST", "/v1/publish/station:a", text: "r\(round)", headers: [("Collapse", "c")])
            for _ in 0..<3 { _ = try admin.call("POST", "/v1/publish/station:b", text: "m") }
            let truth = try truth(server, user)
            for device in devices { #expect(try counts(of: device, awaiting: truth) == truth, "round \(round)") }
        }
    }

    @Test func `a notification that replaces another one in a topic is not counted twice, even for a moment`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        let device = try server.device("alice")
        try device.ok(["type": "follow", "topic": "station:a"])
        for round in 0..<20 {
            _ = try admin.call("POST", "/v1/publish/station:a", text: "r\(round)", headers: [("Collapse", "c")])
        }
        try device.event("notification") { $0["title"] == "r19" }
        #expect(try counts(of: device, awaiting: truth(server, "alice")) == ["chats": 0, "notifications": 1])
        #expect(device.messages.filter { $0["type"] == "unread" }.count == 1)
    }

    @Test func `a broadcast taken back from many devices leaves their counts true`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        let users = (0..<60).map { "u\($0)" }
        let devices = try users.map { try server.device($0) }
        for round in 0..<5 {
            let sent = try admin.call("POST", "/v1/publish/everyone", text: "sent").json()
            let id = try #require(sent["id"]?.stringValue)
            let more = Thread { _ = try? server.admin().call("POST", "/v1/publish/everyone", text: "more") }
            more.start()
            #expect(try admin.call("DELETE", "/v1/broadcasts/\(id)").status == 200)
            while !more.isFinished { Thread.pause(milliseconds: 1) }
            for (user, device) in zip(users, devices) {
                let truth: JSONValue = ["chats": 0, "notifications": .integer(Int64(round + 1))]
                #expect(try counts(of: device, awaiting: truth) == truth, "\(user) in round \(round)")
            }
        }
        #expect(try truth(server, users[0]) == ["chats": 0, "notifications": 5])
    }

    @Test func `each device hears once of all notifications that expire together`() throws {
        let server = try TestServer { _ in }
        defer { server.application.stop() }
        let admin = try server.admin()
        let device = try server.device("alice")
        let stream = try EventStreamPeer(server, token: server.token("alice"))
        let expires = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 3))
        for _ in 0..<100 {
            let answer = try admin.call(
                "POST", "/v1/publish/everyone", text: "soon over", headers: [("Expires", expires)])
            #expect(answer.status == 202)
        }
        try device.event("unread") { $0["notifications"] == 100 }
        try device.event("unread") { $0["notifications"] == 0 }
        #expect(device.messages.count { $0["type"] == "notification.removed" } == 100)
        var last: JSONValue?
        while last?["notifications"] != 0 { last = try stream.event("unread").json() }
        let reads = try #require(try server.admin().statistic("counts_read_total"))
        #expect((1...4).contains(reads), "\(reads) for two devices")
    }
}

extension Device {
    /// The last counts that it received.
    var toldCounts: JSONValue? {
        for message in messages.reversed() {
            if message["type"] == "unread" {
                return ["chats": message["chats"] ?? .null, "notifications": message["notifications"] ?? .null]
            }
            if let unread = message["ok"]?["unread"], unread["chats"] != nil { return unread }
        }
        return nil
    }
}
