import Configuration
import JSON
import Testing

/// `deploy/apps/air-quality.json` from the document to the phones.
struct AirQualityTests {
    private static let kraków = "stations/400"

    /// A station with a good index, and its followers: Ola with two devices, Jan without a connection, and Ben.
    private func stage() throws -> (stage: ApplicationStage, phone: Device, laptop: Device, ben: Device) {
        let stage = try ApplicationStage(.airQuality)
        let phone = try stage.device("ola", "pl")
        let laptop = try stage.device("ola", "pl-PL", on: "laptop")
        let ben = try stage.device("ben", "en-GB")
        try stage.leave("jan", "pl")
        try stage.put(Self.kraków, Self.hour(1, previous: 1, "09"))
        try stage.follow(Self.kraków, by: "ola", "jan", "ben")
        return (stage, phone, laptop, ben)
    }

    private static func hour(_ index: Int64, previous: Int64, _ hour: String) -> JSONValue {
        let levels = ["Bardzo dobry", "Dobry", "Umiarkowany", "Dostateczny", "Zły", "Bardzo zły"]
        return [
            "name": "Kraków, Krasińskiego", "city": "Kraków", "lat": 50.06, "lon": 19.92, "index": .integer(index),
            "levelName": .string(levels[Int(index)]), "at": .string("2027-01-15T\(hour):00:00Z"),
            "previous": .integer(previous), "previousAt": "2027-01-15T08:00:00Z",
        ]
    }

    @Test func `an index that is worse than an hour ago reaches every follower once, in the follower's language`()
        throws
    {
        let (stage, phone, laptop, ben) = try stage()
        try stage.put(Self.kraków, Self.hour(3, previous: 1, "10"))
        for device in [phone, laptop] {
            let event = try device.event("notification")
            #expect(event["title"] == "Kraków, Krasińskiego: jakość powietrza się pogarsza")
            #expect(event["body"] == "Dostateczny: indeks 3 na 5, wcześniej 1.")
            #expect(event["level"] == "active")
            #expect(event["topic"] == "station:400")
            #expect(event["alert"] == nil)
            #expect(try device.notifications().count == 1)
        }
        let english = try ben.event("notification")
        #expect(english["title"] == "Kraków, Krasińskiego: air quality is getting worse")
        #expect(english["body"] == "Index 3 of 5 (Sufficient), before it was 1.")
        let later = try stage.inbox("jan", "pl")
        #expect(later.texts("body") == ["Dostateczny: indeks 3 na 5, wcześniej 1."])
        #expect(later.first?["data"]?["station"] == "400")
    }

    @Test func `the same value again, and an hour that is no worse, tell nobody`() throws {
        let (stage, phone, _, _) = try stage()
        try stage.put(Self.kraków, Self.hour(3, previous: 1, "10"))
        try stage.put(Self.kraków, Self.hour(3, previous: 1, "10"))
        try stage.put(Self.kraków, Self.hour(3, previous: 3, "11"))
        #expect(try phone.notifications().count == 1)
        #expect(try phone.removals() == [])
        #expect(try stage.inbox("jan", "pl").count == 1)
    }

    @Test func `a corrected value brings the same notification up to date without a sound`() throws {
        let (stage, phone, _, _) = try stage()
        try stage.put(Self.kraków, Self.hour(4, previous: 1, "10"))
        try stage.put(Self.kraków, Self.hour(3, previous: 1, "10"))
        let events = try phone.notifications()
        #expect(events.texts("level") == ["time-sensitive", "active"])
        #expect(events[0]["alert"] == nil)
        #expect(events[1]["alert"] == false)
        #expect(events[1]["reason"] == "updated")
        #expect(try phone.removals() == ["replaced"])
        #expect(try stage.inbox("jan", "pl").texts("body") == ["Dostateczny: indeks 3 na 5, wcześniej 1."])
    }

    @Test func `worse still an hour later rings again, at the level of the new index`() throws {
        let (stage, phone, _, _) = try stage()
        for (index, previous, hour) in [(2, 1, "10"), (3, 2, "11"), (4, 3, "12"), (5, 4, "13")]
            as [(Int64, Int64, String)]
        {
            try stage.put(Self.kraków, Self.hour(index, previous: previous, hour))
        }
        let events = try phone.notifications()
        #expect(events.texts("level") == ["passive", "active", "time-sensitive", "critical"])
        #expect(events.allSatisfy { $0["alert"] == nil })
        #expect(try stage.inbox("jan", "pl").texts("level") == ["critical"])
    }

