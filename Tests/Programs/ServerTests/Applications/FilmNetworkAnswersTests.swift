import Configuration
import Foundation
import JSON
import Model
import TestSupport
import Testing
@testable import Telemetry

/// `deploy/apps/film-network.json` with whole answers of TMDB, twice and more in a row: made-up ones, and real ones where
/// somebody has them. The news of a later answer are inserted here.
struct FilmNetworkAnswersTests {
    /// A person and a series, with one fan of both.
    private struct Cinema {
        let sample: TMDBSample
        let world: FeedTests.World
        let fan: Device
        var person: JSONValue
        var series: JSONValue

        init(_ sample: TMDBSample) throws {
            self.sample = sample
            person = try sample.personAnswer()
            series = try sample.seriesAnswer()
            world = try FeedTests.World(
                ["/3/person/\(sample.id)": .json(person), "/3/tv/\(sample.series.id)": .json(series)],
                application: .filmNetwork)
            fan = try world.server.device("fan")
            for topic in ["person:\(sample.id)", "series:\(sample.series.id)"] {
                try fan.ok(["type": "follow", "topic": .string(topic)])
            }
            try world.put("films", ["kind": "tmdb", "url": .string(world.source.url + "/3"), "key": "sesame"])
            try world.settle("films", requests: 2)
        }

        /// Makes the source answer again, and returns the new notifications on the fan's device.
        mutating func answer() throws -> [JSONValue] {
            let before = try fan.notifications().count
            world.source.set("/3/person/\(sample.id)", .json(person))
            world.source.set("/3/tv/\(sample.series.id)", .json(series))
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

    @Test(arguments: TMDBSample.all)
    func `the first answer rings nobody, the same again writes nothing`(_ sample: TMDBSample) throws {
        var cinema = try Cinema(sample)
        let credit = try cinema.world.document("people/\(sample.id)/credits/movie/\(sample.other.id)")
        #expect(try cinema.world.document("people/\(sample.id)")?["name"] == .string(sample.name))
        #expect(credit?["title"] == sample.other.title)
        #expect(
            try cinema.world.document("series/\(sample.series.id)")?["seasons"] == .integer(sample.series.seasons))
        #expect(try cinema.fan.notifications() == [])
        let writes = try cinema.world.state("films", "written")
        #expect(try cinema.answer() == [])
        #expect(try cinema.answer() == [])
        #expect(try cinema.world.state("films", "written") == writes)
        #expect(try cinema.world.titles(cinema.fan) == [])
    }

    @Test(arguments: TMDBSample.all)
    func `a release day that moves rings for that film alone, in the feed where it is no director's`(
        _ sample: TMDBSample
    ) throws {
        var cinema = try Cinema(sample)
        cinema.change("crew") { crew in
            for index in crew.indices where crew[index]["title"] == .string(sample.film) {
                crew[index]["release_date"] = .string(Self.recently)
            }
        }
        let told = try cinema.answer()
        #expect(told.texts("title") == [sample.film])
        #expect(told.texts("body") == ["Out now, with \(sample.name) (\(sample.job))."])
        #expect(told.texts("level") == ["passive"])
        #expect(try cinema.answer() == [])
        cinema.change("crew") { crew in
            for index in crew.indices where crew[index]["title"] == .string(sample.film) {
                crew[index]["release_date"] = "2999-01-01"
            }
        }
        #expect(try cinema.answer() == [])
        #expect(try cinema.world.titles(cinema.fan) == [], "what was told is taken back: it is not out")
    }

    @Test(arguments: TMDBSample.all)
    func `a new credit of today rings, and a new credit of 1994 does not`(_ sample: TMDBSample) throws {
        var cinema = try Cinema(sample)
        cinema.change("crew") {
            $0 += [
                FeedTests.film(100, "Of 1994", "1994-10-14"), FeedTests.film(101, "Directed", Self.recently),
                FeedTests.film(102, "Ahead", "2999-01-01"),
            ]
        }
        let told = try cinema.answer()
        #expect(told.texts("title") == ["New release: Directed"])
        #expect(told.texts("body") == ["Out now, directed by \(sample.name)."])
        #expect(told.texts("level") == ["active"])
        #expect(try cinema.answer() == [])
        // A withdrawn credit removes its notification, and causes none.
        cinema.change("crew") { $0.removeAll { $0["id"] == 101 } }
        #expect(try cinema.answer() == [])
        #expect(try cinema.world.titles(cinema.fan) == [])
    }

    @Test(arguments: TMDBSample.all)
    func `a season is in the feed when it is announced, and rings when it airs`(_ sample: TMDBSample) throws {
        var cinema = try Cinema(sample)
        let next = sample.series.seasons + 1
        cinema.series["number_of_seasons"] = .integer(next)
        let announced = try cinema.answer()
        #expect(announced.texts("title") == ["\(sample.series.title): new season"])
        #expect(announced.texts("level") == ["passive"])
        #expect(try cinema.answer() == [])
        cinema.series["next_episode_to_air"] = [
            "air_date": .string(Self.recently), "season_number": .integer(next), "episode_number": 1,
        ]
        let airs = try cinema.answer()
        #expect(airs.texts("title") == ["\(sample.series.title): season \(next) begins"])
        #expect(airs.texts("level") == ["active"])
        #expect(try cinema.answer() == [])
        #expect(try cinema.world.titles(cinema.fan).count == 1, "they replace each other")
    }
}
