import Crypto
import Digits
import Foundation
import JSON
import Model
import Push
import Testing

@testable import WatchWisePush

/// Pushes as the server makes them for Apple's service, read by the library.
@Suite struct PushMessageTests {
    /// 2026-11-25T10:00:00.000Z
    private static let at = Timestamp(milliseconds: 1_795_600_800_000)
    private static let key = PushTagKey(Array(0..<32))
    private static let tag = key.tag(topic: "person:525", collapse: "n4711")
    private static let chat = ChatID("alice:bob")
    private let keys: PushKeys

    init() throws { keys = try PushKeys() }

    private static func content(_ kind: PushKind, level: InterruptionLevel = .timeSensitive) throws -> PushContent {
        let epoch = try #require(Epoch("e-6f2a"))
        let ends = at.adding(milliseconds: 60_000)
        let chat = try #require(chat)
        if kind == .withdrawal {
            let envelope = PushEnvelope(epoch: epoch, at: at, badge: 3, gone: [tag], entry: nil)
            return .withdrawal(envelope, ends: ends)
        }
        let entry =
            kind == .message
            ? PushEntry(
                isMessage: true, position: Position(4712), level: level, tag: key.tag(chat: chat),
                kind: "message", chat: chat, number: 17)
            : PushEntry(
                isMessage: false, position: Position(4711), level: level, tag: tag, kind: "release",
                topic: "person:525",
                data: ["id": 872_585])
        return PushContent(
            kind, title: "Oppenheimer", body: "Now in cinemas", language: LanguageTag("en"), open: nil, ends: ends,
            envelope: PushEnvelope(epoch: epoch, at: at, expires: ends, badge: 7, gone: [tag], entry: entry))
    }

    private func payload(_ content: PushContent, _ cover: PushCover) throws -> Data {
        let token = String(repeating: "0a", count: 32)
        let target = APNsTarget(token: token, topic: "org.example.films", environment: .production)
        return Data(
            try APNsRequest.make(
                content, to: target, in: .production, of: APNsService(isCriticalAllowed: true), cover: cover, id: "1",
                token: "t", at: Self.at
            ).body)
    }

    private var sealing: PushCover {
        get throws {
            let registered = try DeviceKeys(
                p256dh: PushKeysTests.bytes(#require(keys.registration.string("p256dh"))),
                auth: PushKeysTests.bytes(#require(keys.registration.string("auth"))))
            return .sealed { try MessageSealing.seal($0, for: registered) }
        }
    }

    private func expectNotification(_ push: PushMessage) {
        #expect(push.title == "Oppenheimer")
        #expect(push.body == "Now in cinemas")
        #expect(push.id == "n4711")
        #expect(push.kind == "release")
        #expect(push.topic == "person:525")
        #expect(push.level == .timeSensitive)
        #expect(push.tag == Self.tag.text)
        #expect(push.badge == 7)
        #expect(push.gone == [Self.tag.text])
        #expect(push.data == #"{"id":872585}"#)
        #expect(!push.isHidden)
        #expect(push.expires == Date(timeIntervalSince1970: 1_795_600_860))
        #expect(!push.isOver(at: Date(timeIntervalSince1970: 1_795_600_859)))
        #expect(push.isOver(at: Date(timeIntervalSince1970: 1_795_600_860)))
    }

    @Test func `a sealed push is opened whole`() throws {
        let payload = try payload(Self.content(.notification), sealing)
        #expect(!String(decoding: payload, as: UTF8.self).contains("Oppenheimer"))
        let push = try PushMessage(json: payload, keys: keys)
        expectNotification(push)
        #expect(push.language == "en")
    }

    @Test func `a full push needs no keys, and is read from the system's dictionary, too`() throws {
        let payload = try payload(Self.content(.notification), .full)
        expectNotification(try PushMessage(json: payload, keys: nil))
        let userInfo = try #require(try JSONSerialization.jsonObject(with: payload) as? [AnyHashable: Any])
        expectNotification(try PushMessage(userInfo: userInfo, keys: keys))
    }

    @Test func `a message names its chat`() throws {
        let push = try PushMessage(json: payload(Self.content(.message), sealing), keys: keys)
        #expect(push.id == "m4712")
        #expect(push.chat == "alice:bob")
        #expect(push.n == 17)
    }

    @Test func `a hidden push says that its content has to be fetched`() throws {
        let push = try PushMessage(json: payload(Self.content(.notification), .hidden), keys: nil)
        #expect(push.isHidden)
        #expect(push.id == "n4711")
        #expect(push.title == "New notification")
        #expect(push.topic == nil)
        #expect(push.data == nil)
    }

    @Test(arguments: [false, true])
    func `a withdrawal shows nothing, and says what is gone`(isSealed: Bool) throws {
        let push = try PushMessage(json: payload(Self.content(.withdrawal), isSealed ? sealing : .full), keys: keys)
        #expect(push.title == nil)
        #expect(push.id == nil)
        #expect(push.gone == [Self.tag.text])
        #expect(push.badge == 3)
        #expect(!push.isHidden)
    }

    @Test func `a push that cannot be opened says why`() throws {
        let payload = try payload(Self.content(.notification), sealing)
        #expect(throws: PushError.sealed) { try PushMessage(json: payload, keys: nil) }
        #expect(throws: PushError.notOpened) { try PushMessage(json: payload, keys: PushKeys()) }
        let words = [
            (#"{"sealed":"AAAA"}"#, "`sealed` has another form"), (#"{"aps":{}}"#, "`ww` is missing"),
            (#"{"ww":{}}"#, "`ww.v` is missing"), ("[]", "it is no JSON object"), ("{", "it is no JSON object"),
            (#"{"ww":{"v":2}}"#, "its version is 2, and this library knows version 1"),
        ]
        for (json, reason) in words {
            #expect(throws: PushError.malformed(reason)) { try PushMessage(json: Data(json.utf8), keys: keys) }
        }
        #expect(throws: PushError.malformed("it is no JSON object")) {
            try PushMessage(userInfo: ["ww": Date.now], keys: nil)
        }
    }

    @Test func `members of other types count as missing`() throws {
        let json = #"{"ww":{"v":1,"id":7,"level":"loud","badge":-4,"gone":[1,"a"],"exp":"soon","n":"x"}}"#
        let push = try PushMessage(json: Data(json.utf8), keys: nil)
        #expect(push.id == nil)
        #expect(push.level == .active)
        #expect(push.badge == 0)
        #expect(push.gone == ["a"])
        #expect(push.expires == nil)
        #expect(push.n == nil)
    }
}
