import JSON
import Model
import Testing

@testable import Feeds

/// Answers of the interface of 2025 and of the one before.
struct GIOSReaderTests {
    static let now = Timestamp("2026-11-21T12:30:00Z") ?? Timestamp(seconds: 0)

    static func feed(_ more: JSONObject = [:]) throws -> FeedDefinition {
        var row: JSONObject = ["name": "air", "kind": "gios"]
        for (name, value) in more.members { row[name] = value }
        return try FeedDefinition(row)
    }

    static func document(_ findings: FeedFindings, over stored: JSONObject? = nil) -> JSONObject {
        guard case .put(let data) = findings.drafts.first?.outcome(over: stored) else { return [:] }
        return data
    }

    @Test func `stations of both versions are the same documents`() throws {
        let old: JSONValue = [
            [
                "id": 14, "stationName": "Działoszyn", "gegrLat": "50.972167", "gegrLon": "14.941319",
                "city": ["id": 192, "name": "Działoszyn", "commune": ["communeName": "Bogatynia"]],
                "addressStreet": nil,
            ]
        ]
        let new: JSONValue = [
            "Lista stacji pomiarowych": [
                [
                    "Identyfikator stacji": 14, "Kod stacji": "DsDzialoszyn", "Nazwa stacji": "Działoszyn",
                    "WGS84 φ N": "50.972167", "WGS84 λ E": "14.941319", "Identyfikator miasta": 192,
                    "Nazwa miasta": "Działoszyn", "Gmina": "Bogatynia", "Ulica": nil,
                ]
            ], "totalPages": 3,
        ]
        let reader = GIOSReader(feed: try Self.feed())
        let first = try reader.stations(0, old)
        let second = try reader.stations(0, new)
        #expect(first.drafts == second.drafts)
        #expect(first.drafts.first?.path.text == "stations/14")
        #expect(
            Self.document(first) == ["name": "Działoszyn", "lat": 50.972167, "lon": 14.941319, "city": "Działoszyn"])
        #expect(second.more == [.stations(page: 1), .stations(page: 2)])
        #expect(try GIOSReader(feed: Self.feed(["stations": "all"])).stations(0, old).more == [.index("14")])
    }

    @Test func `odd stations are left out, and odd places are null`() throws {
        let answer: JSONValue = [
            nil, 5, [:], ["id": nil], ["id": "x/y"], ["id": -3],
            ["id": "7", "stationName": nil, "gegrLat": "", "gegrLon": "999", "city": nil],
        ]
        let findings = try GIOSReader(feed: Self.feed()).stations(0, answer)
        #expect(findings.drafts.map(\.path.text) == ["stations/7"])
        #expect(Self.document(findings) == ["name": nil, "lat": nil, "lon": nil, "city": nil])
        for answer in [nil, 5, [:], ["Lista stacji pomiarowych": nil]] as [JSONValue] {
            #expect(throws: FeedUnreadable.self) { try GIOSReader(feed: Self.feed()).stations(0, answer) }
        }
    }

    static func index(_ id: JSONValue, _ name: JSONValue, at: JSONValue) -> JSONValue {
        ["id": 52, "stCalcDate": at, "stIndexLevel": ["id": id, "indexLevelName": name]]
    }

    @Test func `an index of both versions is the same reading, of the hour in UTC`() throws {
        let reader = GIOSReader(feed: try Self.feed())
        let old = try reader.index("52", Self.index(2, "Umiarkowany", at: "2026-11-21 13:20:11"), now: Self.now)
        let new = try reader.index(
            "52",
            [
                "AqIndex": [
                    "Identyfikator stacji pomiarowej": 52, "Data wykonania obliczeń indeksu": "2026-11-21 13:20:11",
                    "Wartość indeksu": 2, "Nazwa kategorii indeksu": "Umiarkowany",
                ]
            ], now: Self.now)
        let number = try reader.index(
            "52", Self.index("2", "Umiarkowany", at: 1_795_263_611_000), now: Self.now)
        #expect(old.drafts == new.drafts)
        #expect(old.drafts == number.drafts)
        #expect(
            Self.document(old) == [
                "index": 2, "levelName": "Umiarkowany", "at": "2026-11-21T12:00:00.000Z", "previous": nil,
                "previousAt": nil,
            ])
    }

    @Test(
        arguments: [
            index(-1, "Brak indeksu", at: "2026-11-21 13:00:00"), index(nil, nil, at: "2026-11-21 13:00:00"),
            index(99, "?", at: "2026-11-21 13:00:00"),
            ["id": 52, "stCalcDate": "2026-11-21 13:00:00", "stIndexLevel": nil],
        ] as [JSONValue])
    func `a station without an index has none, and no name of a level`(_ answer: JSONValue) throws {
        let document = Self.document(try GIOSReader(feed: Self.feed()).index("52", answer, now: Self.now))
        #expect(document["index"] == .null)
        #expect(document["levelName"] == .null)
        #expect(document["at"] == "2026-11-21T12:00:00.000Z")
    }

    @Test func `a later hour makes the stored index the previous one, a correction keeps it`() throws {
        let reader = GIOSReader(feed: try Self.feed())
        func lay(_ id: JSONValue, _ at: JSONValue, over stored: JSONObject?) throws -> FeedDraft.Outcome? {
            try reader.index("52", Self.index(id, "x", at: at), now: Self.now).drafts.first?.outcome(over: stored)
        }
        guard case .put(let first) = try lay(1, "2026-11-21 11:05:00", over: ["name": "S"]),
            case .put(let second) = try lay(3, "2026-11-21 12:05:00", over: first),
            case .put(let corrected) = try lay(4, "2026-11-21 12:40:00", over: second),
            case .put(let third) = try lay(4, "2026-11-21 13:05:00", over: corrected)
        else {
            Issue.record("something was not written")
            return
        }
        #expect(first["previous"] == .null)
        #expect(first["name"] == "S")
        #expect(second["previous"] == 1)
        #expect(second["previousAt"] == "2026-11-21T10:00:00.000Z")
        #expect(corrected["index"] == 4)
        #expect(corrected["previous"] == 1)
        #expect(third["previous"] == 4)
        #expect(third["previousAt"] == "2026-11-21T11:00:00.000Z")
        #expect(try lay(4, "2026-11-21 13:35:00", over: third) == .nothing, "the same again")
        #expect(try lay(5, "2026-11-21 12:35:00", over: third) == .nothing, "an hour that is over")
        #expect(try lay(4, nil, over: third) == .nothing, "without a time it is of the hour that is there")
        guard case .put(let gap) = try lay(-1, "2026-11-21 14:00:00", over: third) else { return }
        #expect(gap["index"] == .null)
        #expect(gap["previous"] == 4)
    }

    /// The results of readings at local times of one day in Poland; an index of -1 and a time of nil mean a missing
    /// one. Each result has the index, the previous index, and its hour in UTC.
    private static func day(_ readings: [(Int64, String?)]) throws -> [String] {
        let reader = GIOSReader(feed: try feed())
        var document: JSONObject?
        return try readings.map { id, time in
            let at: JSONValue = time.map { .string("2026-11-21 " + $0) } ?? .null
            let findings = try reader.index(
                "52", index(.integer(id), "x", at: at), now: now.adding(milliseconds: 43_200_000))
            if case .put(let body) = findings.drafts.first?.outcome(over: document) { document = body }
            let since = document?["previousAt"]?.stringValue?.dropFirst(11).prefix(5) ?? "-"
            return "\(document?["index"]?.text ?? "") \(document?["previous"]?.text ?? "") \(since)"
        }
    }

    @Test func `the last known index stays the previous one over hours without an index, six hours long`() throws {
        #expect(
            try Self.day([(3, "10:00"), (-1, "11:00"), (-1, "12:00"), (5, "13:00"), (4, "14:00")])
                == ["3 null -", "null 3 09:00", "null 3 09:00", "5 3 09:00", "4 5 12:00"])
        #expect(try Self.day([(3, "10:00"), (-1, "11:00"), (5, "16:00")]).last == "5 3 09:00")
        #expect(try Self.day([(3, "10:00"), (-1, "11:00"), (5, "17:00")]).last == "5 null -")
        #expect(try Self.day([(3, "10:00"), (5, "16:00")]).last == "5 3 09:00")
        #expect(try Self.day([(3, "10:00"), (5, "17:00")]).last == "5 null -")
        // The index of an hour may be withdrawn, and come back.
        #expect(
            try Self.day([(3, "10:00"), (4, "11:00"), (-1, "11:20"), (4, "11:40"), (5, "12:00")])
                == ["3 null -", "4 3 09:00", "null 3 09:00", "4 3 09:00", "5 4 10:00"])
    }

    @Test func `an answer with neither index nor hour leaves the last known one the previous one`() throws {
        #expect(
            try Self.day([(3, "10:00"), (-1, nil), (-1, nil), (5, "12:00"), (5, "12:20")])
                == ["3 null -", "null 3 09:00", "null 3 09:00", "5 3 09:00", "5 3 09:00"])
        #expect(try Self.day([(3, "10:00"), (-1, nil), (5, "17:00")]).last == "5 null -")
        #expect(try Self.day([(2, "09:00"), (3, "10:00"), (-1, nil), (3, "10:40")]).last == "3 null -")
        #expect(try Self.day([(3, "10:00"), (-1, nil), (5, "09:00")]).last == "null 3 09:00")
        #expect(try Self.day([(-1, nil), (3, "10:00"), (4, "11:00")]).last == "4 3 09:00")
    }

    @Test func `a reading of the future, and one of another station, are not believed`() throws {
        let reader = GIOSReader(feed: try Self.feed())
        for answer in [Self.index(1, "x", at: "2027-11-21 13:00:00"), ["id": 53], [:], nil, []] as [JSONValue] {
            #expect(throws: FeedUnreadable.self) { try reader.index("52", answer, now: Self.now) }
        }
    }

    @Test func `sensors that are wanted are asked for, and their newest value that is one counts`() throws {
        let feed = try Self.feed(["pollutants": ["PM10", "O3"]])
        #expect(
            feed.targets { _ in ["52", "52", "x", "tv/7"] } == [
                .stations(page: 0), .index("52"), .sensors("52"), .index("7"), .sensors("7"),
            ])
        let reader = GIOSReader(feed: feed)
        let old = try reader.sensors(
            "52", [["id": 92, "param": ["paramCode": "PM10"]], ["id": 93, "param": ["paramCode": "CO"]], nil])
        let new = try reader.sensors(
            "52",
            [
                "Lista stanowisk pomiarowych dla podanej stacji": [
                    ["Identyfikator stanowiska": 92, "Wskaźnik - kod": "PM10"]
                ]
            ])
        #expect(old.more == [.values(station: "52", sensor: "92", code: "PM10")])
        #expect(new.more == old.more)
        let values = try reader.values(
            "52", "PM10",
            [
                "key": "PM10",
                "values": [
                    ["date": "2026-11-21 13:00:00", "value": nil], ["date": "2026-11-21 12:00:00", "value": "27,5"],
                    ["date": "2026-11-21 11:00:00", "value": "30.25"], ["date": "2026-11-21 10:00:00", "value": 9],
                    ["date": "2030-01-01 00:00:00", "value": 9], ["date": nil, "value": 9], nil,
                ],
            ], now: Self.now)
        #expect(
            Self.document(values, over: ["index": 1])
                == ["index": 1, "values": ["PM10": ["value": 30.25, "at": "2026-11-21T10:00:00.000Z"]]])
    }

    @Test(arguments: [
        ("2026-03-29 01:59:00", "2026-03-29T00:59:00.000Z"), ("2026-03-29 03:00:00", "2026-03-29T01:00:00.000Z"),
        ("2026-07-01 12:00:00", "2026-07-01T10:00:00.000Z"), ("2026-10-25 01:59:00", "2026-10-24T23:59:00.000Z"),
        ("2026-10-25 03:00:00", "2026-10-25T02:00:00.000Z"), ("2026-12-31 00:30", "2026-12-30T23:30:00.000Z"),
        ("2026-07-01T12:00:00Z", "2026-07-01T12:00:00.000Z"),
    ])
    func `the clock of Poland is read with its summer time`(_ text: String, _ expected: String) {
        #expect(PolishTime.read(.string(text))?.text == expected)
    }
}
