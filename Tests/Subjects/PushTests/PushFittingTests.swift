import JSON
import Model
import TestSupport
import Testing
@testable import Push

struct PushFittingTests {
    private static let forms: [(name: String, bytesMax: Int, encode: @Sendable (PushContent) -> [UInt8])] = [
        ("web", PushLimits.payloadBytesMax, { WebPushRequest.payload($0) }),
        ("plain", PushLimits.payloadBytesMax, { $0.plainJSON }),
        ("sealed", PushLimits.sealedBytesMax, { $0.plainJSON }),
    ]

    /// Pieces that are hard to cut or to write: long characters, escapes, flags, families, marks without a letter.
    private static let pieces = [
        "a", "é", "e\u{301}", "👨‍👩‍👧‍👦", "🇮🇹", "🇵", "\u{200d}", "\u{301}", "\"", "\\", "\u{1}", "\r\n", "\n", " ", "ß", "你",
        "\u{202e}", "\u{600}", "한", "ᄒ", "\u{fe0f}", "👍🏽", "\u{10ffff}", "word ",
    ]

    private static func text(_ random: inout SeededRandom) -> String {
        let counts = [0, 1, 20, 119, 121, 160, 400, 600, 2_000]
        let count = counts.randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return "x" + String(repeating: "\u{301}", count: count * 4)
        case 1: return String(repeating: pieces.randomElement(using: &random) ?? "", count: count)
        default: return (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
        }
    }

    private static func content(_ random: inout SeededRandom) -> PushContent {
        var content = Samples.content([.notification, .message, .digest].randomElement(using: &random) ?? .message)
        content.title = text(&random)
        content.body = text(&random)
        let gone = Int.random(in: 0...30, using: &random)
        content.envelope.gone = (0..<gone).map { Samples.key.tag(topic: "t", collapse: "\($0)") }
        if Bool.random(using: &random) { content.envelope.entry?.data = .string(text(&random)) }
        if Bool.random(using: &random) { content.envelope.entry?.kind = text(&random) }
        if Bool.random(using: &random) { content.envelope.entry?.topic = text(&random) }
        if Bool.random(using: &random) {
            content.open = WebAddress("https://a.example/" + String(repeating: "b", count: 980))
        }
        return content
    }

    /// Whether `cut` is the text, or a beginning of it that ends between two characters, and an ellipsis.
    private static func isCut(_ cut: String, of text: String) -> Bool {
        if cut.utf8.elementsEqual(text.utf8) { return true }
        guard cut.utf8.suffix(3).elementsEqual("…".utf8) else { return false }
        let kept = cut.utf8.count - 3
        var bytes = 0
        guard text.utf8.prefix(kept).elementsEqual(cut.utf8.prefix(kept)) else { return false }
        for character in text where bytes < kept { bytes += character.utf8.count }
        return bytes == kept
    }

    @Test(arguments: 0..<300)
    func `any push fits, is valid JSON, is cut between characters and keeps its id`(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let content = Self.content(&random)
        for form in Self.forms {
            let fitted = content.fitted(to: form.bytesMax, form.encode)
            #expect(fitted.bytes.count <= form.bytesMax, "\(form.name), seed \(seed)")
            #expect(fitted.bytes == form.encode(fitted.content))
            let json = try JSONValue(parsing: fitted.bytes)
            #expect(json["ww"]?["id"]?.stringValue == content.envelope.entry?.id)
            #expect(json["ww"]?["tag"]?.stringValue == content.envelope.entry?.tag.text)
            #expect(Self.isCut(fitted.content.title, of: content.title), "title, seed \(seed)")
            #expect(Self.isCut(fitted.content.body, of: content.body), "body, seed \(seed)")
            #expect(content.envelope.gone.starts(with: fitted.content.envelope.gone))
        }
    }

