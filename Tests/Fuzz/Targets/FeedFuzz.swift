import Feeds
import JSON
import Model

/// Answers of feeds: every answer gives documents with valid paths and bounded texts, the same each time, or is refused
/// with a phrase. The first byte chooses the kind of answer.
struct FeedFuzz: FuzzTarget {
    static let name = "Feed"

    private let targets: [(feed: FeedDefinition, target: FeedTarget, prefix: String)]
    private let now = Timestamp(seconds: 1_800_000_000)

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
        guard let first = input.first else { return }
        let (feed, target, prefix) = targets[Int(first) % targets.count]
        let body = Array(input.dropFirst())
        let found: FeedFindings
        do throws(FeedUnreadable) {
            found = try feed.read(body, of: target, contentType: "text/xml; charset=iso-8859-7", now: now)
        } catch {
            return try expect(!error.description.isEmpty, "no reason")
        }
        let again = try feed.read(body, of: target, contentType: "text/xml; charset=iso-8859-7", now: now)
        try expect(again, equals: found, "read again")
        for draft in found.drafts {
            try expect(draft.path.text.hasPrefix(prefix), "a document elsewhere: \(draft.path)")
            guard case .put(let data) = draft.outcome(over: nil) else { continue }
            try expect(JSONValue.object(data).bytes.count <= DocumentLimits.bytesMax, "a document that is too large")
            try expect(draft.outcome(over: data), equals: .nothing, "laid over itself")
        }
    }
}
