import Foundation
import JSON
import Model
import Outbound
import Server
import Synchronization
import TestSupport
import Testing
@testable import Configuration
@testable import Telemetry

/// Feeds with a server that plays their sources, over real sockets.
struct FeedTests {
    /// A source whose answers a test sets by path, with or without its query; it supports ETags, and has its own error messages.
    final class Source: Sendable {
        let server: WebServer
        private let shelf: Shelf

        init(_ answers: [String: WebServer.Answer]) throws {
            let shelf = Shelf(answers)
            server = try WebServer { shelf.answer($0) }
            self.shelf = shelf
        }

        deinit { server.stop() }

        func set(_ path: String, _ answer: WebServer.Answer) { shelf.set(path, answer) }

        var url: String { "http://127.0.0.1:\(server.port)" }
    }

    final class Shelf: Sendable {
        private let answers: Mutex<[String: WebServer.Answer]>

        init(_ answers: [String: WebServer.Answer]) { self.answers = Mutex(answers) }

        func set(_ path: String, _ answer: WebServer.Answer) { answers.withLock { $0[path] = answer } }

        func answer(_ request: WebServer.Request) -> WebServer.Answer {
            let path = String(request.target.prefix { $0 != "?" })
            guard let answer = answers.withLock({ $0[request.target] ?? $0[path] }) else {
                return .json(["status_code": 34, "status_message": "The resource could not be found."], status: 404)
            }
            let tag = answer.headers.first { $0.0 == "ETag" }?.1
            if let tag, request.headers["if-none-match"] == tag { return WebServer.Answer(status: 304) }
            return answer
        }
    }

    /// A WatchWise with its feeds.
    final class World {
        let folder: TemporaryFolder
        private(set) var server: TestServer
        let source: Source
        private let isPrivateAllowed: Bool
        private let feeds: [JSONObject]
        private let application: ReadyApplication?

        /// - Parameter application: The application whose configuration the server uses; nil for none.
        init(
            _ answers: [String: WebServer.Answer], feeds: [JSONObject] = [], isPrivateAllowed: Bool = true,
            application: ReadyApplication? = nil
        ) throws {
            folder = TemporaryFolder()
            source = try Source(answers)
            self.isPrivateAllowed = isPrivateAllowed
            self.feeds = feeds
            self.application = application
            server = try Self.start(in: folder, isPrivateAllowed, feeds, application)
        }

        deinit { server.application.stop() }

        private static func start(
            in folder: TemporaryFolder, _ isPrivateAllowed: Bool, _ feeds: [JSONObject],
            _ application: ReadyApplication?
        ) throws -> TestServer {
            let configured = try application.map { try ConfigurationLayers(file: $0.configuration).configuration() }
            return try TestServer(in: folder) { configuration in
                if let configured {
                    configuration.triggers = configured.triggers
                    configuration.rules = configured.rules
                    configuration.collections = configured.collections
                }
                if isPrivateAllowed { configuration.outboundAllow = .loopback }
                configuration.feeds = feeds.compactMap {
                    try? FeedConfiguration($0, environment: ["TMDB": "configured"])
                }
            }
        }

        func restart() throws {
            server.application.stop()
            server = try Self.start(in: folder, isPrivateAllowed, feeds, application)
        }

        func put(_ name: String, _ row: JSONObject) throws {
            let answer = try server.admin().call("PUT", "/v1/feeds/\(name)", .object(row))
            guard answer.status == 200 else { throw TCPSocket.Failure(description: answer.text) }
        }

        func feed(_ name: String) throws -> JSONValue { try server.admin().call("GET", "/v1/feeds/\(name)").json() }

        func state(_ name: String, _ member: String) throws -> JSONValue {
            try feed(name)["state"]?[member] ?? .null
        }

        func wait(_ what: String, seconds: Int = 10, until isTrue: () throws -> Bool) throws {
            for _ in 0..<50 * seconds {
                if try isTrue() { return }
                Thread.pause(milliseconds: 20)
            }
            throw TCPSocket.Failure(description: "it never came to: \(what)")
        }

        /// Waits until a feed has no running requests, after at least this number of requests.
        func settle(_ name: String, requests: Int64) throws {
            try wait("\(requests) requests of \(name)") {
                let state = try feed(name)["state"]
                return (state?["requests"]?.integerValue ?? 0) >= requests && state?["waiting"] == 0
            }
        }

