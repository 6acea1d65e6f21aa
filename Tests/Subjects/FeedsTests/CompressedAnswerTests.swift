import Digits
import JSON
import Model
import Testing

@testable import Feeds

/// Answers that were compressed although nobody asked for it.
struct CompressedAnswerTests {
    private static let now = Timestamp(seconds: 1_800_000_000)
    private static let feed = """
        H4sIAAAAAAACA7MpKi62s0nOSMzLS82xs8ksSc21s0kvzUyxM7TRB9M2JZklOal2/nmpNvoQpo0+RJk+XJs+yBQATONAFEsAAAA=
        """
    private static let series =
        "H4sIAAAAAAACA6tWykxRslIwNLa01FFQykvMTQXylPzzUpVA3NLcpNSi+Py0+OLUxOL8vGKgnFEtAKCEbEYzAAAA"
    /// Five megabytes of blanks, compressed twice.
    private static let bomb = """
        H4sIAAAAAAACA5Pv5mAAASbmNwcbQYwGhal/NcVXcjGMglEwCkbBKBgFo2AUjIJRMApGwSgYBaNgmIOG283OTCCG4/9460OjgwGjYBQMRyDDeHnDZWcGhgAGAOerG28JFAAA
        """

    private static func read(_ text: String, _ row: JSONObject, of target: FeedTarget, field: String?) throws
        -> FeedFindings
    {
        let bytes = try #require(Base64.padded.decode(Array(text.utf8)))
        return try FeedDefinition(row).read(
            bytes, of: target, contentType: "text/xml; charset=utf-8", contentEncoding: field, now: now)
    }

    private static let rss: JSONObject = ["name": "a", "kind": "rss", "url": "https://e.org/"]

    @Test(arguments: ["gzip", "x-gzip", "GZIP", "deflate", "utf-8", nil])
    func `a feed in gzip is read, whatever the field says`(_ field: String?) throws {
        let findings = try Self.read(Self.feed, Self.rss, of: .channel, field: field)
        #expect(AnnouncementReaderTests.data(findings.drafts.first)["title"] == "One")
        let tmdb: JSONObject = ["name": "b", "kind": "tmdb"]
        let series = try Self.read(Self.series, tmdb, of: .series("1399"), field: field).drafts.first
        #expect(AnnouncementReaderTests.data(series)["title"] == "One")
    }

    @Test func `a bomb within a bomb is refused at the bound of answers`() throws {
        for target in [FeedTarget.channel, .series("1")] {
            let problem = try #require(throws: FeedUnreadable.self) {
                try Self.read(Self.bomb, Self.rss, of: target, field: "gzip")
            }
            #expect(problem.description == "the answer is longer than 4194304 bytes when it is decompressed")
        }
    }

    @Test func `a cut answer and an unknown coding are named`() throws {
        let bytes = try #require(Base64.padded.decode(Array(Self.feed.utf8)))
        let feed = try FeedDefinition(Self.rss)
        for (body, field, message) in [
            (Array(bytes.prefix(40)), "gzip", "the compressed answer is damaged or cut"),
            ([0x0b, 0x02, 0x80, 0x68], "br", "the answer is compressed with br, which was not asked for"),
        ] {
            let problem = try #require(throws: FeedUnreadable.self) {
                try feed.read(body, of: .channel, contentType: nil, contentEncoding: field, now: Self.now)
            }
            #expect(problem.description == message)
        }
    }
}
