import JSON
import Model
import Testing

@testable import Feeds

struct FeedDefinitionTests {
    @Test(
        arguments: [
            [
                "name": "films", "kind": "tmdb", "people": ["followed", "525", 7], "language": "it-IT",
                "interval": "6h",
            ],
            ["name": "bare", "kind": "tmdb", "language": nil], ["name": "bare", "kind": "gios"],
            ["name": "air", "kind": "gios", "stations": "all", "pollutants": ["PM10"], "interval": "90s"],
            ["name": "dept", "kind": "rss", "url": "https://e.org/rss?x=1", "collection": "news", "backfill": false],
            ["name": "off", "kind": "rss", "url": "http://10.0.0.1:81/", "enabled": false, "requestsPerSecond": 20],
        ] as [JSONObject])
    func `a definition that is read, written and read again is the same`(_ row: JSONObject) throws {
        let feed = try FeedDefinition(row)
        #expect(try FeedDefinition(feed.json) == feed)
        for (name, value) in row.members where !["people", "stations"].contains(name) {
            #expect(feed.json[name] == value)
        }
    }

    @Test(
        arguments: [
            ("name", nil), ("name", "A"), ("name", "-a"), ("name", "a/b"), ("kind", "ftp"), ("kind", nil), ("url", nil),
            ("url", "ftp://e.org"), ("url", "https://"), ("url", "https://u:p@e.org/"), ("url", "https://e.org/#x"),
            ("url", "https://e.org/a b"), ("url", 5), ("interval", "1s"), ("interval", "8d"), ("interval", 5),
            ("interval", "soon"), ("collection", "a/b"), ("collection", ""), ("enabled", "yes"), ("backfill", 1),
            ("requestsPerSecond", 0), ("requestsPerSecond", 21), ("requestsPerSecond", "4"), ("urk", 1),
        ] as [(String, JSONValue)])
    func `a broken row is refused with its field`(_ field: String, _ value: JSONValue) throws {
        var row: JSONObject = ["name": "dept", "kind": "rss", "url": "https://e.org/rss"]
        row[field] = value
        let problem = try #require(throws: FeedProblem.self) { try FeedDefinition(row) }
        #expect(problem.field == field)
        #expect(!problem.message.isEmpty)
    }

    @Test(
        arguments: [
            ("tmdb", "people", ["x"]), ("tmdb", "people", 5), ("tmdb", "people", ["all"]), ("tmdb", "series", ["tv/1"]),
            ("tmdb", "stations", ["1"]), ("gios", "stations", ["01"]), ("gios", "pollutants", "PM10"),
            ("gios", "pollutants", [5]), ("tmdb", "language", "klingonisch!"), ("gios", "people", []),
            ("rss", "people", ["followed"]), ("tmdb", "url", "https://e.org/3?api_key=x"),
        ] as [(String, String, JSONValue)])
    func `a member of another kind of feed, or a wrong value, is refused`(
        _ kind: String, _ field: String, _ value: JSONValue
    ) throws {
        var row: JSONObject = ["name": "a", "kind": .string(kind), "url": "https://e.org/3"]
        row[field] = value
        let problem = try #require(throws: FeedProblem.self) { try FeedDefinition(row) }
        #expect(problem.field == field)
    }

    @Test func `a key is in the request where the source wants it, and in nothing that is shown`() throws {
        let feed = try FeedDefinition(["name": "films", "kind": "tmdb", "language": "it"])
        let short = feed.request(for: .person("5"), key: "abc&def", validators: FeedValidators())
        #expect(
            short.url == "https://api.themoviedb.org/3/person/5?api_key=abc%26def"
                + "&append_to_response=combined_credits&language=it")
        #expect(!short.shownURL.contains("abc"))
        let token = "eyJhbGciOi.J9.x"
        let long = feed.request(for: .series("5"), key: token, validators: FeedValidators(entityTag: "W/\"1\""))
        #expect(long.url == long.shownURL)
        #expect(long.fields.contains { $0 == ("Authorization", "Bearer \(token)") })
        #expect(long.fields.contains { $0 == ("If-None-Match", "W/\"1\"") })
        #expect(feed.origin == "https://api.themoviedb.org")
        #expect(
            try FeedDefinition(["name": "a", "kind": "rss", "url": "https://e.org:8?x"]).origin == "https://e.org:8")
    }

    @Test func `a row with a key in it is read without it`() throws {
        let feed = try FeedDefinition(["name": "films", "kind": "tmdb", "key": "secret"])
        #expect(!JSONValue.object(feed.json).text.contains("secret"))
        #expect(!"\(feed)".contains("secret"))
    }

    @Test(
        arguments: [
            (200, nil, .content), (304, nil, .unchanged), (404, nil, .gone), (410, nil, .gone),
            (401, nil, .refused("it answered with status 401")),
            (301, nil, .moved(status: 301, to: nil)),
            (429, "5", .limited(waitMilliseconds: 5000)), (429, nil, .limited(waitMilliseconds: nil)),
            (429, "Sat, 21 Nov 2026 10:00:30 GMT", .limited(waitMilliseconds: 30_000)),
            (429, "Sat, 21 Nov 2026 09:00:00 GMT", .limited(waitMilliseconds: 0)),
            (429, "99999999999999999999", .limited(waitMilliseconds: nil)),
            (429, "9223372036854775807", .limited(waitMilliseconds: 86_400_000)),
            (429, "soon", .limited(waitMilliseconds: nil)),
            (500, "5", .failed("it answered with status 500", waitMilliseconds: nil)),
            (503, "7", .failed("it answered with status 503", waitMilliseconds: 7000)),
            (206, nil, .failed("it answered with status 206", waitMilliseconds: nil)),
            (-1, nil, .failed("it answered with status -1", waitMilliseconds: nil)),
        ] as [(Int, String?, FeedVerdict)])
    func `a status means`(_ status: Int, _ retryAfter: String?, _ expected: FeedVerdict) {
        let now = Timestamp("2026-11-21T10:00:00Z") ?? Timestamp(seconds: 0)
        let verdict = FeedVerdict(status: status, of: .index("1"), retryAfter: retryAfter, body: [], now: now)
        #expect(verdict == expected)
    }

    @Test func `400 is what a sensor says that people read, and a failure of everything else`() {
        func verdict(_ target: FeedTarget) -> FeedVerdict {
            FeedVerdict(status: 400, of: target, retryAfter: nil, body: [], now: Timestamp(seconds: 0))
        }
        #expect(verdict(.values(station: "52", sensor: "92", code: "PM10")) == .gone)
        let failure = FeedVerdict.failed("it answered with status 400", waitMilliseconds: nil)
        #expect(verdict(.index("52")) == failure)
        #expect(verdict(.sensors("52")) == failure)
    }

    @Test func `a document that a feed wrote goes when it is withdrawn, and no other`() throws {
        let draft = FeedDraft(try DocumentPath("people/5/credits/movie/6"), .withdrawn(feed: "films"))
        #expect(draft.outcome(over: ["feed": "films"]) == .delete)
        #expect(draft.outcome(over: ["feed": "other"]) == .nothing)
        #expect(draft.outcome(over: ["title": "x"]) == .nothing)
        #expect(draft.outcome(over: nil) == .nothing)
    }
}