        /// Runs a feed and waits for this number of further requests.
        func run(_ name: String, requests: Int64 = 1) throws {
            let before = try state(name, "requests").integerValue ?? 0
            let answer = try server.admin().call("POST", "/v1/feeds/\(name)/run")
            guard answer.status == 202 else { throw TCPSocket.Failure(description: answer.text) }
            try settle(name, requests: before + requests)
        }

        func document(_ path: String) throws -> JSONValue? {
            let answer = try server.admin().call("GET", "/v1/documents/\(path)")
            return answer.status == 200 ? try answer.json()["data"] : nil
        }

        func trigger(_ row: JSONObject) throws {
            var row = row
            row["kind"] = row["kind"] ?? "news"
            let name = row["name"]?.stringValue ?? ""
            let answer = try server.admin().call("PUT", "/v1/triggers/\(name)", .object(row))
            guard answer.status == 200 else { throw TCPSocket.Failure(description: answer.text) }
        }

        func titles(_ device: Device) throws -> [String] {
            try device.ok(["type": "notifications"])["notifications"]?.arrayValue?
                .compactMap { $0["title"]?.stringValue } ?? []
        }
    }

    static func rss(_ items: [(id: String, title: String)]) -> [UInt8] {
        let items = items.map {
            "<item><guid isPermaLink='false'>\($0.id)</guid><title>\($0.title)</title>"
                + "<link>https://e.org/\($0.id)</link><pubDate>Fri, 20 Nov 2026 12:00:00 GMT</pubDate></item>"
        }
        return Array("<rss version='2.0'><channel><title>x</title>\(items.joined())</channel></rss>".utf8)
    }

    static let announcement: JSONObject = [
        "name": "announcement", "event": "write", "path": "announcements/{id}", "condition": "after IS NOT NULL",
        "audience": "followers:feed:{after.feed}", "title": "{{after.title}}", "collapse": "announcement:{{id}}",
    ]

    // MARK: Announcements

    @Test
    func `announcements: the first fetch notifies nobody, a new one rings once, and the same one writes nothing`()
        throws
    {
        let world = try World(["/rss": WebServer.Answer(headers: [("ETag", "\"1\"")], body: Self.rss([("1", "Old")]))])
        try world.trigger(Self.announcement)
        let student = try world.server.device("student")
        try student.ok(["type": "follow", "topic": "feed:dept"])
        try world.put("dept", ["kind": "rss", "url": .string(world.source.url + "/rss")])
        try world.settle("dept", requests: 1)
        #expect(try world.document("announcements/1")?["title"] == "Old")
        #expect(try world.titles(student) == [])

        // The same content by its ETag, then the same without one.
        let admin = try world.server.admin()
        let head = try admin.head()
        let commits = try admin.statistic("commits_total")
        try world.run("dept")
        #expect(world.source.server.requests.last?.headers["if-none-match"] == "\"1\"")
        world.source.set("/rss", WebServer.Answer(headers: [("ETag", "\"2\"")], body: Self.rss([("1", "Old")])))
        try world.run("dept")
        #expect(try world.state("dept", "unchanged") == 2)
        #expect(try admin.head() == head)
        #expect(try admin.statistic("commits_total") == commits.map { $0 + 2 }, "those of the runs alone")

        world.source.set("/rss", WebServer.Answer(body: Self.rss([("2", "New"), ("1", "Old")])))
        try world.run("dept")
        _ = try student.event("notification")
        #expect(try world.titles(student) == ["New"])
        try world.run("dept")
        #expect(try world.titles(student) == ["New"])

        world.source.set("/rss", WebServer.Answer(body: Self.rss([("2", "New, corrected")])))
        try world.run("dept")
        try world.wait("the correction") { try world.titles(student) == ["New, corrected"] }
        #expect(try world.document("announcements/1")?["title"] == "Old", "what has gone from the feed stays")
    }

    @Test func `with backfill false the entries of the first fetch notify, too`() throws {
        let world = try World(["/rss": WebServer.Answer(body: Self.rss([("1", "First")]))])
        try world.trigger(Self.announcement)
        let student = try world.server.device("student")
        try student.ok(["type": "follow", "topic": "feed:dept"])
        try world.put("dept", ["kind": "rss", "url": .string(world.source.url + "/rss"), "backfill": false])
        _ = try student.event("notification")
        #expect(try world.titles(student) == ["First"])
    }

