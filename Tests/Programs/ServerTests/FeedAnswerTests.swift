import JSON
import TestSupport
import Testing

/// Whole answers of the sources, made up in `Tests/Data`, from the socket to the documents.
struct FeedAnswerTests {
    private static func answer(_ file: String) throws -> WebServer.Answer {
        WebServer.Answer(
            headers: [("Content-Type", "application/json")], body: try SampleData.own.bytes(file))
    }

    @Test func `all pages of stations, their indexes and one sensor's newest value become documents`() throws {
        let none: JSONValue = ["Lista stanowisk pomiarowych dla podanej stacji": []]
        let world = try FeedTests.World([
            "/v1/rest/station/findAll?page=0&size=100": Self.answer("gios/stations-page-0.json"),
            "/v1/rest/station/findAll?page=1&size=100": Self.answer("gios/stations-page-1.json"),
            "/v1/rest/station/findAll?page=2&size=100": Self.answer("gios/stations-page-2.json"),
            "/v1/rest/aqindex/getIndex/9101": Self.answer("gios/index.json"),
            "/v1/rest/aqindex/getIndex/9102": Self.answer("gios/index-none.json"),
            "/v1/rest/aqindex/getIndex/9103": Self.answer("gios/index-undated.json"),
            "/v1/rest/station/sensors/9101": Self.answer("gios/sensors.json"),
            "/v1/rest/station/sensors/9102": .json(none), "/v1/rest/station/sensors/9103": .json(none),
            "/v1/rest/data/getData/92001": Self.answer("gios/values.json"),
        ])
        try world.put(
            "air",
            [
                "kind": "gios", "url": .string(world.source.url + "/v1/rest"), "stations": "all",
                "pollutants": ["PM10"], "requestsPerSecond": 20,
            ])
        try world.settle("air", requests: 10)
        #expect(try world.state("air", "failing") == 0)
        #expect(
            try world.document("stations/9101") == [
                "name": "Zielonka Górna, ul. Łąkowa", "lat": 50.123456, "lon": 17.654321, "city": "Zielonka Górna",
                "index": 1, "levelName": "Dobry", "at": "2025-11-21T12:00:00.000Z", "previous": nil, "previousAt": nil,
                "values": ["PM10": ["value": 30.254, "at": "2025-11-21T11:00:00.000Z"]],
            ])
        #expect(
            try world.document("stations/9102") == [
                "name": "Krzywe Pole", "lat": 51.5, "lon": 18.0, "city": "Krzywe Pole", "index": nil, "levelName": nil,
                "at": "2025-11-21T12:00:00.000Z", "previous": nil, "previousAt": nil,
            ])
        #expect(
            try world.document("stations/9103") == [
                "name": "Żabi Róg - tło regionalne", "lat": nil, "lon": nil, "city": nil, "index": 5,
                "levelName": "Bardzo zły", "at": nil, "previous": nil, "previousAt": nil,
            ])
    }

    @Test func `a series that is followed becomes a document, and one that is not there fails alone`() throws {
        let world = try FeedTests.World([
            "/3/tv/600111": Self.answer("tmdb/series-running.json"),
            "/3/tv/600114": Self.answer("tmdb/series-announced.json"),
            "/3/tv/600112": Self.answer("tmdb/series-ended.json"),
        ])
        let fan = try world.server.device("fan")
        for series in ["600111", "600112", "600114"] {
            try fan.ok(["type": "follow", "topic": .string("series:tv/\(series)")])
        }
        try world.put("films", ["kind": "tmdb", "url": .string(world.source.url + "/3"), "key": "sesame"])
        try world.wait("both series") {
            try world.document("series/600111") != nil && world.document("series/600112") != nil
        }
        #expect(try world.document("series/600111")?["nextAirDate"] == "2026-12-04")
        #expect(try world.document("series/600112")?["seasons"] == 3)
        #expect(try world.document("series/600114") == nil)
        try world.wait("the third is told") { try world.state("films", "failing") == 1 }
        let told = try world.state("films", "lastError").stringValue
        #expect(told?.contains("does not say how many seasons series 600114 has") == true, "\(told ?? "nothing")")
    }
}
