import Compression
import Encodings
import Feeds
import JSON
import Model

/// Answers of feeds: every answer gives documents with valid paths and bounded texts, the same each time, or is refused
/// with a phrase. The first byte chooses the kind of answer, the second its transport; from 200 on, the first byte chooses a decoder.
struct FeedFuzz: FuzzTarget {
    static let name = "Feed"

    private let targets: [(feed: FeedDefinition, target: FeedTarget, prefix: String)]
    private let now = Timestamp(seconds: 1_800_000_000)
    private static let contentTypes: [String?] = [
        "text/xml; charset=iso-8859-7", nil, "text/xml; charset=iso-8859-1", "text/xml; charset=utf-8",
        "text/xml; charset=shift_jis", "text/xml; charset=gb2312", "text/xml; charset=iso-2022-jp",
        "text/xml; charset=big5",
        "text/xml; charset=euc-kr", "text/xml; charset=euc-jp",
    ]
    private static let contentEncodings: [String?] = [nil, "gzip", "deflate", "gzip, gzip", "br"]
    private static let labels = [
        "utf-8", "utf-16le", "utf-16be", "iso-2022-jp", "shift_jis", "euc-jp", "gb18030", "big5", "euc-kr",
        "windows-1255",
        "windows-1258", "windows-1252", "koi8-u", "windows-874", "macintosh",
    ]

    init() throws {
        let rss = try FeedDefinition(["name": "a", "kind": "rss", "url": "https://e.org/"])
        let tmdb = try FeedDefinition(["name": "b", "kind": "tmdb"])
        let gios = try FeedDefinition(["name": "c", "kind": "gios", "stations": "all", "pollutants": ["PM10"]])
        targets = [
            (rss, .channel, "announcements/"), (tmdb, .person("525"), "people/525"),
            (tmdb, .series("1399"), "series/1399"),
            (gios, .stations(page: 0), "stations/"), (gios, .index("52"), "stations/52"), (gios, .sensors("52"), ""),
            (gios, .values(station: "52", sensor: "92", code: "PM10"), "stations/52"),
        ]
    }

    func check(_ input: [UInt8]) throws {
        guard let first = input.first, input.count > 1 else { return }
        let body = Array(input.dropFirst(2))
        switch first {
        case 200..<210: try checkDecoder(body, transport: Int(input[1]))
        case 210..<220: try checkEncoding(body, label: Int(input[1]))
        case 220..<230: try checkDate(body)
        default: try checkAnswer(body, kind: Int(first), transport: Int(input[1]))
        }
    }

    private func checkAnswer(_ body: [UInt8], kind: Int, transport: Int) throws {
        let (feed, target, prefix) = targets[kind % targets.count]
        let type = Self.contentTypes[transport % Self.contentTypes.count]
        let coding = Self.contentEncodings[transport / Self.contentTypes.count % Self.contentEncodings.count]
        let found: FeedFindings
        do throws(FeedUnreadable) {
            found = try feed.read(body, of: target, contentType: type, contentEncoding: coding, now: now)
        } catch {
            return try expect(!error.description.isEmpty, "no reason")
        }
        let again = try feed.read(body, of: target, contentType: type, contentEncoding: coding, now: now)
        try expect(again, equals: found, "read again")
        for draft in found.drafts {
            try expect(draft.path.text.hasPrefix(prefix), "a document elsewhere: \(draft.path)")
            guard case .put(let data) = draft.outcome(over: nil) else { continue }
            try expect(JSONValue.object(data).bytes.count <= DocumentLimits.bytesMax, "a document that is too large")
            try expect(draft.outcome(over: data), equals: .nothing, "laid over itself")
        }
        if target == .channel { try checkPlaces(found, of: feed) }
    }

    /// An answer that is laid over what it wrote changes nothing: no announcement is lost, doubled or moved.
    private func checkPlaces(_ found: FeedFindings, of feed: FeedDefinition) throws {
        try expect(Set(found.drafts.map(\.path)).count, equals: found.drafts.count, "announcements of one place")
        var stored: [DocumentPath: JSONObject] = [:]
        for draft in found.drafts {
            if case .put(let data) = draft.outcome(over: nil) { stored[draft.path] = data }
        }
        for draft in found.placed(of: feed.name, { stored[$0] }) {
            try expect(draft.outcome(over: stored[draft.path]), equals: .nothing, "the same answer again")
        }
    }

    /// The result of a decoder is never longer than its bound, and does not depend on it where it is shorter.
    private func checkDecoder(_ body: [UInt8], transport: Int) throws {
        let coding = Self.contentEncodings[transport % Self.contentEncodings.count]
        let small = 4096
        let decoded: [UInt8]
        do throws(ContentDecodingError) {
            decoded = try ContentDecoder.decode(body, field: coding, bytesMax: small)
        } catch {
            return try expect(!error.description.isEmpty, "no reason")
        }
        try expect(decoded.count <= small, "longer than its bound")
        let again = try ContentDecoder.decode(body, field: coding, bytesMax: 1 << 20)
        try expect(again, equals: decoded, "by another bound")
    }

    private func checkEncoding(_ body: [UInt8], label: Int) throws {
        guard let encoding = TextEncoding(label: Self.labels[label % Self.labels.count]) else {
            throw Finding(description: "a label that is not known")
        }
        guard let text = encoding.utf8(body) else { throw Finding(description: "no reader of \(encoding.name)") }
        try expect(String(validating: text, as: UTF8.self) != nil, "not UTF-8 of \(encoding.name)")
        try expect(text.count <= body.count * 4 + 4, "\(text.count) bytes of \(body.count) in \(encoding.name)")
        // Names from outside open nothing but what the list has.
        _ = TextEncoding(label: String(decoding: body, as: UTF8.self))
    }

    private func checkDate(_ body: [UInt8]) throws {
        let text = String(decoding: body, as: UTF8.self)
        guard let time = FeedDate.read(text) else { return }
        try expect(FeedDate.read(" " + text + " "), equals: time, "between blanks")
        try expect(FeedDate.read(time.text), equals: time, "written and read")
    }
}