    @Test func `a restart does not fetch targets that are not due, and later fetches are conditional`() throws {
        let world = try World(["/rss": WebServer.Answer(headers: [("ETag", "\"1\"")], body: Self.rss([("1", "Old")]))])
        try world.put("dept", ["kind": "rss", "url": .string(world.source.url + "/rss"), "interval": "1h"])
        try world.settle("dept", requests: 1)
        try world.restart()
        try world.wait("the feeds are loaded") { try world.state("dept", "requests") == 0 }
        Thread.pause(milliseconds: 300)
        #expect(world.source.server.requests.count == 1)
        try world.run("dept")
        #expect(world.source.server.requests.last?.headers["if-none-match"] == "\"1\"")
        #expect(try world.state("dept", "unchanged") == 1)
    }

    // MARK: The Movie Database

    static func person(_ credits: [JSONValue], name: JSONValue = "C. Nolan") -> WebServer.Answer {
        .json(["id": 525, "name": name, "combined_credits": ["cast": [], "crew": .array(credits)]])
    }

    static func film(_ id: Int64, _ title: JSONValue, _ date: String) -> JSONValue {
        ["id": .integer(id), "media_type": "movie", "title": title, "release_date": .string(date), "job": "Director"]
    }

    /// Yesterday, since a release of today notifies at nine, and the tests run at any time.
    static var yesterday: String { String(WallClock.system.now().adding(milliseconds: -86_400_000).text.prefix(10)) }

