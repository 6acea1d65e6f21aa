import Foundation
import JSON
import Model
import TestSupport
import Testing

/// Sources with problems, and the API of the feeds.
extension FeedTests {
    // MARK: Troubles

    @Test(
        arguments: [
            (
                WebServer.Answer.json(["status_code": 7, "status_message": "Invalid API key."], status: 401),
                "Invalid API key."
            ),
            (WebServer.Answer(status: 500, body: Array("<html>".utf8)), "status 500"),
            (WebServer.Answer(status: 404), "status 404"), (WebServer.Answer(status: 301), "it has moved"),
            (
                WebServer.Answer(headers: [("Content-Type", "text/html")], body: Array("<html/>".utf8)),
                "but not a feed: <html>"
            ),
            (WebServer.Answer(status: 429, headers: [("Retry-After", "60")]), "fewer requests"),
            (WebServer.Answer.raw("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n<rss>"), ""),
            (WebServer.Answer.raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<rss>"), ""),
            (WebServer.Answer.raw("not HTTP at all"), ""),
            (WebServer.Answer(body: [UInt8](repeating: 0x20, count: 5 << 20)), "longer than"),
        ] as [(WebServer.Answer, String)])
    func `a source in trouble is reported, counted and delayed, and is well again afterwards`(
        _ answer: WebServer.Answer, _ reason: String
    ) throws {
        let world = try World(["/rss": answer])
        try world.put("dept", ["kind": "rss", "url": .string(world.source.url + "/rss")])
        try world.wait("a failure") { try world.state("dept", "failing") == 1 }
        let told = try #require(try world.state("dept", "lastError").stringValue)
        #expect(told.hasPrefix("channel: ") && (reason.isEmpty || told.contains(reason)), "\(told)")
        #expect(try world.server.admin().statistic("feeds_failing") == 1)
        Thread.pause(milliseconds: 200)
        #expect(world.source.server.requests.count == 1, "not at once again")
        world.source.set("/rss", WebServer.Answer(body: Self.rss([("1", "Well")])))
        try world.run("dept")
        #expect(try world.document("announcements/1")?["title"] == "Well")
        #expect(try world.state("dept", "failing") == 0)
        #expect(try world.server.admin().statistic("feeds_failing") == 0)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a source that moved says where to, in the list and not in the log, and never where a key is used`(
        _ status: Int
    ) throws {
        let moved = WebServer.Answer(status: status, headers: [("Location", "/new?secret=5")])
        let world = try World(["/rss": moved])
        let url = world.source.url
        try world.put("dept", ["kind": "rss", "url": .string(url + "/rss")])
        try world.put("closed", ["kind": "rss", "url": .string(url + "/rss"), "key": "sesame"])
        try world.wait("failures") {
            try world.state("dept", "failing") == 1 && world.state("closed", "failing") == 1
        }
        #expect(
            try world.state("dept", "lastError").stringValue
                == "channel: it answered with status \(status): it has moved to \(url)/new?secret=5; configure its new address"
        )
        #expect(
            try world.state("closed", "lastError").stringValue
                == "channel: it answered with status \(status): it has moved; configure its new address")
        let trial = try world.server.admin().call(
            "POST", "/v1/feeds/dept/test", ["kind": "rss", "url": .string(url + "/rss")]
        ).json()
        #expect(trial["requests"]?.arrayValue?.first?["error"]?.stringValue?.contains("/new?secret=5") == true)
    }

    @Test func `an answer with mistakes is read, and the list and a trial say what they are until it has none`() throws
    {
        let items = (1...3).map { "<item><title>A & \($0)</title><link>https://e.org/news</link></item>" }.joined()
        let odd = WebServer.Answer(body: Array("\n<rss><channel>\(items)</channel></rss>".utf8))
        let world = try World(["/rss": odd])
        let row: JSONObject = ["kind": "rss", "url": .string(world.source.url + "/rss")]
        try world.put("dept", row)
        try world.settle("dept", requests: 1)
        let remark = """
            its XML has a mistake that was mended (not well-formed (invalid token), line 2); 3 announcements share a guid or a link \
            (https://e.org/news), so their titles and dates distinguish them
            """
        #expect(try world.state("dept", "remark").stringValue == remark)
        #expect(try world.state("dept", "written") == 3 && world.state("dept", "failing") == 0)
        let trial = try world.server.admin().call("POST", "/v1/feeds/dept/test", .object(row)).json()
        #expect(trial["requests"]?.arrayValue?.first?["remark"]?.stringValue == remark)
        world.source.set("/rss", WebServer.Answer(body: Self.rss([("1", "Well")])))
        try world.run("dept")
        #expect(try world.state("dept", "remark") == .null)
    }

    private static func stations(_ count: Int64) -> JSONValue {
        .array((1...count).map { ["id": .integer($0), "stationName": .string("S\($0)"), "city": nil] })
    }

    private static func reading(_ station: Int64, _ index: Int64) -> WebServer.Answer {
        .json([
            "id": .integer(station), "stCalcDate": "2026-11-20 10:00:00",
            "stIndexLevel": ["id": .integer(index), "indexLevelName": "x"],
        ])
    }

    @Test(arguments: [false, true])
    func `stations that fail hold up no other, and are asked again each by itself`(wereWell: Bool) throws {
        var answers = ["/station/findAll": WebServer.Answer.json(Self.stations(7))]
        let bad = WebServer.Answer(status: 500)
        for id in 1...7 as ClosedRange<Int64> {
            answers["/aqindex/getIndex/\(id)"] = id < 7 && !wereWell ? bad : Self.reading(id, 1)
        }
        let world = try World(answers)
        let row: JSONObject = [
            "kind": "gios", "url": .string(world.source.url), "interval": "10s", "requestsPerSecond": 20,
            "stations": .array((1...7).map { .string(String($0)) }),
        ]
        try world.put("air", row)
        try world.settle("air", requests: 8)
        if wereWell {
            for id in 1...6 { world.source.set("/aqindex/getIndex/\(id)", bad) }
            world.source.set("/aqindex/getIndex/7", Self.reading(7, 2))
            try world.run("air", requests: 8)
        }
        #expect(try world.document("stations/7")?["index"] == (wereWell ? 2 : 1))
        #expect(try world.state("air", "failing") == 6)
        world.source.set("/aqindex/getIndex/1", Self.reading(1, 4))
        try world.wait("the first is well again", seconds: 30) { try world.document("stations/1")?["index"] == 4 }
        #expect(try world.state("air", "failing") == 5)
    }

    @Test func `a source that fails on everything is left alone after ten requests`() throws {
        let world = try World([:])
        for id in 1...30 { world.source.set("/aqindex/getIndex/\(id)", WebServer.Answer(status: 500)) }
        world.source.set("/station/findAll", WebServer.Answer(status: 500))
        try world.put(
            "air",
            [
                "kind": "gios", "url": .string(world.source.url), "requestsPerSecond": 20,
                "stations": .array((1...30).map { .string(String($0)) }),
            ])
        try world.wait("ten failures") { try world.state("air", "failures").integerValue ?? 0 >= 10 }
        Thread.pause(milliseconds: 500)
        #expect((10...11).contains(world.source.server.requests.count), "at most two are under way")
    }

    @Test func `a sensor that people read has no values, which is no failure`() throws {
        let world = try World([
            "/station/findAll": .json(Self.stations(1)), "/aqindex/getIndex/1": Self.reading(1, 1),
            "/station/sensors/1": .json([
                ["id": 91, "param": ["paramCode": "PM10"]], ["id": 92, "param": ["paramCode": "NO2"]],
            ]),
            "/data/getData/91": .json(["error_code": "API-ERR-100003", "error_reason": "manual"], status: 400),
            "/data/getData/92": .json(["values": [["date": "2026-11-20 10:00:00", "value": 12.5]]]),
        ])
        try world.put(
            "air",
            [
                "kind": "gios", "url": .string(world.source.url), "stations": ["1"], "pollutants": ["PM10", "NO2"],
                "requestsPerSecond": 20,
            ])
        try world.settle("air", requests: 5)
        #expect(try world.document("stations/1")?["values"]?["NO2"]?["value"] == 12.5)
        #expect(try world.document("stations/1")?["values"]?["PM10"] == nil)
        #expect(try world.state("air", "failing") == 0)
        #expect(try world.state("air", "failures") == 0)
    }

    @Test func `an address that is not public is not asked unless it is allowed`() throws {
        let world = try World(["/rss": WebServer.Answer(body: Self.rss([]))], isPrivateAllowed: false)
        try world.put("dept", ["kind": "rss", "url": .string(world.source.url + "/rss")])
        try world.wait("a failure") { try world.state("dept", "failing") == 1 }
        #expect(try world.state("dept", "lastError").stringValue?.contains("not a public address") == true)
        #expect(world.source.server.requests.isEmpty)
    }

    // MARK: The API

    @Test func `a key is taken and never shown, and goes to no other server`() throws {
        let world = try World(["/3/person/1": WebServer.Answer(status: 401)])
        let row: JSONObject = ["kind": "tmdb", "url": .string(world.source.url + "/3"), "people": ["1"]]
        var withKey = row
        withKey["key"] = "sesame"
        try world.put("films", withKey)
        try world.wait("a failure") { try world.state("films", "failing") == 1 }
        let admin = try world.server.admin()
        for target in ["/v1/feeds", "/v1/feeds/films", "/v1/stats", "/metrics"] {
            #expect(try !admin.call("GET", target).text.contains("sesame"))
        }
        #expect(try world.feed("films")["hasKey"] == true)
        try world.put("films", row)
        #expect(try world.feed("films")["hasKey"] == true, "kept for the same server")
        var elsewhere = row
        elsewhere["url"] = "https://elsewhere.example.org/3"
        elsewhere["enabled"] = false
        try world.put("films", elsewhere)
        #expect(try world.feed("films")["hasKey"] == false)
    }

    @Test func `an error in a feed names its member`() throws {
        let world = try World([:])
        let admin = try world.server.admin()
        for (row, field) in [
            (["kind": "rss"], "url"), (["kind": "ftp"], "kind"),
            (["kind": "rss", "url": "https://e.org", "keyFile": "/etc/passwd"], "keyFile"),
            (["kind": "rss", "url": "https://e.org", "key": "a b"], "key"),
            (["kind": "rss", "url": "https://e.org", "name": "other"], "name"),
        ] as [(JSONObject, String)] {
            for (method, target) in [("PUT", "/v1/feeds/a"), ("POST", "/v1/feeds/a/test")]
            where field != "name" || method == "PUT" {
                let answer = try admin.call(method, target, .object(row))
                #expect(answer.status == 400, "\(answer.text)")
                #expect(try answer.json()["field"]?.stringValue == field)
            }
        }
        #expect(try admin.call("GET", "/v1/feeds/a").status == 404)
        #expect(try admin.call("POST", "/v1/feeds/a/run").status == 404)
        #expect(try admin.call("DELETE", "/v1/feeds/a").status == 404)
        #expect(try admin.call("PATCH", "/v1/feeds/a", [:]).status == 405)
        #expect(try world.server.admin().call("GET", "/v1/feeds").json()["feeds"] == [])
        let user = Admin(try HTTPPeer(port: world.server.port), token: try world.server.token("alice"))
        #expect(try user.call("GET", "/v1/feeds").status == 403)
    }

    @Test func `a trial shows what would be written, and writes nothing`() throws {
        let world = try World(["/rss": WebServer.Answer(body: Self.rss([("1", "Old"), ("2", "New")]))])
        let admin = try world.server.admin()
        _ = try admin.call("PUT", "/v1/documents/announcements/1", ["title": "Mine"])
        let head = try admin.head()
        let answer = try admin.call(
            "POST", "/v1/feeds/dept/test", ["kind": "rss", "url": .string(world.source.url + "/rss")])
        #expect(answer.status == 200)
        let json = try answer.json()
        #expect(json["requests"]?.arrayValue?.first?["found"] == 2)
        let documents = json["documents"]?.arrayValue ?? []
        #expect(
            Set(documents.map { "\($0["change"]?.stringValue ?? "") \($0["path"]?.stringValue ?? "")" }) == [
                "update announcements/1", "create announcements/2",
            ])
        #expect(try admin.head() == head)
        #expect(try world.document("announcements/2") == nil)
        #expect(try world.server.admin().call("GET", "/v1/feeds").json()["feeds"] == [])
    }

    @Test func `a feed of the configuration runs, with a key of the environment, and is changed there alone`() throws {
        let source = try Source(["/rss": WebServer.Answer(body: Self.rss([("1", "One")]))])
        let row: JSONObject = [
            "name": "dept", "kind": "rss", "url": .string(source.url + "/rss"), "keyEnvironment": "TMDB",
        ]
        let world = try World([:], feeds: [row])
        try world.settle("dept", requests: 1)
        #expect(source.server.requests.first?.headers["authorization"] == "Bearer configured")
        #expect(try world.feed("dept")["source"] == "configuration")
        let admin = try world.server.admin()
        #expect(try admin.call("PUT", "/v1/feeds/dept", ["kind": "rss", "url": "https://e.org"]).status == 403)
        #expect(try admin.call("DELETE", "/v1/feeds/dept").status == 403)
    }

    @Test func `a deleted feed is not fetched any more, its documents stay, and a feed that is put again begins again`()
        throws
    {
        let world = try World(["/rss": WebServer.Answer(headers: [("ETag", "\"1\"")], body: Self.rss([("1", "Old")]))])
        let row: JSONObject = ["kind": "rss", "url": .string(world.source.url + "/rss"), "interval": "10s"]
        try world.put("dept", row)
        try world.settle("dept", requests: 1)
        #expect(try world.server.admin().call("DELETE", "/v1/feeds/dept").status == 200)
        #expect(try world.server.admin().call("POST", "/v1/feeds/dept/run").status == 404)
        #expect(try world.document("announcements/1") != nil)
        try world.put("dept", row)
        try world.settle("dept", requests: 1)
        #expect(world.source.server.requests.last?.headers["if-none-match"] == nil)
        let admin = try world.server.admin()
        for key in ["once", "once", "twice"] {
            let answer = try admin.call("POST", "/v1/feeds/dept/run", headers: [("Idempotency-Key", key)])
            #expect(answer.status == 202)
            try world.settle("dept", requests: key == "once" ? 2 : 3)
        }
        #expect(try world.state("dept", "requests") == 3)
        #expect(try admin.call("POST", "/v1/feeds/dept/run", headers: [("Idempotency-Key", "a b")]).status == 400)
    }
}
