import Configuration
import JSON
import Model
import TestSupport
import Testing
@testable import Telemetry

/// A film by two directors: followers of one or both are notified once.
struct TwoDirectorsTests {
    private static let people = ["9339": "Lana Wachowski", "9340": "Lilly Wachowski"]
    /// The directors that each fan follows.
    private static let fans = [("lucia", ["9339"]), ("marek", ["9340"]), ("nora", ["9339", "9340"])]

    private static func count(_ devices: [Device]) throws -> [Int] { try devices.map { try $0.notifications().count } }

    /// The unread count of each fan: in the list, and in the device's last counts.
    private static func unread(_ devices: [Device]) throws -> [Int64?] {
        try devices.map { device in
            let list = try device.ok(["type": "notifications"])
            #expect(list["notifications"]?.arrayValue?.count == list["unread"]?.integerValue.map { Int($0) })
            #expect(device.messages.last { $0["type"] == "unread" }?["notifications"] == list["unread"])
            return list["unread"]?.integerValue
        }
    }

    @Test(arguments: ["2027-01-13", "2027-01-20"])
    func `credits of one film written for both ring once, at once or on its day`(day: String) throws {
        let stage = try ApplicationStage(.filmNetwork)
        for (id, name) in Self.people { try stage.put("people/\(id)", ["name": .string(name)]) }
        let devices = try Self.fans.map { try stage.device($0.0, "en") }
        for (fan, people) in Self.fans { for id in people { try stage.follow("people/\(id)", by: fan) } }
        for id in ["9339", "9340"] {
            try stage.put(
                "people/\(id)/credits/movie/603",
                ["job": "Director", "title": "The Matrix", "releaseDate": .string(day)])
        }
        if day > "2027-01-15" {
            #expect(try Self.count(devices) == [0, 0, 0])
            try stage.setClock("\(day)T09:00:01Z")
            try stage.settleSchedules()
        }
        #expect(try Self.count(devices) == [1, 1, 1])
        #expect(try Self.unread(devices) == [1, 1, 1])
        #expect(try devices[1].notifications().texts("body") == ["Out now, directed by Lilly Wachowski."])
        #expect(try devices[2].notifications().texts("title") == ["New release: The Matrix"])
        // A device that connects only now has the same list.
        #expect(try stage.inbox("nora", "en").texts("title") == ["New release: The Matrix"])
    }

    @Test func `a film that TMDB has among the credits of both rings once, though two answers bring it`() throws {
        func answer(_ id: String, _ films: [JSONValue]) -> WebServer.Answer {
            .json([
                "id": .integer(Int64(id) ?? 0), "name": .string(Self.people[id] ?? ""),
                "combined_credits": ["cast": [], "crew": .array(films)],
            ])
        }
        let old = [FeedTests.film(603, "The Matrix", "1999-03-31")]
        let world = try FeedTests.World(
            ["/3/person/9339": answer("9339", old), "/3/person/9340": answer("9340", old)], application: .filmNetwork)
        let devices = try Self.fans.map { try world.server.device($0.0) }
        for (device, fan) in zip(devices, Self.fans) {
            for id in fan.1 { try device.ok(["type": "follow", "topic": .string("person:\(id)")]) }
        }
        try world.put("films", ["kind": "tmdb", "url": .string(world.source.url + "/3"), "key": "sesame"])
        try world.settle("films", requests: 2)
        #expect(try Self.count(devices) == [0, 0, 0])
        let day = String(WallClock.system.now().adding(milliseconds: -2 * 86_400_000).text.prefix(10))
        for id in ["9339", "9340"] {
            world.source.set("/3/person/\(id)", answer(id, old + [FeedTests.film(604, "Reloaded", day)]))
        }
        try world.run("films", requests: 2)
        for device in devices { try device.event("notification") }
        #expect(try Self.count(devices) == [1, 1, 1])
        #expect(try Self.unread(devices) == [1, 1, 1])
        try world.run("films", requests: 2)
        #expect(try Self.count(devices) == [1, 1, 1])
    }
}
