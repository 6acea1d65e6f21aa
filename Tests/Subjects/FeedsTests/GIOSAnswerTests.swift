import JSON
import Model
import TestSupport
import Testing

@testable import Feeds

/// Whole answers of the Polish inspectorate, made up: those of the interface of 2025 and of the one before.
struct GIOSAnswerTests {
    private static let now = Timestamp("2025-11-21T12:30:00Z") ?? Timestamp(seconds: 0)

    private static func feed() throws -> FeedDefinition {
        try FeedDefinition(["name": "air", "kind": "gios", "stations": "all", "pollutants": ["PM10", "PM2.5"]])
    }

    private static func read(_ file: String, of target: FeedTarget) throws -> FeedFindings {
        try feed().read(SampleData.own.bytes("gios/\(file)"), of: target, contentType: "application/json", now: now)
    }

    private static func documents(_ findings: FeedFindings) -> [String: JSONObject] {
        TMDBReaderTests.documents(findings)
    }

    private static let zielonka: JSONObject = [
        "name": "Zielonka Górna, ul. Łąkowa", "lat": 50.123456, "lon": 17.654321, "city": "Zielonka Górna",
    ]

    private static func requests(of station: String) -> [FeedTarget] { [.index(station), .sensors(station)] }

    @Test func `stations of the old interface are documents, without a place if the answer has no valid one`() throws {
        let findings = try Self.read("stations-before.json", of: .stations(page: 0))
        #expect(
            findings.drafts.map(\.path.text) == ["stations/9101", "stations/9102", "stations/9103", "stations/9104"])
        #expect(
            Self.documents(findings) == [
                "stations/9101": Self.zielonka,
                "stations/9102": ["name": "Krzywe Pole", "lat": nil, "lon": 18.0, "city": "Krzywe Pole"],
                "stations/9103": ["name": "Żabi Róg - tło regionalne", "lat": 52.25, "lon": -18.5, "city": nil],
                "stations/9104": ["name": nil, "lat": nil, "lon": nil, "city": nil],
            ])
        #expect(findings.more == ["9101", "9102", "9103", "9104"].flatMap(Self.requests))
    }

    @Test func `the pages of the new interface have the same stations, and the first page names the others`() throws {
        let first = try Self.read("stations-page-0.json", of: .stations(page: 0))
        #expect(
            Self.documents(first) == [
                "stations/9101": Self.zielonka,
                "stations/9102": ["name": "Krzywe Pole", "lat": 51.5, "lon": 18.0, "city": "Krzywe Pole"],
            ])
        #expect(
            first.more == ["9101", "9102"].flatMap(Self.requests) + [.stations(page: 1), .stations(page: 2)])
        let second = try Self.read("stations-page-1.json", of: .stations(page: 1))
        #expect(
            Self.documents(second)
                == ["stations/9103": ["name": "Żabi Róg - tło regionalne", "lat": nil, "lon": nil, "city": nil]])
        #expect(second.more == Self.requests(of: "9103"))
        let last = try Self.read("stations-page-2.json", of: .stations(page: 2))
        #expect(last == FeedFindings())
    }

    @Test(
        arguments: [
            ("index-before.json", "9101", 1, "Dobry", "2025-11-21T12:00:00.000Z"),
            ("index.json", "9101", 1, "Dobry", "2025-11-21T12:00:00.000Z"),
            ("index-before-none.json", "9102", nil, nil, "2025-11-21T12:00:00.000Z"),
            ("index-none.json", "9102", nil, nil, "2025-11-21T12:00:00.000Z"),
            ("index-undated.json", "9103", 5, "Bardzo zły", nil),
        ] as [(String, String, JSONValue, JSONValue, JSONValue)])
    func `an index is a reading of its hour`(
        _ file: String, _ station: String, _ index: JSONValue, _ level: JSONValue, _ hour: JSONValue
    ) throws {
        let findings = try Self.read(file, of: .index(station))
        #expect(
            Self.documents(findings) == [
                "stations/\(station)": [
                    "index": index, "levelName": level, "at": hour, "previous": nil, "previousAt": nil,
                ]
            ])
        #expect(findings.more == [])
    }

    @Test(arguments: ["sensors-before.json", "sensors.json"])
    func `the sensors of both interfaces are asked for the wanted pollutants`(_ file: String) throws {
        let findings = try Self.read(file, of: .sensors("9101"))
        #expect(
            findings.more == [
                .values(station: "9101", sensor: "92001", code: "PM10"),
                .values(station: "9101", sensor: "92002", code: "PM2.5"),
            ])
        #expect(findings.drafts == [])
    }

    @Test(arguments: ["values-before.json", "values.json"])
    func `the newest value that is one counts, in both interfaces`(_ file: String) throws {
        let findings = try Self.read(file, of: .values(station: "9101", sensor: "92001", code: "PM10"))
        #expect(
            Self.documents(findings)
                == ["stations/9101": ["values": ["PM10": ["value": 30.254, "at": "2025-11-21T11:00:00.000Z"]]]])
    }

    @Test func `where no value is one nothing is written`() throws {
        let target = FeedTarget.values(station: "9101", sensor: "92001", code: "PM10")
        #expect(try Self.read("values-none.json", of: target) == FeedFindings())
    }

    @Test(
        arguments: [
            ("error-400.json", .stations(page: 0), "is not a list of stations"),
            ("error-400.json", .index("9101"), "is not an index of station 9101"),
            ("error-400.json", .sensors("9101"), "is not a list of sensors"),
            ("error-400.json", .values(station: "9101", sensor: "92001", code: "PM10"), "is not a list of values"),
            ("index.json", .index("9102"), "is not an index of station 9102"),
            ("maintenance.txt", .stations(page: 0), "is not JSON"),
        ] as [(String, FeedTarget, String)])
    func `a text that is not an answer is refused with its reason`(
        _ file: String, _ target: FeedTarget, _ reason: String
    ) throws {
        let problem = try #require(throws: FeedUnreadable.self) { try Self.read(file, of: target) }
        #expect(problem.description.contains(reason), "\(problem)")
    }

    @Test func `a sensor that people read is gone, and another bad request is a failure`() throws {
        let body = try SampleData.own.bytes("gios/error-400.json")
        func verdict(_ target: FeedTarget) -> FeedVerdict {
            FeedVerdict(status: 400, of: target, retryAfter: nil, body: body, now: Self.now)
        }
        #expect(verdict(.values(station: "9101", sensor: "92001", code: "PM10")) == .gone)
        #expect(verdict(.index("9101")) == .failed("it answered with status 400", waitMilliseconds: nil))
    }
}
