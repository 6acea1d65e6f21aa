import Configuration
import Foundation
import JSON
import Model
import Telemetry
import TestSupport
import Testing

/// The effect of levels and quiet hours on pushes, in a running server.
@Suite(.enabled(if: ProviderFake.isInstalled && TestAuthority.made != nil && Certificates.made != nil))
struct PushLevelsTests {
    @Test func `a critical notification goes to the phone at once, although the laptop shows it`() throws {
        let world = try PushWorld(hold: 20_000, configure: { $0.push.apnsSettings.allowsCritical = true })
        try world.register("alice")
        let laptop = try world.server.device("alice", "laptop")
        try laptop.ok(["type": "focus", "on": true])
        let began = Date().timeIntervalSince1970
        try world.notify("user:alice", "Fire", with: ["level": "critical"])
        let request = try #require(world.wait(1).first)
        #expect(request.at - began < 1)
        #expect(request.status == 200)
        #expect(request.header("apns-priority") == "10")
        #expect(request.json["aps"]?["interruption-level"] == "critical")
        #expect(request.json["aps"]?["sound"] == ["critical": 1, "name": "default", "volume": 1])
    }

    @Test func `a topic's notification that a passive one replaces is taken back from its followers' phones`() throws {
        let world = try PushWorld()
        let users = ["alice", "bob"]
        for user in users {
            try world.register(user)
            let session = try world.server.device(user, "laptop")
            try session.ok(["type": "follow", "topic": "person:525"])
            session.peer.socket.close()
        }
        try world.notify("person:525", "Live now", with: ["collapse": "live"])
        let shown = try world.wait(2)
        try world.settle()
        try world.notify("person:525", "It is over", with: ["collapse": "live", "level": "passive"])
        let requests = try world.wait(4)
        let tag = try #require(shown[0].header("apns-collapse-id"))
        for request in requests[2...] {
            #expect(request.header("apns-push-type") == "background")
            #expect(request.json["aps"] == ["content-available": 1])
            #expect(request.json["ww"]?["gone"] == [.string(tag)])
        }
        #expect(Set(requests[2...].map(\.path)) == Set(shown.map(\.path)))
    }

    @Test func `a message in quiet hours is pushed when they end, also over a restart`() throws {
        let clock = MovedClock()
        let world = try PushWorld(configure: { $0.clock = WallClock { clock.now } })
        let chat = try world.openChat()
        try world.register("bob")
        let bob = try world.server.device("bob", "laptop")
        func time(_ milliseconds: Int64) -> JSONValue {
            JSONValue.string(String(clock.now.adding(milliseconds: milliseconds).text.dropFirst(11).prefix(5)))
        }
        let quiet: JSONValue = ["from": time(-3_600_000), "to": time(1_800_000)]
        try bob.ok(["type": "preferences", "set": ["quietHours": quiet]])
        bob.peer.socket.close()
        let alice = try world.server.device("alice", "laptop")
        try alice.ok(["type": "send", "chat": .string(chat), "text": "Good night", "key": "1"])
        try world.wait("the decision") { try world.answers() == ["quiet-hours"] }
        #expect(try world.requests(of: world.apns).isEmpty)
        try world.restart { clock.move(milliseconds: 2_400_000) }
        let request = try #require(world.wait(1).first)
        #expect(request.json["aps"]?["alert"] == ["title": "alice", "body": "Good night"])
    }
}
