import JSON
import Model
import Testing

@testable import Feeds

/// Unusual answers of TMDB; `TMDBAnswerTests` has whole ones.
struct TMDBReaderTests {
    static func documents(_ findings: FeedFindings) -> [String: JSONObject] {
        Dictionary(
            findings.drafts.compactMap { draft in
                guard case .put(let data) = draft.outcome(over: nil) else { return nil }
                return (draft.path.text, data)
            }, uniquingKeysWith: { first, _ in first })
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
