import Authentication
import Configuration
import Foundation
import JSON
import Model
import Server
import TestSupport
import Testing

/// The consequences of the answers of push services, and what is taken back, in a running server.
@Suite(.enabled(if: ProviderFake.isInstalled && TestAuthority.made != nil && Certificates.made != nil))
struct PushVerdictTests {
    /// The end of a token, by the fake's table, the requests that follow within a moment, and whether the device goes.
    private static let answers: [(end: String, requests: Int, isKept: Bool)] = [
        ("e41002", 1, false),  // Unregistered
        ("e40002", 2, false),  // BadDeviceToken: also in the other environment
        ("e40007", 1, true),  // DeviceTokenNotForTopic
        ("e41301", 1, true),  // PayloadTooLarge
        ("f00003", 2, true),  // the connection is cut: at once again
    ]

    @Test(arguments: answers)
    func `each answer of APNs has its consequence`(end: String, requests: Int, isKept: Bool) throws {
        let world = try PushWorld()
        try world.register("alice", token: end)
        try world.notify("user:alice")
        try world.wait(requests)
        try world.settle()
        try world.wait("the consequence") { try world.devices(of: "alice").isEmpty != isKept }
        #expect(try world.requests(of: world.apns).count == requests)
    }

    @Test func `a service that fails is tried again after its pause`() throws {
        let world = try PushWorld()
        try world.register("alice", token: "e50301")
        let began = Date().timeIntervalSince1970
        try world.notify("user:alice")
        let requests = try world.wait(2)
        #expect((5.0...7.5).contains(requests[1].at - requests[0].at))
        #expect(requests[0].at - began < 2)
        #expect(requests[0].header("apns-collapse-id") == requests[1].header("apns-collapse-id"))
    }

    @Test func `pushes that a refused key delayed go at once when the key files are read again`() throws {
        let world = try PushWorld()
        try world.register("alice", token: "e40305")  // InvalidProviderToken
        try world.notify("user:alice")
        try world.wait(1)
        try world.settle()
        try world.register("bob")
        try world.notify("user:bob")
        try world.settle()
        #expect(try world.answers().count == 1 && world.requests(of: world.apns).count == 1)
        // The fake refuses this device with every key.
        try world.server.device("alice", "phone").ok(["type": "device", "remove": true])
        world.server.application.reloadPushKeys()
        #expect(try world.wait(2)[1].status == 200)
    }

    @Test func `a notification that is seen elsewhere is taken back from the phone`() throws {
        let world = try PushWorld()
        try world.register("alice")
        try world.notify("user:alice")
        let shown = try #require(world.wait(1).first)
        try world.settle()
        let laptop = try world.server.device("alice", "laptop")
        try laptop.ok(["type": "seen", "ids": [shown.json["ww"]?["id"] ?? .null]])
        let requests = try world.wait(2)
        #expect(requests[1].header("apns-push-type") == "background")
        #expect(requests[1].header("apns-priority") == "5")
        #expect(requests[1].json["aps"] == ["content-available": 1])
        #expect(requests[1].json["ww"]?["gone"] == [.string(shown.header("apns-collapse-id") ?? "")])
        #expect(requests[1].json["ww"]?["badge"] == 0)
    }

    @Test func `a ban takes back what the phone shows, messages and notifications`() throws {
        let world = try PushWorld()
        let chat = try world.openChat()
        try world.register("bob")
        try world.notify("user:bob")
        let alice = try world.server.device("alice", "laptop")
        try alice.ok(["type": "send", "chat": .string(chat), "text": "Hello", "key": "k"])
        let shown = try world.wait(2)
        try world.settle()
        let ban: JSONValue = ["kind": "ban", "reason": "spam"]
        #expect(try world.server.admin().call("PUT", "/v1/users/bob/restrictions", ban).status == 200)
        let request = try world.wait(3)[2]
        #expect(request.json["aps"] == ["content-available": 1])
        let tags = request.json["ww"]?["gone"]?.arrayValue?.compactMap(\.stringValue)
        #expect(Set(tags ?? []) == Set(shown.compactMap { $0.header("apns-collapse-id") }))
    }

