import Configuration
import Execution
import Foundation
import JSON
import Model
import TestSupport
import Testing

/// Pushes from the commit to the push service: a server, real sockets, and the fakes of the services.
@Suite(.enabled(if: ProviderFake.isInstalled && TestAuthority.made != nil && Certificates.made != nil))
struct PushThreadTests {
    @Test func `a notification goes at once to the phone of somebody who is not connected`() throws {
        let world = try PushWorld(hold: 20_000)
        try world.register("alice")
        let began = Date().timeIntervalSince1970
        try world.notify("user:alice", "Oppenheimer", with: ["body": "Now in cinemas", "data": ["id": 872_585]])
        let request = try #require(world.wait(1).first)
        #expect(request.at - began < 1)
        #expect(request.status == 200)
        #expect(request.header("apns-topic") == PushWorld.topic)
        #expect(request.header("apns-push-type") == "alert")
        #expect(request.header("apns-priority") == "10")
        let collapse = try #require(request.header("apns-collapse-id"))
        #expect(collapse.utf8.count == 32)
        let aps = request.json["aps"]
        #expect(aps?["alert"] == ["title": "Oppenheimer", "body": "Now in cinemas"])
        #expect(aps?["badge"] == 1)
        #expect(aps?["interruption-level"] == "active")
        let envelope = request.json["ww"]
        #expect(envelope?["tag"] == .string(collapse))
        #expect(envelope?["data"] == ["id": 872_585])
        #expect(envelope?["topic"] == "user:alice")
        try world.settle()
        #expect(try world.requests(of: world.apns).count == 1)
        #expect(try world.devices(of: "alice")[0]["lastPush"]?.stringValue != nil)
    }

    @Test func `a notification that somebody sees during the hold is not pushed`() throws {
        let world = try PushWorld(hold: 700)
        try world.register("alice")
        let laptop = try world.server.device("alice", "laptop")
        try world.notify("user:alice", "Seen")
        let seq = try #require(try laptop.event("notification")["seq"])
        try laptop.ok(["type": "ack", "seq": seq])
        try world.settle()
        #expect(try world.requests(of: world.apns).isEmpty)
        #expect(try world.answers() == ["on-screen"])
    }

    @Test func `a user who is connected and does not look gets a push after the hold`() throws {
        let world = try PushWorld(hold: 700)
        try world.register("alice")
        let laptop = try world.server.device("alice", "laptop")
        try laptop.ok(["type": "focus", "on": false])
        let began = Date().timeIntervalSince1970
        try world.notify("user:alice", "Unseen")
        let seq = try #require(try laptop.event("notification")["seq"])
        try laptop.ok(["type": "ack", "seq": seq])
        let request = try #require(world.wait(1).first)
        #expect(request.at - began >= 0.6)
    }

    @Test func `a message goes to the others of its chat, and not to its author`() throws {
        let world = try PushWorld()
        let chat = try world.openChat()
        try world.register("alice")
        try world.register("bob")
        let alice = try world.server.device("alice", "laptop")
        try alice.ok(["type": "send", "chat": .string(chat), "text": "Are you there?", "key": "1"])
        let request = try #require(world.wait(1).first)
        #expect(request.json["aps"]?["alert"] == ["title": "alice", "body": "Are you there?"])
        #expect(request.json["aps"]?["thread-id"] == .string(chat))
        #expect(request.json["ww"]?["n"] == 2)
        try world.settle()
        #expect(try world.requests(of: world.apns).count == 1)
    }

    @Test func `a banned user gets no push that waited or comes later, and no burst afterwards`() throws {
        let world = try PushWorld(hold: 1_500)
        let chat = try world.openChat()
        try world.register("bob")
        let laptop = try world.server.device("bob", "laptop")
        try laptop.ok(["type": "focus", "on": false])
        let alice = try world.server.device("alice", "laptop")
        func send(_ text: String) throws {
            try alice.ok(["type": "send", "chat": .string(chat), "text": .string(text), "key": .string(text)])
        }
        try send("waits-for-the-hold")
        let admin = try world.server.admin()
        let restrictions = "/v1/users/bob/restrictions"
        #expect(try admin.call("PUT", restrictions, ["kind": "ban", "reason": "left"]).status == 200)
        try send("comes-during-the-ban")
        try world.notify("user:bob", "Also")
        try world.notify("everyone", "To all")
        try world.settle()
        #expect(try world.requests(of: world.apns).isEmpty)
        #expect(try world.answers() == ["banned"])
        #expect(try admin.call("GET", "/metrics").text.contains("watchwise_push_skipped_total{reason=\"banned\"}"))
        #expect(try admin.call("DELETE", restrictions).status == 200)
        try send("after-the-ban")
        let request = try #require(world.wait(1).first)
        #expect(request.json["aps"]?["alert"] == ["title": "alice", "body": "after-the-ban"])
        try world.settle()
        #expect(try world.requests(of: world.apns).count == 1)
    }