    @Test(arguments: [(Int64(2), Int64(3), "11"), (1, 1, "10")])
    func `a better hour, or a value corrected to no worse, withdraws it from every device and inbox`(
        index: Int64, previous: Int64, hour: String
    ) throws {
        let (stage, phone, laptop, ben) = try stage()
        try stage.put(Self.kraków, Self.hour(3, previous: 1, "10"))
        try stage.put(Self.kraków, Self.hour(index, previous: previous, hour))
        for device in [phone, laptop, ben] {
            #expect(try device.event("notification.removed")["reason"] == "retracted")
            #expect(try device.notifications().count == 1)
        }
        #expect(try stage.inbox("jan", "pl") == [])
    }

    @Test(
        arguments: [
            (1, "Dobry: indeks 1 na 5, wcześniej 0.", "Index 1 of 5 (Good), before it was 0."),
            (2, "Umiarkowany: indeks 2 na 5, wcześniej 0.", "Index 2 of 5 (Moderate), before it was 0."),
            (4, "Zły: indeks 4 na 5, wcześniej 0.", "Index 4 of 5 (Bad), before it was 0."),
            (5, "Bardzo zły: indeks 5 na 5, wcześniej 0.", "Index 5 of 5 (Very bad), before it was 0."),
        ] as [(Int64, String, String)])
    func `a level has its name in the reader's language, whatever the source calls it`(
        index: Int64, polish: String, english: String
    ) throws {
        let (stage, phone, _, ben) = try stage()
        var hour = Self.hour(index, previous: 0, "10")
        hour["levelName"] = "?"
        try stage.put(Self.kraków, hour)
        #expect(try phone.event("notification")["body"]?.stringValue == polish)
        #expect(try ben.event("notification")["body"]?.stringValue == english)
    }

    @Test func `a station without a name is called by its id, an index written as text by the source's level`() throws {
        let (stage, phone, _, _) = try stage()
        try stage.put(Self.kraków, ["index": "4", "previous": "3", "levelName": "Zły"])
        let event = try phone.event("notification")
        #expect(event["title"] == "400: jakość powietrza się pogarsza")
        #expect(event["body"] == "Zły: indeks 4 na 5, wcześniej 3.")
    }

    /// A document of an hour whose writer knows only the previous hour.
    private static func bare(_ index: Int64?, _ hour: String, previous: Int64? = nil) -> JSONValue {
        [
            "name": "Kraków", "index": index.map { .integer($0) } ?? .null, "at": .string("2027-01-15T\(hour):00:00Z"),
            "previous": previous.map { .integer($0) } ?? .null,
        ]
    }

    @Test func `an hour without an index swallows no alarm, and is no better hour`() throws {
        let (stage, phone, _, _) = try stage()
        try stage.put(Self.kraków, Self.bare(3, "10", previous: 1))
        try stage.put(Self.kraków, Self.bare(nil, "11", previous: 3))
        #expect(try phone.removals() == [])
        try stage.put(Self.kraków, Self.bare(5, "12"))
        #expect(try phone.notifications().texts("level") == ["active", "critical"])
        #expect(try stage.inbox("jan", "pl").texts("body") == ["Bardzo zły: indeks 5 na 5."])
        try stage.put(Self.kraków, Self.bare(nil, "13"))
        #expect(try phone.removals() == ["replaced"])
        try stage.put(Self.kraków, Self.bare(2, "14", previous: 5))
        #expect(try phone.removals() == ["replaced", "retracted"])
    }

    @Test(arguments: [("15", "14", 2), ("16", "13", 0)])
    func `the last known index counts for six hours`(hour: String, since: String, count: Int) throws {
        let (stage, phone, _, _) = try stage()
        // At nine it was 1.
        try stage.put(Self.kraków, Self.bare(4, hour))
        var told = Self.bare(5, "20", previous: 4)
        told["previousAt"] = .string("2027-01-15T\(since):00:00Z")
        try stage.put("stations/500", ["name": "Gdańsk"])
        try stage.follow("stations/500", by: "ola")
        try stage.put("stations/500", told)
        #expect(try phone.notifications().count == count)
    }

    @Test func `stations without an index, and those of others, tell nothing`() throws {
        let (stage, phone, _, _) = try stage()
        try stage.put(Self.kraków, ["name": "Kraków", "index": .null, "previous": 1])
        try stage.put("stations/52", ["name": "Warszawa", "index": "5", "previous": "2"])
        #expect(try phone.notifications().isEmpty)
        #expect(try stage.inbox("jan", "pl") == [])
    }
}
