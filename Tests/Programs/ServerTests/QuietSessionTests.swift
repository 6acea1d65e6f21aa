import Configuration
import Foundation
import JSON
import Model
import Server
import TestSupport
import Testing

/// A device without new events has everything: its resume succeeds although the log was trimmed meanwhile.
struct QuietSessionTests {
    /// A server that trims its log soon, with an entry for only one user.
    private func trimming() throws -> TestServer {
        try TestServer {
            $0.retention.log = 1500
            $0.heartbeatMilliseconds = 1000
        }
    }

    /// Lets others write until the log begins after a position.
    private func trim(_ server: TestServer, past position: Int64, _ eachTime: () throws -> Void) throws {
        let admin = try server.admin()
        while try admin.statistic("log_retained_from") ?? 0 <= position {
            let answer = try admin.call("POST", "/v1/publish/station:nobody-follows", text: "x")
            #expect(answer.status == 202)
            try eachTime()
        }
    }

    @Test func `a quiet device goes on where it stopped although the log was trimmed`() throws {
        let server = try trimming()
        defer { server.application.stop() }
        let quiet = try server.connect()
        let hello = try quiet.hello(token: server.token("quiet"), device: "q")
        let live = try #require(try quiet.event("live")["seq"]?.integerValue)
        var heard = live
        try trim(server, past: live + 1) { heard = try quiet.event("beat")["seq"]?.integerValue ?? heard }
        heard = try quiet.event("beat")["seq"]?.integerValue ?? heard
        #expect(quiet.durable.isEmpty)
        quiet.peer.socket.close()
        let back = try server.connect()
        try back.hello(
            token: server.token("quiet"), device: "q",
            since: ["epoch": hello["epoch"] ?? .null, "seq": .integer(heard)])
        try back.event("live")
        #expect(back.messages.allSatisfy { $0["type"] != "reset" })
        #expect(back.durable.isEmpty)
    }

    @Test func `a stream of Server-Sent Events says where it is with each beat`() throws {
        let server = try trimming()
        defer { server.application.stop() }
        let pair = try server.pair()
        let stream = try EventStreamPeer(server, token: server.token("quiet"))
        let live = try #require(try stream.event("live").json()["seq"]?.integerValue)
        try pair.alicePhone.ok(["type": "send", "chat": .string(pair.chat), "text": "x", "key": "t"])
        let head = try server.admin().head()
        #expect(head > live)
        var beat = try stream.event("beat")
        while try beat.json()["seq"]?.integerValue ?? 0 < head { beat = try stream.event("beat") }
        #expect(beat.id?.hasSuffix(".\(head)") == true)
    }

    @Test func `a client that always writes hears beats, too`() throws {
        let server = try trimming()
        defer { server.application.stop() }
        let device = try server.device("chatty")
        let end = Date(timeIntervalSinceNow: 3.5)
        while Date() < end {
            try device.settle()
            Thread.pause(milliseconds: 100)
        }
        #expect((1...2).contains(device.messages.count { $0["type"] == "beat" }))
        #expect(device.pings == 0)
    }
}
