import JSON
import Model
import Testing
@testable import Push

struct WebPushRequestTests {
    private func made(
        _ content: PushContent, isSilenceAllowed: Bool = false, isHidden: Bool = false
    ) -> PushRequest? {
        WebPushRequest.make(
            content, to: Samples.endpoint, isSilenceAllowed: isSilenceAllowed, isHidden: isHidden,
            authorization: "vapid t=T,k=K", at: Samples.now, seal: Samples.reversed)
    }

    @Test func `the fields are those of RFC 8030, and the body is what sealing gives`() throws {
        let request = try #require(made(Samples.content(.notification)))
        #expect(request.url == "https://push.example.org/send/abc")
        #expect(
            request.fields.map { "\($0.name): \($0.value)" } == [
                "TTL: 259196", "Urgency: normal", "Topic: \(Samples.tagText)", "Content-Encoding: aes128gcm",
                "Content-Type: application/octet-stream", "Authorization: vapid t=T,k=K",
            ])
        #expect(
            Samples.text(request.body.reversed()) == """
                {"web_push":8030,"notification":{"title":"Oppenheimer","body":"Now in cinemas",\
                "navigate":"https://app.example.org/inbox#ww=n4711","tag":"\(Samples.tagText)","lang":"en",\
                "dir":"auto","silent":false,"renotify":true,"app_badge":"7"},"app_badge":7,"mutable":true,\
                "ww":\(Samples.ww)}
                """)
    }

    @Test func `without an address to open it is not declarative, and still has its texts`() throws {
        var content = Samples.content(.notification)
        content.open = nil
        let request = try #require(made(content))
        #expect(
            Samples.text(request.body.reversed()) == """
                {"notification":{"title":"Oppenheimer","body":"Now in cinemas","tag":"\(Samples.tagText)","lang":"en",\
                "dir":"auto","silent":false,"renotify":true,"app_badge":"7"},"ww":\(Samples.ww)}
                """)
    }

    @Test(arguments: [
        (PushUrgency.active, "normal", false, true, false), (.timeSensitive, "high", false, true, false),
        (.critical, "high", false, true, true), (.quietUpdate, "low", true, false, false),
        (.digest, "low", false, false, false),
    ])
    func `each row of the table has its urgency`(
        _ row: PushUrgency, _ urgency: String, _ isSilent: Bool, _ renotifies: Bool, _ requires: Bool
    ) throws {
        let content = try #require(Samples.rows[row])
        #expect(content.urgency == row)
        let request = try #require(made(content))
        let notification = try JSONValue(parsing: request.body.reversed())["notification"]
        #expect(request["Urgency"] == urgency)
        #expect(notification?["silent"] == .bool(isSilent))
        #expect(notification?["renotify"] == (renotifies ? true : nil))
        #expect(notification?["requireInteraction"] == (requires ? true : nil))
    }

    @Test func `a hidden push is declarative, too, with a generic text`() throws {
        let request = try #require(made(Samples.content(.notification), isHidden: true))
        #expect(
            Samples.text(request.body.reversed()) == """
                {"web_push":8030,"notification":{"title":"New notification",\
                "navigate":"https://app.example.org/inbox#ww=n4711","tag":"\(Samples.tagText)","lang":"en",\
                "dir":"auto","silent":false,"renotify":true,"app_badge":"7"},"app_badge":7,"mutable":true,\
                "ww":\(Samples.hiddenWW)}
                """)
    }

    @Test func `only UnifiedPush gets a push that shows nothing, and none replaces another`() throws {
        let content = Samples.content(.withdrawal)
        #expect(made(content) == nil)
        let request = try #require(made(content, isSilenceAllowed: true))
        #expect(Samples.text(request.body.reversed()) == "{\"ww\":\(Samples.withdrawalWW)}")
        #expect(request["Topic"] == nil)
        #expect(request["Urgency"] == "low")
        #expect(request["TTL"] == "86396")
        #expect(request.gone == [Samples.tag])
    }

    @Test func `the error of the sealing is the error of the request`() {
        struct NoKey: Error {}
        #expect(throws: NoKey.self) {
            try WebPushRequest.make(
                Samples.content(.message), to: Samples.endpoint, isSilenceAllowed: false, isHidden: false,
                authorization: "", at: Samples.now, seal: { _ in throw NoKey() })
        }
    }
}
