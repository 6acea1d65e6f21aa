import Configuration
import Foundation
import JSON
import Model
import TestSupport
import Testing

/// Push services of Web Push beside each other, in a running server.
@Suite(.enabled(if: ProviderFake.isInstalled && TestAuthority.made != nil && Certificates.made != nil))
struct PushOriginsTests {
    @Test func `silent services do not keep a quick one waiting`() throws {
        let world = try PushWorld(also: ["webpush"])
        try world.register("alice", "browser", registration(try world.subscription("/201/alice")))
        try world.notify("user:alice", "First")
        try world.wait(1, of: world.web)
        let silent = try SilentPort()
        let users = (1...4).map { "user-\($0)" }
        // Eighty services: more than there are connections.
        for (index, user) in users.enumerated() {
            for number in 1...20 {
                let endpoint = "https://127.0.\(index + 1).\(number):\(silent.port)/\(user)"
                var subscription = try world.subscription("").objectValue ?? JSONObject()
                subscription["endpoint"] = .string(endpoint)
                try world.register(user, "browser-\(number)", registration(.object(subscription)))
            }
        }
        for user in users { try world.notify("user:\(user)") }
        // All of them are on their way by now, and none ends before five seconds.
        Thread.pause(milliseconds: 500)
        let began = Date().timeIntervalSince1970
        try world.notify("user:alice", "Second")
        let second = try world.wait(2, of: world.web)[1]
        #expect(second.json["notification"]?["title"] == "Second")
        #expect(second.at - began < 1)
    }

    private func registration(_ subscription: JSONValue) -> JSONObject {
        ["type": "device", "platform": "webpush", "subscription": subscription]
    }
}
