import JSON
import Model
import TestSupport
import Testing

@testable import Feeds

/// Whole answers of TMDB: the project's own ones in `Tests/Data/tmdb`, and real ones where somebody has them.
struct TMDBAnswerTests {
    static let now = Timestamp("2026-11-21T12:30:00Z") ?? Timestamp(seconds: 0)

    static func feed() throws -> FeedDefinition { try FeedDefinition(["name": "films", "kind": "tmdb"]) }

    static func read(_ file: String, of target: FeedTarget) throws -> FeedFindings {
        try feed().read(SampleData.own.bytes("tmdb/\(file)"), of: target, contentType: "application/json", now: now)
    }

    static func documents(_ findings: FeedFindings) -> [String: JSONObject] {
        TMDBReaderTests.documents(findings)
    }

    private static func credit(
        _ jobs: [String], _ title: String, _ date: String, _ product: String, _ character: JSONValue = nil,
        poster: JSONValue = nil
    ) -> JSONObject {
        [
            "job": .string(jobs.first ?? ""), "jobs": .array(jobs.map { .string($0) }), "title": .string(title),
            "releaseDate": .string(date), "product": .string(product), "character": character, "poster": poster,
            "feed": "films",
        ]
    }

    // MARK: People

    @Test func `a director with films and series becomes a document for each that has a day`() throws {
        let findings = try Self.read("person-director.json", of: .person("800101"))
        #expect(
            findings.drafts.map(\.path.text) == [
                "people/800101", "people/800101/credits/movie/700101", "people/800101/credits/movie/700103",
                "people/800101/credits/movie/700114", "people/800101/credits/movie/700120",
                "people/800101/credits/tv/600111", "people/800101/credits/tv/600110",
            ])
        let credits = "people/800101/credits"
        #expect(
            Self.documents(findings) == [
                "people/800101": [
                    "name": "Ida Sundqvist-Åberg", "department": "Directing", "birthday": "1961-02-28", "deathday": nil,
                ],
                "\(credits)/movie/700101": Self.credit(
                    ["Director", "Screenplay"], "The Lamplighter's Daughter", "1987-12-04", "movie/700101",
                    poster: "/p700101.jpg"),
                "\(credits)/movie/700103": Self.credit(
                    ["Executive Producer", "Actor"], "Low Tide at Marlow", "2004-10-08", "movie/700103",
                    "Woman with the Clock", poster: "/p700103.jpg"),
                "\(credits)/movie/700114": Self.credit(
                    ["Director"], "Night Ferry to Ålesund", "2014-02-01", "movie/700114"),
                "\(credits)/movie/700120": Self.credit(
                    ["Director"], "The Pier, Again", "2031-05-01", "movie/700120"),
                "\(credits)/tv/600111": Self.credit(
                    ["Creator"], "Seven Kettles: The Series", "2019-09-13", "tv/600111", poster: "/s600111.jpg"),
                "\(credits)/tv/600110": Self.credit(["Actor"], "Harbour Lights Out", "2012-01-15", "tv/600110"),
            ])
        #expect(findings.whole?.collection == credits)
        #expect(
            findings.whole?.ids == [
                "movie/700101", "movie/700103", "movie/700114", "movie/700120", "tv/600111", "tv/600110",
            ])
        #expect(findings.more == [])
    }

    @Test func `numbers as text, half a birthday and credits without a type are read as far as they go`() throws {
        let findings = try Self.read("person-actor.json", of: .person("800102"))
        let credits = "people/800102/credits"
        #expect(
            Self.documents(findings) == [
                "people/800102": [
                    "name": "Zdzisław „Żółw” Łęcki", "department": nil, "birthday": nil, "deathday": "2003-11-30",
                ],
                "\(credits)/movie/700141": Self.credit(
                    ["Actor"], "Żółw na rowerze", "2005-06-01", "movie/700141", "Żółw (głos)", poster: "/p700141.jpg"),
                "\(credits)/movie/700143": Self.credit(["Actor"], "Poczta nocna", "1979-03-02", "movie/700143"),
                "\(credits)/movie/700142": Self.credit(
                    ["Actor"], "Las pod Łomżą", "1993-10-15", "movie/700142", "Leśniczy"),
                "\(credits)/tv/600112": Self.credit(
                    ["Actor"], "Kiosk z zielonym daszkiem", "1984-01-07", "tv/600112", "Sprzedawca"),
            ])
    }

    @Test func `somebody without a credit is a document, and all credits that were there are gone`() throws {
        let findings = try Self.read("person-newcomer.json", of: .person("800103"))
        #expect(
            Self.documents(findings) == [
                "people/800103": ["name": "Νεφέλη Α.", "department": "Acting", "birthday": nil, "deathday": nil]
            ])
        #expect(findings.whole?.collection == "people/800103/credits")
        #expect(findings.whole?.ids == [])
    }

    @Test func `of more credits than are kept the first ones are written, and the others are not taken away`() throws {
        var answer = try SampleData.own.json("tmdb/person-director.json")
        let credit = try #require(answer["combined_credits"]?["crew"]?.arrayValue?.first)
        let many = (1...Int64(FeedLimits.creditsMax) + 10).map { number in
            var credit = credit
            credit["id"] = .integer(number)
            return credit
        }
        answer["combined_credits"] = ["cast": [], "crew": .array(many)]
        let findings = try TMDBReader(feed: "films").person("800101", answer)
        #expect(findings.drafts.count == 1 + FeedLimits.creditsMax)
        #expect(findings.drafts.last?.path.text == "people/800101/credits/movie/\(FeedLimits.creditsMax)")
        #expect(findings.whole?.ids.count == FeedLimits.creditsMax + 10)
    }

    @Test(arguments: SampleData.all(with: "tmdb/person-combined-credits.json"))
    func `a person whose credits lie in a file of their own becomes documents`(_ data: SampleData) throws {
        var person = try data.json("tmdb/person.json")
        person["combined_credits"] = try data.json("tmdb/person-combined-credits.json")
        let expected = data.isOwn ? Self.ownPerson : Self.realPerson
        let findings = try TMDBReader(feed: "films").person(expected.id, person)
        let documents = Self.documents(findings)
        #expect(documents["people/\(expected.id)"] == expected.document)
        #expect(findings.whole?.ids == Set(expected.credits.map(\.product)))
        #expect(documents.count == 1 + expected.credits.count)
        for credit in expected.credits {
            let document = documents["people/\(expected.id)/credits/\(credit.product)"]
            #expect(document?["product"] == .string(credit.product))
            #expect(document?["title"] == .string(credit.title))
            #expect(document?["releaseDate"] == .string(credit.date))
            #expect(document?["jobs"] == [.string(credit.job)])
            #expect(document?["character"] == credit.character)
        }
    }

    private struct Person {
        let id: String
        let document: JSONObject
        let credits: [(product: String, title: String, date: String, job: String, character: JSONValue)]
    }

    private static let ownPerson = Person(
        id: "800105",
        document: ["name": "Pia Conti", "department": "Production", "birthday": "1944-06-15", "deathday": nil],
        credits: [
            ("tv/600115", "Vento", "2020-11-02", "Executive Producer", nil),
            ("movie/700129", "Il limone di zia Pia", "1988-08-12", "Producer", nil),
            ("tv/600116", "La zia", "1990-01-06", "Actor", nil),
            ("movie/700130", "La notte che non c’è", "2017-06-21", "Actor", "La traghettatrice"),
        ])

    private static let realPerson = Person(
        id: "287",
        document: ["name": "Brad Pitt", "department": "Acting", "birthday": "1963-12-18", "deathday": nil],
        credits: [
            ("tv/69061", "The OA", "2016-12-16", "Executive Producer", nil),
            ("movie/174349", "Big Men", "2014-03-14", "Executive Producer", nil),
            ("tv/54", "Growing Pains", "1985-09-24", "Actor", nil),
            ("movie/109091", "The Counselor", "2013-10-25", "Actor", "Westray"),
        ])
}
