import Digits
import JSON
import Model
import TestSupport
import Testing
@testable import Push

struct APNsRequestTests {
    private static let target = APNsTarget(
        token: String(repeating: "ab", count: 32), topic: "org.example.app", environment: .production)

    private func request(
        _ content: PushContent, in environment: APNsEnvironment = .production, _ cover: PushCover = .full,
        isCriticalAllowed: Bool = false, at now: Timestamp = Samples.now
    ) throws -> PushRequest {
        try APNsRequest.make(
            content, to: Self.target, in: environment, of: APNsService(isCriticalAllowed: isCriticalAllowed),
            cover: cover, id: "eabeae54-14a8-11e5-b60b-1697f925ec7b", token: "T", at: now)
    }

    @Test func `path, fields and body are Apple's`() throws {
        let request = try request(Samples.content(.notification))
        #expect(request.url == "https://api.push.apple.com/3/device/" + Self.target.token)
        #expect(
            request.fields.map { "\($0.name): \($0.value)" } == [
                "authorization: bearer T", "apns-topic: org.example.app", "apns-push-type: alert", "apns-priority: 10",
                "apns-expiration: 1795860000", "apns-id: eabeae54-14a8-11e5-b60b-1697f925ec7b",
                "content-type: application/json", "apns-collapse-id: \(Samples.tagText)",
            ])
        #expect(
            Samples.text(request.body) == """
                {"aps":{"alert":{"title":"Oppenheimer","body":"Now in cinemas"},"badge":7,"sound":"default",\
                "thread-id":"person:525","interruption-level":"active","mutable-content":1},"ww":\(Samples.ww)}
                """)
    }

    @Test func `each environment has its address, and a test has its own`() throws {
        let content = Samples.content(.notification)
        #expect(try request(content, in: .sandbox).url.hasPrefix("https://api.sandbox.push.apple.com/3/device/"))
        let service = APNsService(url: "https://127.0.0.1:2197", isCriticalAllowed: false)
        let request = try APNsRequest.make(
            content, to: Self.target, in: .sandbox, of: service, cover: .full, id: "", token: "", at: Samples.now)
        #expect(request.url == "https://127.0.0.1:2197/3/device/" + Self.target.token)
    }

    @Test(
        arguments: [
            (PushUrgency.active, "10", "active", "\"default\"", 259_200),
            (.timeSensitive, "10", "time-sensitive", "\"default\"", 14_400),
            (.critical, "10", "time-sensitive", "\"default\"", 14_400), (.quietUpdate, "5", "passive", nil, 14_400),
            (.digest, "5", "active", nil, 43_200),
        ] as [(PushUrgency, String, String, String?, Int64)])
    func `each row of the table has its priority, level, sound and end`(
        _ row: PushUrgency, _ priority: String, _ level: String, _ sound: String?, _ lifetime: Int64
    ) throws {
        let request = try request(try #require(Samples.rows[row]))
        let aps = try JSONValue(parsing: request.body)["aps"]
        #expect(request["apns-push-type"] == "alert")
        #expect(request["apns-priority"] == priority)
        #expect(request["apns-expiration"] == String(Samples.at.milliseconds / 1000 + lifetime))
        #expect(aps?["interruption-level"]?.stringValue == level)
        #expect(aps?["sound"]?.text == sound)
    }

    @Test func `a critical alert has its own sound where Apple allows it`() throws {
        let request = try request(Samples.content(.notification, .critical), isCriticalAllowed: true)
        let text = Samples.text(request.body)
        #expect(text.contains("\"sound\":{\"critical\":1,\"name\":\"default\",\"volume\":1}"))
        #expect(text.contains("\"interruption-level\":\"critical\""))
    }

    @Test func `a withdrawal is a background push with nothing else in aps`() throws {
        let request = try request(Samples.content(.withdrawal))
        #expect(Samples.text(request.body) == "{\"aps\":{\"content-available\":1},\"ww\":\(Samples.withdrawalWW)}")
        #expect(request["apns-push-type"] == "background")
        #expect(request["apns-priority"] == "5")
        #expect(request["apns-collapse-id"] == nil)
        #expect(request.gone == [Samples.tag])
    }

    @Test func `a hidden push shows Apple neither texts nor the topic`() throws {
        let request = try request(Samples.content(.notification), .hidden)
        #expect(
            Samples.text(request.body) == """
                {"aps":{"alert":{"title":"New notification"},"badge":7,"sound":"default",\
                "interruption-level":"active","mutable-content":1},"ww":\(Samples.hiddenWW)}
                """)
    }

    @Test func `Apple sees only the tag and the badge of a sealed push`() throws {
        let request = try request(Samples.content(.message), .sealed(Samples.reversed))
        let json = try JSONValue(parsing: request.body)
        #expect(json["aps"]?["alert"]?["title"]?.stringValue == "New message")
        #expect(json["aps"]?["thread-id"] == nil)
        #expect(json["ww"] == nil)
        let sealed = try #require(json["sealed"]?.stringValue)
        let bytes = try #require(Base64.url.decode(Array(sealed.utf8)))
        #expect(
            Samples.text(bytes.reversed()) == """
                {"title":"Oppenheimer","body":"Now in cinemas","lang":"en","channel":"active",\
                "ww":\(Samples.text(Samples.content(.message).envelope.bytes))}
                """)
        #expect(!Samples.text(request.body).contains("alice"))
    }

    @Test func `a sealed withdrawal shows no tags`() throws {
        let request = try request(Samples.content(.withdrawal), .sealed(Samples.reversed))
        #expect(Samples.text(request.body).hasPrefix("{\"aps\":{\"content-available\":1},\"sealed\":\""))
        #expect(request.gone == [Samples.tag])
    }

    @Test func `a message is grouped by its chat, and is kept for seven days`() throws {
        let request = try request(Samples.content(.message))
        #expect(try JSONValue(parsing: request.body)["aps"]?["thread-id"]?.stringValue == "alice:bob")
        #expect(request["apns-expiration"] == String(Samples.at.milliseconds / 1000 + 604_800))
    }

    @Test func `the last minute is now or never`() throws {
        let content = Samples.content(.notification)
        let request = try request(content, at: content.ends.adding(milliseconds: -59_000))
        #expect(request["apns-expiration"] == "0")
    }

    @Test func `ids are random UUIDs of version 4`() {
        var random = SeededRandom(seed: 3)
        let ids = (0..<100).map { _ in APNsRequestID.random(using: &random) }
        #expect(Set(ids).count == 100)
        #expect(
            ids.allSatisfy {
                $0.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil
            })
    }
}
