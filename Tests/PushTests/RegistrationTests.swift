import Crypto
import Digits
import Model
import Testing
@testable import Push

struct RegistrationTests {
    /// The keys of the example of RFC 8291, section 5.
    private static let p256dh =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private static let auth = "BTBZMqHH6r4Tts7J_aSIgg"

    private func problem(_ make: () throws -> Void) -> RegistrationProblem? {
        do { try make() } catch let problem as RegistrationProblem { return problem } catch {
            Issue.record("another error: \(error)")
        }
        return nil
    }

    @Test func `the keys of RFC 8291 are a device's keys`() throws {
        let subscription = try PushSubscription(
            endpoint: "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV", p256dh: Self.p256dh,
            auth: Self.auth)
        #expect(subscription.endpoint.origin == "https://push.example.net")
        #expect(subscription.keys.p256dh.count == 65)
        #expect(subscription.keys.auth.count == 16)
    }

    @Test(arguments: [
        "", "http://push.example.net/x", "https://", "https://a:b@push.example.net/", "https://push.example.net/#x",
        "https://push.example.net/ü", "https://push.example.net/" + String(repeating: "a", count: 976),
    ])
    func `an endpoint that cannot be used is refused by name`(_ endpoint: String) {
        let problem = problem {
            _ = try PushSubscription(endpoint: endpoint, p256dh: Self.p256dh, auth: Self.auth)
        }
        #expect(problem?.field == "subscription.endpoint")
    }

    @Test func `an endpoint has a thousand bytes at most`() {
        let longest = "https://push.example.net/" + String(repeating: "a", count: 975)
        #expect(throws: Never.self) {
            try PushSubscription(endpoint: longest, p256dh: Self.p256dh, auth: Self.auth)
        }
        let problem = problem {
            _ = try PushSubscription(endpoint: longest + "a", p256dh: Self.p256dh, auth: Self.auth)
        }
        #expect(problem?.message == "has at most 1000 bytes")
    }

    @Test func `a point that is not on the curve is refused, and so is every other form`() throws {
        var bytes = try #require(Base64.url.decode(Array(Self.p256dh.utf8)))
        bytes[64] ^= 1
        let texts = [
            Base64.url.text(of: bytes), "", "!", Self.p256dh + "=", Base64.url.text(of: Array(bytes.dropLast())),
            Base64.url.text(of: [2] + bytes[1...32]), Base64.url.text(of: [6] + bytes.dropFirst()),
            Base64.url.text(of: [4] + [UInt8](repeating: 0, count: 64)),
        ]
        for text in texts {
            let problem = problem { _ = try PushKeys(p256dh: text, auth: Self.auth, field: "keys") }
            #expect(problem?.field == "keys.p256dh")
        }
    }

    @Test(arguments: ["", "AAAA", "BTBZMqHH6r4Tts7J_aSIggA", "BTBZMqHH6r4Tts7J_aSIgg=="])
    func `a secret of another length is refused`(_ auth: String) {
        let problem = problem { _ = try PushKeys(p256dh: Self.p256dh, auth: auth, field: "subscription.keys") }
        #expect(problem?.field == "subscription.keys.auth")
    }

    @Test func `an APNs token is kept in small letters`() throws {
        let target = try APNsTarget(
            token: String(repeating: "AB", count: 32), topic: "a", environment: nil, configured: ["a"])
        #expect(target.token == String(repeating: "ab", count: 32))
        #expect(target.environment == .production)
        for count in [64, 160, 200] {
            #expect(throws: Never.self) {
                try APNsTarget(
                    token: String(repeating: "0", count: count), topic: "a", environment: "sandbox", configured: ["a"])
            }
        }
    }

    @Test(arguments: [
        "", String(repeating: "a", count: 62), String(repeating: "a", count: 65), String(repeating: "a", count: 202),
        String(repeating: "g", count: 64), String(repeating: "a", count: 63) + " ", String(repeating: "ä", count: 32),
        "../" + String(repeating: "a", count: 61),
    ])
    func `another text is no APNs token`(_ token: String) {
        let problem = problem {
            _ = try APNsTarget(token: token, topic: "a", environment: nil, configured: ["a"])
        }
        #expect(problem?.field == "token")
    }

    @Test func `a topic must be configured, and the refusal says which are`() {
        let token = String(repeating: "a", count: 64)
        let wrong = problem { _ = try APNsTarget(token: token, topic: "b", environment: nil, configured: ["a", "c"]) }
        #expect(wrong == RegistrationProblem("topic", "must be a bundle id of the setting apns-topics: a, c"))
        let none = problem { _ = try APNsTarget(token: token, topic: "b", environment: nil, configured: []) }
        #expect(none?.message.hasSuffix(": none") == true)
    }

    @Test(arguments: ["Production", "", "test"])
    func `an environment is one of two words`(_ text: String) {
        #expect(problem { _ = try APNsEnvironment(field: text) }?.field == "environment")
    }

    @Test func `FCM knows a device by a token or by an installation`() throws {
        #expect(try FCMTarget(token: "c:APA91b-_", installation: nil) == .token("c:APA91b-_"))
        let id = "cJug2GoHzEfcshCE_OLL24"
        #expect(try FCMTarget(token: nil, installation: id) == .installation(id))
    }

    @Test(
        arguments: [
            (nil, nil, "token"), ("", nil, "token"), ("a b", nil, "token"), ("ü", nil, "token"),
            (String(repeating: "a", count: 1_001), nil, "token"), (nil, "", "fid"), (nil, "short", "fid"),
            (nil, "cJug2GoHzEfcshCE/OLL24", "fid"), ("a", "cJug2GoHzEfcshCE_OLL24", "fid"),
        ] as [(String?, String?, String)])
    func `a registration for FCM names its mistake`(_ token: String?, _ id: String?, _ field: String) {
        #expect(problem { _ = try FCMTarget(token: token, installation: id) }?.field == field)
    }

    @Test(arguments: ["javascript:alert(1)", "app://x", "https://a.example/#x", "", "//a.example"])
    func `the address of the web app is a plain one`(_ text: String) {
        #expect(problem { _ = try WebAddress(open: text) }?.field == "open")
        #expect(throws: Never.self) { try WebAddress(open: "http://localhost:8080/app?x=1") }
    }
}