    static func filmNetwork(_ world: World) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "deploy/triggers/film-network.json")
        for row in try JSONValue(parsing: Array(Data(contentsOf: file))).arrayValue ?? [] {
            if let row = row.objectValue { try world.trigger(row) }
        }
    }

    @Test func `credits of those who are followed: old films ring nobody, a release of yesterday does, once`() throws {
        let yesterday = Self.yesterday
        let world = try World([
            "/3/person/525": Self.person([Self.film(1, "Old", "1998-01-01"), Self.film(2, "Soon", "2999-01-01")])
        ])
        try Self.filmNetwork(world)
        let fan = try world.server.device("fan")
        try fan.ok(["type": "follow", "topic": "person:525"])
        try world.put("films", ["kind": "tmdb", "url": .string(world.source.url + "/3"), "key": "sesame"])
        try world.settle("films", requests: 1)
        #expect(world.source.server.requests.first?.target.contains("api_key=sesame") == true)
        #expect(try world.document("people/525")?["name"] == "C. Nolan")
        #expect(try world.document("people/525/credits/movie/2")?["releaseDate"] == "2999-01-01")
        #expect(try world.titles(fan) == [])

        let films = [
            Self.film(1, "Old", "1998-01-01"), Self.film(2, "Soon", yesterday), Self.film(3, "Newer", yesterday),
        ]
        world.source.set("/3/person/525", Self.person(films))
        try world.run("films")
        try world.wait("two releases") { try world.titles(fan).count == 2 }
        try world.run("films")
        #expect(try world.titles(fan).count == 2)

        // A withdrawn credit; documents that the application wrote itself are not changed.
        _ = try world.server.admin().call("PUT", "/v1/documents/people/525/credits/movie/9", ["job": "Director"])
        world.source.set("/3/person/525", Self.person([Self.film(1, "Old", "1998-01-01")]))
        try world.run("films")
        #expect(try world.document("people/525/credits/movie/3") == nil)
        #expect(try world.document("people/525/credits/movie/9") != nil)
        #expect(try world.document("people/525/credits/movie/1") != nil)
    }

    @Test(arguments: TMDBSample.all)
    func `a second answer with whole credits rings for news, not for old films or late additions of TMDB`(
        _ sample: TMDBSample
    ) throws {
        let yesterday = Self.yesterday
        let id = sample.id
        var person = try sample.personAnswer()
        let world = try World(["/3/person/\(id)": .json(person)])
        try Self.filmNetwork(world)
        let fan = try world.server.device("fan")
        try fan.ok(["type": "follow", "topic": .string("person:\(id)")])
        try world.put("films", ["kind": "tmdb", "url": .string(world.source.url + "/3"), "key": "sesame"])
        try world.settle("films", requests: 1)
        #expect(try world.document("people/\(id)")?["name"] == .string(sample.name))
        try world.run("films")
        #expect(try world.titles(fan) == [])

        let crew = person["combined_credits"]?["crew"]?.arrayValue ?? []
        let cast = person["combined_credits"]?["cast"]?.arrayValue ?? []
        #expect(!crew.isEmpty && !cast.isEmpty)
        var role = Self.film(102, "Acted", yesterday)
        role["job"] = nil
        person["combined_credits"] = [
            "crew": .array(crew + [Self.film(100, "Of 1994", "1994-10-14"), Self.film(101, "Directed", yesterday)]),
            "cast": .array(cast + [role]),
        ]
        world.source.set("/3/person/\(id)", .json(person))
        try world.run("films")
        try world.wait("two releases") { try world.titles(fan).count == 2 }
        #expect(try Set(world.titles(fan)) == ["New release: Directed", "Acted"])
        try world.run("films")
        #expect(try world.titles(fan).count == 2)
    }

    @Test func `somebody who is followed later is asked for soon, and nobody else again`() throws {
        let world = try World([
            "/3/person/1": .json(["id": 1, "name": "A", "combined_credits": ["cast": [], "crew": []]]),
            "/3/tv/7": .json(["id": 7, "name": "S", "number_of_seasons": 2]),
        ])
        let row: JSONObject = [
            "kind": "tmdb", "url": .string(world.source.url + "/3"), "people": ["1", "followed"], "series": "followed",
            "interval": "10s",
        ]
        try world.put("films", row)
        try world.settle("films", requests: 1)
        let fan = try world.server.device("fan")
        try fan.ok(["type": "follow", "topic": "series:7"])
        try world.wait("the series") { try world.document("series/7") != nil }
        #expect(try world.document("series/7")?["seasons"] == 2)
    }

    @Test func `an empty list of credits, where there were many, is not believed`() throws {
        let world = try World(["/3/person/525": Self.person((1...5).map { Self.film($0, "F", "1998-01-01") })])
        try world.put("films", ["kind": "tmdb", "url": .string(world.source.url + "/3"), "people": ["525"]])
        try world.settle("films", requests: 1)
        world.source.set("/3/person/525", Self.person([]))
        try world.run("films")
        #expect(try world.document("people/525/credits/movie/1") != nil)
        #expect(try world.state("films", "lastError").stringValue?.contains("gone at once") == true)
    }

    // MARK: GIOŚ

    static func index(_ id: Int64, _ name: String, _ time: String) -> WebServer.Answer {
        .json([
            "id": 114, "stCalcDate": .string(time),
            "stIndexLevel": ["id": .integer(id), "indexLevelName": .string(name)],
        ])
    }

    @Test func `an index that worsens against the hour before rings, a correction keeps the hour before`() throws {
        let stations: JSONValue = [
            ["id": 114, "stationName": "Wrocław", "gegrLat": "51.1", "gegrLon": "17.0", "city": ["name": "Wrocław"]]
        ]
        let world = try World([
            "/station/findAll": .json(stations), "/aqindex/getIndex/114": Self.index(1, "Dobry", "2026-11-20 10:00:00"),
        ])
        try world.trigger([
            "name": "worse", "event": "write", "path": "stations/{station}",
            "condition": "after->>'index' > after->>'previous'", "audience": "followers:station:{station}",
            "title": "{{after.name}}: {{after.levelName}}", "collapse": "air:{{station}}",
        ])
        let runner = try world.server.device("runner")
        try runner.ok(["type": "follow", "topic": "station:114"])
        try world.put("air", ["kind": "gios", "url": .string(world.source.url)])
        try world.settle("air", requests: 2)
        #expect(
            try world.document("stations/114") == [
                "name": "Wrocław", "lat": 51.1, "lon": 17.0, "city": "Wrocław", "index": 1, "levelName": "Dobry",
                "at": "2026-11-20T09:00:00.000Z", "previous": nil, "previousAt": nil,
            ])
        world.source.set("/aqindex/getIndex/114", Self.index(3, "Dostateczny", "2026-11-20 11:00:00"))
        try world.run("air", requests: 2)
        try world.wait("it is worse") { try world.titles(runner) == ["Wrocław: Dostateczny"] }
        world.source.set("/aqindex/getIndex/114", Self.index(4, "Zły", "2026-11-20 11:30:00"))
        try world.run("air", requests: 2)
        try world.wait("it is corrected") { try world.titles(runner) == ["Wrocław: Zły"] }
        #expect(try world.document("stations/114")?["previous"] == 1)
        #expect(try world.document("stations/114")?["previousAt"] == "2026-11-20T09:00:00.000Z")
    }
}

extension WebServer.Answer {
    static func json(_ value: JSONValue, status: Int = 200) -> WebServer.Answer {
        WebServer.Answer(status: status, headers: [("Content-Type", "application/json")], body: value.bytes)
    }

    static func raw(_ text: String) -> WebServer.Answer {
        var answer = WebServer.Answer()
        answer.raw = Array(text.utf8)
        return answer
    }
}
