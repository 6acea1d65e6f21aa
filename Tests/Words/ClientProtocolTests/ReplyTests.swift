import JSON
import Model
import Testing

@testable import ClientProtocol

/// Replies as they go over the wire, and as a client reads them.
@Suite struct ReplyTests {
    @Test func `an ok has the id and the members written`() throws {
        let bytes = Reply.ok(re: RequestID("a\"b")) {
            $0.member("chat", "alice:bob")
            $0.member("n", 12)
        }
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"re":"a\"b","ok":{"chat":"alice:bob","n":12}}"#)
        let ok: JSONValue = ["chat": "alice:bob", "n": 12]
        #expect(try ServerMessage.decode(bytes) == .reply(re: RequestID("a\"b"), .success(ok)))
    }

    @Test func `an ok encoded earlier is the same bytes under another id`() throws {
        let bytes = Reply.ok(re: RequestID(8), encoded: Array(#"{"n":12}"#.utf8))
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"re":8,"ok":{"n":12}}"#)
    }

    @Test func `an error has its class, and field and delay where there are some`() throws {
        let refusal = Refusal(.rateLimited, "slow down", field: "text", retryAfterMilliseconds: 250)
        let bytes = Reply.error(re: RequestID(7), refusal)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"re":7,"error":{"code":"rate-limited","class":"limit","message":"slow down","field":"text","retryAfterMs":250}}"#
        )
        #expect(try ServerMessage.decode(bytes) == .reply(re: RequestID(7), .failure(refusal)))
    }

    @Test(arguments: [Array(#"{"title":"two"}"#.utf8), nil])
    func `a conflict is read back with the document as it is now`(_ data: [UInt8]?) throws {
        var refusal = Refusal(.conflict, "it has another version")
        refusal.found = Refusal.Found(version: data == nil ? 0 : 2, data: data)
        let bytes = Reply.error(re: RequestID(7), refusal)
        #expect(try ServerMessage.decode(bytes) == .reply(re: RequestID(7), .failure(refusal)))
    }

    @Test(arguments: ErrorCode.allCases)
    func `every error is read back by a client, also without an id`(code: ErrorCode) throws {
        let refusal = Refusal(code, "why")
        let bytes = Reply.error(re: nil, refusal)
        #expect(try ServerMessage.decode(bytes) == .reply(re: nil, .failure(refusal)))
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix(#"{"re":null,"error":{"code":"\#(code.rawValue)","class":""#))
    }

    @Test(arguments: [
        (
            ErrorClass.permanent,
            [
                "bad-request", "unknown-command", "forbidden", "blocked", "not-found", "too-large", "conflict",
                "key-reused",
            ]
        ),
        (.retry, ["unavailable", "timeout", "internal"]),
        (.auth, ["unauthenticated", "token-expired", "token-revoked"]),
        (.limit, ["rate-limited", "too-many"]),
    ])
    func `the codes of a class are those of the contract`(errorClass: ErrorClass, codes: [String]) {
        #expect(ErrorCode.allCases.filter { $0.errorClass == errorClass }.map(\.rawValue) == codes)
    }

    @Test(arguments: ErrorClass.allCases)
    func `a code of a newer server stands for its class`(errorClass: ErrorClass) throws {
        let text = #"{"re":1,"error":{"code":"new-fangled","class":"\#(errorClass.rawValue)","message":"m"}}"#
        guard case .reply(_, .failure(let refusal)) = try ServerMessage.decode(Array(text.utf8)) else {
            Issue.record("no refusal")
            return
        }
        #expect(refusal.code.errorClass == errorClass)
        #expect(refusal.message == "m")
    }

    @Test(arguments: ["", "[]", "7", "{}", #"{"seq":1}"#, #"{"type":5}"#, #"{"re":1}"#, #"{"re":1,"error":{}}"#])
    func `a message that is neither a reply nor an event is refused`(text: String) {
        #expect(throws: JSONError.self) { try ServerMessage.decode(Array(text.utf8)) }
    }

    @Test func `the hello body is that of the contract`() throws {
        let body = HelloBody(
            user: try #require(UserID("alice")),
            device: "phone-1",
            epoch: try #require(Epoch("e-1")),
            seq: Position(9),
            heartbeatMilliseconds: 25_000,
            unread: UnreadCounts(chats: 2, notifications: 5),
            server: "watchwise/1",
            time: Timestamp(milliseconds: 1_795_255_200_000),
            webPushKey: "BKey"
        )
        let bytes = Reply.ok(re: RequestID(1)) { body.write(to: &$0) }
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"re":1,"ok":{"user":"alice","device":"phone-1","epoch":"e-1","seq":9,"heartbeat":25000,"limits":{"messageBytes":131072,"commandsPerSecond":1000,"follows":5000},"unread":{"chats":2,"notifications":5},"server":"watchwise/1","time":"2026-11-21T10:00:00.000Z","push":{"webpush":"BKey"}}}"#
        )
    }

    @Test(
        arguments: [
            (1000, CloseCode.Advice.reconnect), (1006, .reconnect), (4399, .reconnect), (4400, .stayAway),
            (4409, .stayAway),
            (4499, .stayAway), (4500, .reconnectAfterDelay), (4529, .reconnectAfterDelay), (4599, .reconnectAfterDelay),
            (4600, .reconnect),
        ] as [(UInt16, CloseCode.Advice)]
    )
    func `the range of a close code is the advice`(code: UInt16, advice: CloseCode.Advice) {
        #expect(CloseCode.advice(for: code) == advice)
    }

    @Test(arguments: CloseCode.allCases)
    func `a close reason fits into a close frame`(code: CloseCode) {
        #expect((1...123).contains(code.reason.utf8.count))
    }
}