    @Test func `a message names its author by the rules in force, also by those put at run time`() throws {
        let rules = try AccessRules(["users/{user}": "public"])
        let world = try PushWorld(configure: { $0.rules = rules })
        let chat = try world.openChat()
        try world.register("bob")
        let admin = try world.server.admin()
        #expect(try admin.call("PUT", "/v1/documents/users/alice", ["name": "Alice Rossi"]).status == 200)
        let alice = try world.server.device("alice", "laptop")
        var titles: [String?] = []
        for (number, rules) in [nil, ["rules": [:]], ["rules": .object(rules.json)] as JSONValue?].enumerated() {
            if let rules { #expect(try admin.call("PUT", "/v1/rules", rules).status == 200) }
            try alice.ok(["type": "send", "chat": .string(chat), "text": "Hi", "key": .string("\(number)")])
            titles.append(try world.wait(number + 1).last?.json["aps"]?["alert"]?["title"]?.stringValue)
        }
        #expect(titles == ["Alice Rossi", "alice", "Alice Rossi"])
    }

    @Test func `a message that is read meanwhile is not pushed`() throws {
        let world = try PushWorld(hold: 700)
        let chat = try world.openChat()
        try world.register("bob")
        let bob = try world.server.device("bob", "laptop")
        try bob.ok(["type": "focus", "on": false])
        let alice = try world.server.device("alice", "laptop")
        try alice.ok(["type": "send", "chat": .string(chat), "text": "Hi", "key": "1"])
        _ = try bob.event("message")
        try bob.ok(["type": "read", "chat": .string(chat), "n": 2])
        try world.settle()
        #expect(try world.requests(of: world.apns).isEmpty)
        #expect(try world.answers() == ["seen"])
    }

    @Test func `a device that logged out gets nothing`() throws {
        let world = try PushWorld()
        try world.register("alice")
        let phone = try world.server.device("alice", "phone")
        try phone.ok(["type": "device", "remove": true])
        try world.notify("user:alice")
        try world.settle()
        #expect(try world.requests(of: world.apns).isEmpty)
    }

    @Test func `texts are in the language of the device, and private ones are hidden or sealed`() throws {
        let world = try PushWorld()
        let keys: JSONValue = [
            "p256dh": "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
            "auth": "tBHItJI5svbpez7KI4CCXg",
        ]
        try world.register("hidden", with: ["privacy": "hidden"])
        try world.register("sealed", with: ["privacy": "sealed", "keys": keys])
        try world.notify("user:hidden", "Secret")
        try world.notify("user:sealed", "Secret")
        let requests = try world.wait(2)
        #expect(requests.allSatisfy { $0.json["aps"]?["alert"]?["title"] == "New notification" })
        #expect(requests.allSatisfy { !$0.line.text.contains("Secret") })
        let sealed = try #require(requests.first { $0.json["sealed"] != nil })
        #expect(sealed.json["ww"] == nil)
        let hidden = try #require(requests.first { $0.json["sealed"] == nil })
        #expect(hidden.json["ww"]?["topic"] == nil && hidden.json["ww"]?["id"] != nil)
    }

    @Test func `FCM gets one access token for many pushes`() throws {
        let world = try PushWorld(also: ["fcm"])
        for number in 0..<10 {
            try world.register(
                "user-\(number)", "phone", ["type": "device", "platform": "fcm", "token": .string("token-\(number)")])
        }
        for number in 0..<10 { try world.notify("user:user-\(number)", "N") }
        let requests = try world.wait(10, of: world.fcm)
        #expect(requests.allSatisfy { $0.status == 200 })
        #expect(try world.fcm?.lines("request").count { $0["path"] == "/token" } == 1)
        let android = requests[0].json["message"]?["android"]
        #expect(android?["priority"] == "HIGH")
        #expect(android?["notification"]?["title"] == "N")
    }

    @Test func `a browser's push is encrypted so that its keys open it`() throws {
        let world = try PushWorld(also: ["webpush"], configure: { $0.push.open = WebAddress("https://app.example/") })
        let subscription = try world.subscription("/201/alice")
        try world.register(
            "alice", "browser", ["type": "device", "platform": "webpush", "subscription": subscription])
        try world.notify("user:alice", "Hello", with: ["level": "time-sensitive"])
        let request = try #require(world.wait(1, of: world.web).first)
        #expect(request.status == 201)
        #expect(request.header("urgency") == "high")
        #expect(request.json["web_push"] == 8030)
        #expect(request.json["notification"]?["title"] == "Hello")
        #expect(request.json["notification"]?["tag"] == request.json["ww"]?["tag"])
    }

    @Test func `from the commit to the request it takes milliseconds when nobody is connected`() throws {
        let world = try PushWorld(hold: 20_000)
        try world.register("alice")
        try world.notify("user:alice", "first")
        try world.wait(1)
        for number in 1...20 {
            try world.notify("user:alice", "N\(number)")
            try world.wait(number + 1)
        }
        let delays = try world.requests(of: world.apns).dropFirst().compactMap { request -> Double? in
            let at = request.json["ww"]?["at"]?.stringValue.flatMap { Timestamp($0) }
            return at.map { request.at * 1000 - Double($0.milliseconds) }
        }.sorted()
        // The time of the entry is from before its commit, so this counts the commit, too.
        #expect(delays.count == 20 && delays[10] < 100, "milliseconds: \(delays)")
    }
}