    @Test func `the requests of all platforms fit, whatever the push is`() throws {
        for seed in 1_000..<1_100 {
            var random = SeededRandom(seed: UInt64(seed))
            let content = Self.content(&random)
            let target = APNsTarget(
                token: String(repeating: "a", count: 200), topic: "x", environment: .production)
            for cover in [PushCover.full, .hidden, .sealed { [UInt8](repeating: 1, count: 103) + $0 }] {
                let apns = try APNsRequest.make(
                    content, to: target, in: .production, of: APNsService(isCriticalAllowed: true), cover: cover,
                    id: "", token: "", at: Samples.now)
                #expect(apns.body.count <= 4_096)
                let fcm = try FCMRequest.make(
                    content, to: .token("t"), of: FCMService(project: "p"), cover: cover, token: "", at: Samples.now)
                #expect(try Self.keysAndValues(of: fcm) <= 4_096)
            }
        }
    }

    /// The bytes that FCM counts: keys and values of `data` and of the notification.
    private static func keysAndValues(of request: PushRequest) throws -> Int {
        let message = try JSONValue(parsing: request.body)["message"]
        let members = [message?["data"], message?["android"]?["notification"]].flatMap {
            $0?.objectValue?.members ?? []
        }
        return members.reduce(0) { sum, member in
            sum + member.name.utf8.count + (member.value.stringValue ?? member.value.text).utf8.count
        }
    }

    @Test func `the least important goes first`() {
        var content = Samples.content(.notification)
        content.envelope.entry?.data = .string(String(repeating: "d", count: 3_000))
        content.body = String(repeating: "b", count: 600)
        let first = content.fitted(to: 3_072) { $0.plainJSON }.content
        #expect(first.envelope.entry?.data == nil)
        #expect(first.body.count == 600)
        content.body = String(repeating: "b", count: 3_000)
        let second = content.fitted(to: 3_072) { $0.plainJSON }.content
        #expect(second.body == String(repeating: "b", count: 511) + "…")
        content.body = String(repeating: "你", count: 1_000)
        content.title = String(repeating: "你", count: 600)
        let third = content.fitted(to: 2_400) { $0.plainJSON }.content
        #expect(third.body == String(repeating: "你", count: 159) + "…")
        #expect(third.title == String(repeating: "你", count: 119) + "…")
    }

    @Test func `twenty tags are the most, and they are shortened after the texts`() {
        var content = Samples.content(.notification)
        content.envelope.gone = (0..<30).map { Samples.key.tag(topic: "t", collapse: "\($0)") }
        #expect(content.fitted(to: 3_072) { $0.plainJSON }.content.envelope.gone.count == 20)
        content.title = String(repeating: "👨‍👩‍👧‍👦", count: 120)
        content.body = ""
        content.envelope.entry?.data = nil
        var wanted = content
        wanted.envelope.gone = Array(content.envelope.gone.prefix(5))
        let fitted = content.fitted(to: wanted.plainJSON.count) { $0.plainJSON }.content
        #expect(fitted.envelope.gone == wanted.envelope.gone)
        #expect(fitted.title == content.title)
    }

    @Test(arguments: [
        ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("ab  cd", 4, "ab…"), ("👨‍👩‍👧‍👦🇮🇹x", 2, "👨‍👩‍👧‍👦…"),
        ("e\u{301}e\u{301}", 2, "e\u{301}e\u{301}"),
        ("", 1, ""), ("ab", 1, "…"),
    ])
    func `a text is cut between two characters`(_ text: String, _ charactersMax: Int, _ cut: String) {
        #expect(GraphemeCut.cut(text, charactersMax: charactersMax) == cut)
    }

    @Test func `a character that is larger than the bound goes as a whole`() {
        let text = "x" + String(repeating: "\u{301}", count: 50)
        #expect(GraphemeCut.cut(text, charactersMax: 10, bytesMax: 16) == "…")
        #expect(GraphemeCut.cut("ab" + text, charactersMax: 10, bytesMax: 16) == "ab…")
    }
}
