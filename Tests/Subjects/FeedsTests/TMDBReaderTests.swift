import Foundation
import JSON
import Model
import Testing

@testable import Feeds

/// Real answers of TMDB where they are available, and unusual ones.
struct TMDBReaderTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "../shared/data/tmdb").standardized
    static let isThere = FileManager.default.fileExists(atPath: folder.path)

    static func real(_ name: String) throws -> JSONValue {
        try JSONValue(parsing: Array(Data(contentsOf: folder.appending(path: name))))
    }

    static func documents(_ findings: FeedFindings) -> [String: JSONObject] {
        Dictionary(
            findings.drafts.compactMap { draft in
                guard case .put(let data) = draft.outcome(over: nil) else { return nil }
                return (draft.path.text, data)
            }, uniquingKeysWith: { first, _ in first })
    }

    @Test(.enabled(if: isThere, "the answers of TMDB are not there"))
    func `a real person with real credits becomes documents`() throws {
        var person = try Self.real("person.json")
        person["combined_credits"] = try Self.real("person-combined-credits.json")
        let findings = try TMDBReader(feed: "films").person("287", person)
        let documents = Self.documents(findings)
        #expect(documents["people/287"]?["name"] == "Brad Pitt")
        #expect(documents["people/287"]?["deathday"] == .null)
        #expect(documents.count == 5)
        let credit = documents["people/287/credits/movie/174349"]
        #expect(credit?["job"] == "Executive Producer")
        #expect(credit?["title"] == "Big Men")
        #expect(credit?["releaseDate"] == "2014-03-14")
        #expect(credit?["product"] == "movie/174349")
        #expect(documents["people/287/credits/tv/54"]?["job"] == "Actor")
        #expect(documents["people/287/credits/movie/109091"]?["character"] == "Westray")
        #expect(findings.whole?.ids == ["movie/174349", "movie/109091", "tv/54", "tv/69061"])
    }

    @Test(.enabled(if: isThere, "the answers of TMDB are not there"))
    func `a real series becomes a document`() throws {
        let answer = try Self.real("tv-series-details-append-response.json")
        let series = Self.documents(try TMDBReader(feed: "films").series("1399", answer))["series/1399"]
        #expect(series?["title"] == "Game of Thrones")
        #expect(series?["seasons"] == 7)
        #expect(series?["lastAirDate"] == "2017-08-27")
        #expect(series?["nextAirDate"] == .null)
    }

    @Test(.enabled(if: isThere, "the answers of TMDB are not there"))
    func `an error has the words of TMDB about it`() throws {
        let body = Array(try Data(contentsOf: Self.folder.appending(path: "error-status-401.json")))
        let verdict = FeedVerdict(
            status: 401, of: .person("1"), retryAfter: nil, body: body, now: Timestamp(seconds: 0))
        let words = "it answered with status 401: Invalid API key: You must be granted a valid key."
        #expect(verdict == .refused(words))
    }

    static let odd: JSONValue = [
        "id": 1, "name": "", "birthday": "0000-00-00",
        "combined_credits": [
            "crew": [
                ["id": 5, "media_type": "movie", "title": "A", "release_date": "2027-01-01", "job": "Writer"],
                ["id": 5, "media_type": "movie", "title": "A", "release_date": "2027-01-01", "job": "Director"],
                [
                    "id": "6", "media_type": "movie", "title": nil, "original_title": "B", "release_date": "2027-02-30",
                    "job": "Director",
                ],
                ["id": 7, "media_type": "movie", "title": "C", "release_date": "", "job": "Director"],
                ["id": 8, "media_type": "movie", "title": "D", "job": "Director"],
                ["id": 9, "media_type": "podcast", "release_date": "2027-01-01"], ["id": -1], [:], nil, 5,
                ["id": 10, "first_air_date": "2027-01-01", "original_name": "E", "job": nil, "department": nil],
            ],
            "cast": [["id": 5, "media_type": "movie", "release_date": "2027-01-01", "character": "Himself"]],
        ],
    ]

    @Test func `jobs of one film are one credit, a credit without a date waits, and odd entries are left out`() throws {
        let findings = try TMDBReader(feed: "films").person("1", Self.odd)
        let documents = Self.documents(findings)
        #expect(Set(documents.keys) == ["people/1", "people/1/credits/movie/5", "people/1/credits/tv/10"])
        let credit = documents["people/1/credits/movie/5"]
        #expect(credit?["job"] == "Director")
        #expect(credit?["jobs"] == ["Writer", "Director", "Actor"])
        #expect(credit?["character"] == "Himself")
        #expect(credit?["feed"] == "films")
        #expect(documents["people/1"]?["name"] == .null)
        #expect(documents["people/1"]?["birthday"] == .null)
    }

    @Test(
        arguments: [
            [:], ["id": 2], ["id": 1, "combined_credits": nil], ["id": 1, "combined_credits": ["cast": []]],
            ["id": 1, "combined_credits": ["cast": [], "crew": "x"]], [], 5, nil,
        ] as [JSONValue])
    func `an answer that is not a person is refused, and takes no credit away`(_ answer: JSONValue) {
        #expect(throws: FeedUnreadable.self) { try TMDBReader(feed: "films").person("1", answer) }
    }

    @Test func `seasons are counted without the specials where their number is missing`() throws {
        let answer: JSONValue = ["id": 3, "name": "S", "seasons": [["season_number": 0], ["season_number": 1], nil]]
        let series = Self.documents(try TMDBReader(feed: "f").series("3", answer))["series/3"]
        #expect(series?["seasons"] == 1)
        #expect(throws: FeedUnreadable.self) { try TMDBReader(feed: "f").series("3", ["id": 3, "name": "S"]) }
        #expect(throws: FeedUnreadable.self) {
            try TMDBReader(feed: "f").series("3", ["id": 4, "number_of_seasons": 4])
        }
    }
}
