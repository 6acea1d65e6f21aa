import JSON
import Model
@testable import Push

/// The push of the design's examples, and its parts.
enum Samples {
    static let key = PushTagKey((0..<32).map { UInt8($0) })
    /// 2026-11-25T10:00:00.000Z
    static let at = Timestamp(milliseconds: 1_795_600_800_000)
    /// Four seconds after the commit.
    static let now = at.adding(milliseconds: 4_000)
    static let tag = key.tag(topic: "person:525", collapse: "n4711")
    /// The text of that tag.
    static let tagText = "ZTosbIk3nxBe_WDnIEbAmZOYxNa-C7zg"

    static func parsed<Value>(_ value: Value?) -> Value {
        guard let value else { preconditionFailure("a sample is not valid") }
        return value
    }

    static let open = parsed(WebAddress("https://app.example.org/inbox"))
    static let endpoint = parsed(WebAddress("https://push.example.org/send/abc"))

    static func entry(_ level: InterruptionLevel = .active) -> PushEntry {
        PushEntry(
            isMessage: false, position: Position(4711), level: level, tag: tag, kind: "release", topic: "person:525",
            data: ["id": 872_585])
    }

    static var messageEntry: PushEntry {
        PushEntry(
            isMessage: true, position: Position(4712), level: .active, tag: key.tag(chat: chat), kind: "message",
            chat: chat, number: 17)
    }

    static let chat = parsed(ChatID("alice:bob"))

    static func envelope(_ entry: PushEntry?, gone: [PushTag] = []) -> PushEnvelope {
        PushEnvelope(epoch: parsed(Epoch("e-6f2a")), at: at, badge: 7, gone: gone, entry: entry)
    }

    static func content(_ kind: PushKind, _ level: InterruptionLevel = .active) -> PushContent {
        let ends = PushLifetime.end(of: kind, level, expires: nil, committed: at)
        if kind == .withdrawal { return .withdrawal(envelope(nil, gone: [tag]), ends: ends) }
        return PushContent(
            kind, title: "Oppenheimer", body: "Now in cinemas", language: LanguageTag("en"), open: open, ends: ends,
            envelope: envelope(kind == .message ? messageEntry : entry(level)))
    }

    /// As the table of the design names its rows.
    static let rows: [PushUrgency: PushContent] = [
        .active: content(.notification), .timeSensitive: content(.notification, .timeSensitive),
        .critical: content(.notification, .critical), .quietUpdate: content(.quietUpdate, .critical),
        .digest: content(.digest), .withdrawal: content(.withdrawal),
    ]

    /// The bytes in reverse order, in place of an encryption.
    static func reversed(_ bytes: [UInt8]) -> [UInt8] { bytes.reversed() }

    static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// The envelope of the notification, as in the design.
    static let ww = """
        {"v":1,"id":"n4711","seq":4711,"epoch":"e-6f2a","kind":"release","level":"active","topic":"person:525",\
        "tag":"\(tagText)","at":"2026-11-25T10:00:00.000Z","badge":7,"data":{"id":872585}}
        """
    static let hiddenWW = """
        {"v":1,"id":"n4711","seq":4711,"epoch":"e-6f2a","level":"active",\
        "tag":"\(tagText)","at":"2026-11-25T10:00:00.000Z","badge":7}
        """
    static let withdrawalWW = """
        {"v":1,"epoch":"e-6f2a","at":"2026-11-25T10:00:00.000Z","badge":7,"gone":["\(tagText)"]}
        """
}
