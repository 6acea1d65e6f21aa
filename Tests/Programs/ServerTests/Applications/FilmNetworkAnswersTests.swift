import Configuration
import Foundation
import JSON
import Model
import TestSupport
import Testing
@testable import Telemetry

/// `deploy/apps/film-network.json` with real answers of TMDB, twice and more in a row. The news of a later answer are
/// inserted here.
@Suite(
    .enabled(
        if: FileManager.default.fileExists(atPath: FeedTests.realAnswers.path), "the answers of TMDB are not there"))
struct FilmNetworkAnswersTests {
    /// Brad Pitt and Game of Thrones, with one fan of both.
    private struct Cinema {
        let world: FeedTests.World
        let fan: Device
        var person: JSONValue
        var series: JSONValue

        init() throws {
            person = try Self.real("person.json")
            person["combined_credits"] = try Self.real("person-combined-credits.json")
            series = try Self.real("tv-series-details-append-response.json")
            world = try FeedTests.World(
                ["/3/person/287": .json(person), "/3/tv/1399": .json(series)], application: .filmNetwork)
            fan = try world.server.device("fan")
            for topic in ["person:287", "series:1399"] { try fan.ok(["type": "follow", "topic": .string(topic)]) }
            try world.put("films", ["kind": "tmdb", "url": .string(world.source.url + "/3"), "key": "sesame"])
            try world.settle("films", requests: 2)
        }

        private static func real(_ name: String) throws -> JSONValue {
            try JSONValue(parsing: Array(Data(contentsOf: FeedTests.realAnswers.appending(path: name))))
        }

        /// Makes the source answer again, and returns the new notifications on the fan's device.
        mutating func answer() throws -> [JSONValue] {
            let before = try fan.notifications().count
            world.source.set("/3/person/287", .json(person))
            world.source.set("/3/tv/1399", .json(series))
            try world.run("films", requests: 2)
            return Array(try fan.notifications().dropFirst(before))
        }

        /// Changes the entries of `crew` or `cast`.
        mutating func change(_ part: String, _ edit: (inout [JSONValue]) -> Void) {
            var entries = person["combined_credits"]?[part]?.arrayValue ?? []
            edit(&entries)
            var credits = person["combined_credits"] ?? [:]
            credits[part] = .array(entries)
            person["combined_credits"] = credits
        }
    }

    /// The day before yesterday: nine o'clock on it is past in all zones.
    private static var recently: String {
        String(WallClock.system.now().adding(milliseconds: -2 * 86_400_000).text.prefix(10))
    }

    @Test func `the first answer rings nobody, the same again writes nothing`() throws {
        var cinema = try Cinema()
        #expect(try cinema.world.document("people/287")?["name"] == "Brad Pitt")
        #expect(try cinema.world.document("people/287/credits/movie/109091")?["title"] == "The Counselor")
        #expect(try cinema.world.document("series/1399")?["seasons"] == 7)
        #expect(try cinema.fan.notifications() == [])
        let writes = try cinema.world.state("films", "written")
        #expect(try cinema.answer() == [])
        #expect(try cinema.answer() == [])
        #expect(try cinema.world.state("films", "written") == writes)
        #expect(try cinema.world.titles(cinema.fan) == [])
    }

    @Test func `a release day that moves rings for that film alone, in the feed where it is no director's`() throws {
        var cinema = try Cinema()
        cinema.change("crew") { crew in
            for index in crew.indices where crew[index]["title"] == "Big Men" {
                crew[index]["release_date"] = .string(Self.recently)
            }
        }
        let told = try cinema.answer()
        #expect(told.texts("title") == ["Big Men"])
        #expect(told.texts("body") == ["Out now, with Brad Pitt (Executive Producer)."])
        #expect(told.texts("level") == ["passive"])
        #expect(try cinema.answer() == [])
        cinema.change("crew") { crew in
            for index in crew.indices where crew[index]["title"] == "Big Men" {
                crew[index]["release_date"] = "2999-01-01"
            }
        }
        #expect(try cinema.answer() == [])
        #expect(try cinema.world.titles(cinema.fan) == [], "what was told is taken back: it is not out")
    }

    @Test func `a new credit of today rings, and a new credit of 1994 does not`() throws {
        var cinema = try Cinema()
        cinema.change("crew") {
            $0 += [
                FeedTests.film(100, "Of 1994", "1994-10-14"), FeedTests.film(101, "Directed", Self.recently),
                FeedTests.film(102, "Ahead", "2999-01-01"),
            ]
        }
        let told = try cinema.answer()
        #expect(told.texts("title") == ["New release: Directed"])
        #expect(told.texts("body") == ["Out now, directed by Brad Pitt."])
        #expect(told.texts("level") == ["active"])
        #expect(try cinema.answer() == [])
        // A withdrawn credit removes its notification, and causes none.
        cinema.change("crew") { $0.removeAll { $0["id"] == 101 } }
        #expect(try cinema.answer() == [])
        #expect(try cinema.world.titles(cinema.fan) == [])
    }

    @Test func `a season is in the feed when it is announced, and rings when it airs`() throws {
        var cinema = try Cinema()
        cinema.series["number_of_seasons"] = 8
        let announced = try cinema.answer()
        #expect(announced.texts("title") == ["Game of Thrones: new season"])
        #expect(announced.texts("level") == ["passive"])
        #expect(try cinema.answer() == [])
        cinema.series["next_episode_to_air"] = [
            "air_date": .string(Self.recently), "season_number": 8, "episode_number": 1,
        ]
        let airs = try cinema.answer()
        #expect(airs.texts("title") == ["Game of Thrones: season 8 begins"])
        #expect(airs.texts("level") == ["active"])
        #expect(try cinema.answer() == [])
        #expect(try cinema.world.titles(cinema.fan).count == 1, "they replace each other")
    }
}
