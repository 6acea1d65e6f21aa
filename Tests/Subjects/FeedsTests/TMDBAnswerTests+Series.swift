import JSON
import Model
import TestSupport
import Testing

@testable import Feeds

/// Series, and what is no answer.
extension TMDBAnswerTests {
    @Test(
        arguments: [
            (
                "series-running.json", "600111",
                [
                    "title": "Seven Kettles: The Series", "product": "tv/600111", "seasons": 2, "episodes": 14,
                    "firstAirDate": "2019-09-13", "lastAirDate": "2026-10-30", "nextAirDate": "2026-12-04",
                    "nextSeason": 2,
                    "nextEpisode": 7, "status": "Returning Series",
                ]
            ),
            (
                "series-ended.json", "600112",
                [
                    "title": "Kiosk z zielonym daszkiem", "product": "tv/600112", "seasons": 3, "episodes": 21,
                    "firstAirDate": "1984-01-07", "lastAirDate": "1986-12-20", "nextAirDate": nil, "nextSeason": nil,
                    "nextEpisode": nil, "status": "Ended",
                ]
            ),
            (
                "series-uncounted.json", "600110",
                [
                    "title": nil, "product": "tv/600110", "seasons": 2, "episodes": nil, "firstAirDate": nil,
                    "lastAirDate": nil, "nextAirDate": nil, "nextSeason": nil, "nextEpisode": nil, "status": nil,
                ]
            ),
            (
                "series-numbers-as-text.json", "600113",
                [
                    "title": "Goście niedzielni", "product": "tv/600113", "seasons": 28, "episodes": 1303,
                    "firstAirDate": "1999-04-11", "lastAirDate": nil, "nextAirDate": "2026-12-06", "nextSeason": 28,
                    "nextEpisode": 1304, "status": "Returning Series",
                ]
            ),
        ] as [(String, String, JSONObject)])
    func `a series becomes one document`(_ file: String, _ id: String, _ document: JSONObject) throws {
        let findings = try Self.read(file, of: .series(id))
        #expect(Self.documents(findings) == ["series/\(id)": document])
        #expect(findings.whole == nil)
    }

    @Test(arguments: SampleData.all(with: "tmdb/tv-series-details-append-response.json"))
    func `a series with all that can be appended to it becomes a document`(_ data: SampleData) throws {
        let id = data.isOwn ? "600117" : "1399"
        let answer = try data.json("tmdb/tv-series-details-append-response.json")
        let series = try #require(
            Self.documents(try TMDBReader(feed: "films").series(id, answer))["series/\(id)"])
        #expect(series["title"] == (data.isOwn ? "Das Haus mit den elf Wohnungen" : "Game of Thrones"))
        #expect(series["seasons"] == (data.isOwn ? 4 : 7))
        #expect(series["lastAirDate"] == (data.isOwn ? "2025-12-24" : "2017-08-27"))
        #expect(series["nextAirDate"] == .null)
    }

    // MARK: What is no answer

    @Test(
        arguments: [
            ("person-tiny.json", .person("800104"), "is not person 800104 with combined_credits"),
            ("person-without-credits.json", .person("800104"), "is not person 800104 with combined_credits"),
            ("person-director.json", .person("800102"), "is not person 800102"),
            ("person-cut-short.txt", .person("800101"), "is not JSON"),
            ("series-announced.json", .series("600114"), "does not say how many seasons series 600114 has"),
            ("series-running.json", .series("600112"), "is not series 600112"),
            ("error-404.json", .series("600111"), "is not series 600111"),
            ("error-502.txt", .person("1"), "is not JSON"),
        ] as [(String, FeedTarget, String)])
    func `a text that is not a whole answer is refused with its reason`(
        _ file: String, _ target: FeedTarget, _ reason: String
    ) throws {
        let problem = try #require(throws: FeedUnreadable.self) { try Self.read(file, of: target) }
        #expect(problem.description.contains(reason), "\(problem)")
    }

    @Test(
        arguments: [
            (
                "error-401.json", 401,
                .refused("it answered with status 401: Invalid API key: ask the project for a key of your own.")
            ),
            ("error-404.json", 404, .gone), ("error-429.json", 429, .limited(waitMilliseconds: 10_000)),
            (
                "error-429.json", 500,
                .failed(
                    "it answered with status 500: Your request count (51) is over the allowed limit of 50.",
                    waitMilliseconds: nil)
            ),
            ("error-502.txt", 502, .failed("it answered with status 502", waitMilliseconds: nil)),
        ] as [(String, Int, FeedVerdict)])
    func `an error has the words of TMDB about it`(_ file: String, _ status: Int, _ expected: FeedVerdict) throws {
        let verdict = FeedVerdict(
            status: status, of: .person("1"), retryAfter: "10", body: try SampleData.own.bytes("tmdb/\(file)"),
            now: Self.now)
        #expect(verdict == expected)
    }
}