    @Test func `removed notifications are listed in the next push to a browser`() throws {
        let world = try PushWorld(also: ["webpush"])
        let subscription = try world.subscription("/201/alice")
        try world.register(
            "alice", "browser", ["type": "device", "platform": "webpush", "subscription": subscription])
        try world.notify("user:alice", "First")
        let first = try #require(world.wait(1, of: world.web).first)
        try world.settle()
        let laptop = try world.server.device("alice", "laptop")
        try laptop.ok(["type": "seen", "ids": [first.json["ww"]?["id"] ?? .null]])
        laptop.peer.socket.close()
        try world.notify("user:alice", "Second")
        let second = try world.wait(2, of: world.web)[1]
        #expect(second.json["notification"]?["title"] == "Second")
        #expect(second.json["ww"]?["gone"] == [first.json["ww"]?["tag"] ?? .null])
    }

    @Test func `a later version has the same tag, so it replaces the first on the screen`() throws {
        let world = try PushWorld()
        try world.register("alice")
        try world.notify("user:alice", "1:0", with: ["collapse": "match"])
        try world.wait(1)
        try world.settle()
        try world.notify("user:alice", "2:0", with: ["collapse": "match"])
        let requests = try world.wait(2)
        #expect(requests[0].header("apns-collapse-id") == requests[1].header("apns-collapse-id"))
        #expect(requests[1].json["ww"]?["gone"] == nil)
    }

    @Test func `a topic's job goes through its followers in pages, each device once`() throws {
        let world = try PushWorld(configure: { $0.push.rate = 100_000 })
        let count = 600
        let topic = "person:525"
        for number in 0..<count / 20 {
            let user = "user-\(number)"
            let session = try world.server.device(user, "d")
            try session.ok(["type": "follow", "topic": .string(topic)])
            for device in 0..<20 { try world.registerToken(user, "phone-\(device)", 20 * number + device) }
        }
        try world.notify(topic, "Everybody")
        try world.wait(count)
        try world.settle()
        let paths = try world.requests(of: world.apns).map(\.path)
        #expect(paths.count == count && Set(paths).count == count)
        #expect(try world.job()["pushed"] == .integer(Int64(count)))
    }

    @Test func `a restart in the middle leaves nobody out, and repeats with the same tag`() throws {
        let world = try PushWorld(apns: ["--delay", "20"], configure: { $0.push.rate = 400 })
        let count = 600
        for number in 0..<count / 20 {
            let user = "user-\(number)"
            let session = try world.server.device(user, "d")
            try session.ok(["type": "follow", "topic": "person:525"])
            for device in 0..<20 { try world.registerToken(user, "phone-\(device)", 20 * number + device) }
        }
        try world.notify("person:525", "Everybody")
        try world.wait(300)
        try world.restart()
        try world.wait("all devices") { Set(try world.requests(of: world.apns).map(\.path)).count == count }
        try world.settle()
        let requests = try world.requests(of: world.apns)
        #expect(requests.count <= count + 256)
        #expect(Set(requests.compactMap { $0.header("apns-collapse-id") }).count == 1)
        // The fake refuses a second new token within twenty minutes, as Apple does.
        #expect(requests.allSatisfy { $0.status == 200 })
        #expect(Set(requests.compactMap { $0.header("authorization") }).count == 1)
    }

    @Test(arguments: ["broken", ""])
    func `a token file that cannot be used is replaced at the next push`(content: String) throws {
        let world = try PushWorld(apns: ["--update-seconds", "0"])
        let path = world.folder.path + "/" + APNsTokenFile.fileName
        try world.register("alice")
        try world.notify("user:alice", "First")
        try world.wait(1)
        try world.restart {
            try Data(content.utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        }
        try world.notify("user:alice", "Second")
        let requests = try world.wait(2)
        #expect(requests.map(\.status) == [200, 200])
        let token = try String(contentsOfFile: path, encoding: .utf8)
        #expect(requests[1].header("authorization") == "bearer " + token.dropLast())
        #expect(TemporaryFolder.permissions(of: path) == 0o600)
        #expect(!world.folder.files.contains { $0.hasPrefix(".") })
    }
}
