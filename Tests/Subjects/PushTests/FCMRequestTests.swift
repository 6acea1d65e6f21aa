import Digits
import JSON
import Model
import Testing
@testable import Push

struct FCMRequestTests {
    private func request(
        _ content: PushContent, _ cover: PushCover = .full, to target: FCMTarget = .token("D")
    ) throws -> PushRequest {
        try FCMRequest.make(
            content, to: target, of: FCMService(project: "film-1"), cover: cover, token: "A", at: Samples.now)
    }

    /// A text as a JSON string.
    private func quoted(_ text: String) -> String { JSONValue.string(text).text }

    @Test func `path, fields and body are Google's`() throws {
        let request = try request(Samples.content(.notification))
        #expect(request.url == "https://fcm.googleapis.com/v1/projects/film-1/messages:send")
        #expect(
            request.fields.map { "\($0.name): \($0.value)" } == [
                "Authorization: Bearer A", "Content-Type: application/json",
            ])
        #expect(
            Samples.text(request.body) == """
                {"message":{"token":"D","data":{"ww":\(quoted(Samples.ww))},"android":{"priority":"HIGH",\
                "ttl":"259196s","notification":{"title":"Oppenheimer","body":"Now in cinemas",\
                "tag":"\(Samples.tagText)","channelId":"active","notificationCount":7,\
                "eventTime":"2026-11-25T10:00:00.000Z"}}}}
                """)
    }

    @Test(arguments: [
        (PushUrgency.active, "HIGH", "active"), (.timeSensitive, "HIGH", "time-sensitive"),
        (.critical, "HIGH", "critical"), (.quietUpdate, "NORMAL", "digest"), (.digest, "NORMAL", "digest"),
    ])
    func `each row of the table has its priority and channel`(
        _ row: PushUrgency, _ priority: String, _ channel: String
    ) throws {
        for cover in [PushCover.full, .hidden, .sealed(Samples.reversed)] {
            let message = try JSONValue(parsing: try request(try #require(Samples.rows[row]), cover).body)["message"]
            #expect(message?["android"]?["priority"]?.stringValue == priority)
            #expect(message?["android"]?["collapseKey"] == nil)
            switch cover {
            case .full: #expect(message?["android"]?["notification"]?["channelId"]?.stringValue == channel)
            case .hidden: #expect(message?["data"]?["channel"]?.stringValue == channel)
            case .sealed: #expect(message?["data"]?.objectValue?.members.map(\.name) == ["sealed"])
            }
        }
    }

    @Test func `a device is named by its token or its installation`() throws {
        let body = try request(Samples.content(.message), to: .installation("f1")).body
        #expect(Samples.text(body).hasPrefix("{\"message\":{\"fid\":\"f1\",\"data\":"))
    }

    @Test func `a withdrawal is data alone, and a later one replaces it`() throws {
        let request = try request(Samples.content(.withdrawal))
        #expect(
            Samples.text(request.body) == """
                {"message":{"token":"D","data":{"ww":\(quoted(Samples.withdrawalWW))},\
                "android":{"collapseKey":"sync","priority":"NORMAL","ttl":"86396s"}}}
                """)
        #expect(request.gone == [Samples.tag])
        let hidden = try self.request(Samples.content(.withdrawal), .hidden)
        #expect(hidden.body == request.body)
    }

    @Test func `a hidden push is data alone, and the app draws it`() throws {
        #expect(
            Samples.text(try request(Samples.content(.notification), .hidden).body) == """
                {"message":{"token":"D","data":{"title":"New notification","channel":"active",\
                "ww":\(quoted(Samples.hiddenWW))},"android":{"priority":"HIGH","ttl":"259196s"}}}
                """)
    }

    @Test func `Google sees only the size of a sealed push`() throws {
        let request = try request(Samples.content(.message), .sealed(Samples.reversed))
        let data = try JSONValue(parsing: request.body)["message"]?["data"]
        let sealed = try #require(data?["sealed"]?.stringValue)
        let bytes = try #require(Base64.url.decode(Array(sealed.utf8)))
        #expect(bytes.reversed() == Samples.content(.message).plainJSON)
    }

    @Test func `all values of data are texts`() throws {
        for content in Samples.rows.values {
            for cover in [PushCover.full, .hidden, .sealed(Samples.reversed)] {
                let data = try JSONValue(parsing: try request(content, cover).body)["message"]?["data"]
                #expect(data?.objectValue?.members.allSatisfy { $0.value.stringValue != nil } == true)
            }
        }
    }

    @Test func `a badge is within the numbers of Java`() throws {
        var content = Samples.content(.message)
        content.envelope.badge = .max
        let android = try JSONValue(parsing: try request(content).body)["message"]?["android"]
        #expect(android?["notification"]?["notificationCount"]?.integerValue == 2_147_483_647)
    }
}
