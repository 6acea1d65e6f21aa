import Configuration
import Foundation
import JSON
import Model
import Server
import TestSupport
import Testing

/// The bounds on connections, and the user or address that each counts for.
struct PeerLimitTests {
    @Test func `a user with the largest number of sessions is refused until one ends`() throws {
        let server = try TestServer { $0.connectionsPerUser = 2 }
        defer { server.application.stop() }
        let first = try server.device("alice", "a")
        let second = try server.device("alice", "b")
        let third = try server.connect()
        let hello = Device.helloCommand(token: try server.token("alice"), device: "c")
        let error = try third.refused(hello)
        #expect(error["code"] == "too-many")
        #expect(error["class"] == "limit")
        #expect((error["retryAfterMs"]?.integerValue ?? 0) > 0)
        #expect(try third.refused(["type": "ping"])["code"] == "unauthenticated")
        // Another user, and a user with a renewed token, are let in.
        _ = try server.device("bob")
        try second.hello(token: server.token("alice"), device: "b")
        let events = try HTTPPeer(port: server.port)
        let answer = try events.request(
            "GET", "/v1/events", headers: [("Authorization", "Bearer \(server.token("alice"))")])
        #expect(answer.status == 429)
        #expect(answer.headers["retry-after"] != nil)
        first.peer.socket.close()
        for _ in 0..<1000 {
            if try third.reply(to: third.post(hello))["ok"] != nil { break }
            Thread.pause(milliseconds: 20)
        }
        try third.ok(["type": "ping"])
        #expect(try #require(try server.admin().statistic("refused_user_total")) >= 2)
    }

    @Test func `an address with the largest number of connections is answered 429 at once`() throws {
        let server = try TestServer {
            $0.connectionsPerAddress = 3
            $0.trustedProxies = AddressRanges(["none"]) ?? .loopback
        }
        defer { server.application.stop() }
        let device = try server.device("alice")
        let second = try HTTPPeer(port: server.port)
        #expect(try second.request("GET", "/healthz").status == 200)
        let third = try HTTPPeer(port: server.port)
        #expect(try third.request("GET", "/healthz").status == 200)
        let fourth = try HTTPPeer(port: server.port)
        let answer = try fourth.answer()
        #expect(answer.status == 429)
        #expect(try answer.json()["code"] == "too-many")
        #expect(try fourth.isEnded())
        try device.ok(["type": "ping"])
        third.socket.close()
        var status = 429
        for _ in 0..<1000 where status != 200 {
            Thread.pause(milliseconds: 20)
            status = (try? HTTPPeer(port: server.port).request("GET", "/healthz").status) ?? 429
        }
        #expect(status == 200)
    }
}
