import Configuration
import JSON
import Testing

/// `deploy/apps/ski-resort.json` from the document to the phones.
struct SkiResortTests {
    private static let lift = "resorts/parnassos/lifts/sahara"
    private static let alert = "resorts/parnassos/alerts/avalanche"

    private func stage() throws -> (stage: ApplicationStage, phone: Device, laptop: Device, ben: Device) {
        let stage = try ApplicationStage(.skiResort)
        try stage.put("resorts/parnassos", ["name": "Παρνασσός", "open": false, "snow": 1090, "newSnow": 0])
        try stage.put(Self.lift, ["name": "Sahara Express", "resortName": "Παρνασσός", "status": "open"])
        let phone = try stage.device("eleni", "el")
        let laptop = try stage.device("eleni", "el", on: "laptop")
        let ben = try stage.device("ben", "en")
        try stage.leave("nikos", "el-GR")
        try stage.follow("resorts/parnassos", by: "eleni", "nikos", "ben")
        return (stage, phone, laptop, ben)
    }

    @Test func `the four levels come as they are, once, in Greek and in English`() throws {
        let (stage, phone, laptop, ben) = try stage()
        try stage.patch("resorts/parnassos", ["newSnow": 25])
        try stage.patch("resorts/parnassos", ["open": true])
        try stage.patch(Self.lift, ["status": "closing", "closesAt": "14:30"])
        try stage.put(
            Self.alert, ["kind": "avalanche", "severity": 4, "area": "Fterolakka", "resortName": "Παρνασσός"])
        let levels = ["passive", "active", "time-sensitive", "critical"]
        let greek = [
            "Φρέσκο χιόνι: Παρνασσός", "Παρνασσός: ανοιχτό", "Sahara Express: κλείνει νωρίτερα",
            "Παρνασσός: προειδοποίηση για χιονοστιβάδα",
        ]
        for device in [phone, laptop] {
            let events = try device.notifications()
            #expect(events.texts("level") == levels)
            #expect(events.texts("title") == greek)
            #expect(
                events.texts("body") == [
                    "25 εκ. από χθες. Καλή μέρα για σκι;", "1.090 εκ. χιόνι στις πίστες.",
                    "Τελευταία ανάβαση στις 14:30. Παρνασσός",
                    "Βαθμός κινδύνου 4 από 5 στην περιοχή Fterolakka. Μείνετε στις ανοιχτές πίστες.",
                ])
        }
        let english = try ben.notifications()
        #expect(
            english.texts("title") == [
                "Fresh snow at Παρνασσός", "Παρνασσός is open", "Sahara Express closes early",
                "Παρνασσός: avalanche warning",
            ])
        #expect(
            english.texts("body") == [
                "25 cm since yesterday. A good day to go?", "1,090 cm of snow on the slopes.",
                "Last ride at 14:30. Παρνασσός",
                "Danger level 4 of 5 in Fterolakka. Stay on the open slopes.",
            ])
        let later = try stage.inbox("nikos", "el")
        #expect(later.texts("title") == greek.reversed())
        #expect(later.texts("level") == levels.reversed())
    }

    @Test(arguments: ["ended", "severity", "deleted"])
    func `a warning that ends is withdrawn everywhere`(how: String) throws {
        let (stage, phone, laptop, ben) = try stage()
        try stage.put(Self.alert, ["kind": "avalanche", "severity": 5, "resortName": "Παρνασσός"])
        switch how {
        case "ended": try stage.patch(Self.alert, ["ended": true])
        case "severity": try stage.patch(Self.alert, ["severity": 2])
        default: try stage.delete(Self.alert)
        }
        for device in [phone, laptop, ben] {
            #expect(try device.event("notification.removed")["reason"] == "retracted")
            #expect(try device.notifications().count == 1)
        }
        #expect(try stage.inbox("nikos", "el") == [])
    }

    @Test func `a danger that rises rings again, and one that falls or gets a better text is updated without a sound`()
        throws
    {
        let (stage, phone, _, _) = try stage()
        try stage.put(Self.alert, ["kind": "avalanche", "severity": 3])
        try stage.patch(Self.alert, ["severity": 4])
        try stage.patch(Self.alert, ["severity": 5])
        try stage.patch(Self.alert, ["area": "Fterolakka"])
        try stage.patch(Self.alert, ["severity": 3])
        let events = try phone.notifications()
        #expect(events.texts("level") == ["time-sensitive", "critical", "critical", "critical", "time-sensitive"])
        #expect(events.map { $0["alert"] } == [nil, nil, nil, false, false])
        #expect(try stage.inbox("nikos", "el").texts("level") == ["time-sensitive"])
    }

    @Test func `a lift that reopens takes its notification back, another hour only corrects it`() throws {
        let (stage, phone, _, _) = try stage()
        try stage.patch(Self.lift, ["status": "closing", "closesAt": "14:30"])
        try stage.patch(Self.lift, ["closesAt": "15:00"])
        let events = try phone.notifications()
        #expect(events.map { $0["alert"] } == [nil, false])
        #expect(events.last?["body"] == "Τελευταία ανάβαση στις 15:00. Παρνασσός")
        try stage.patch(Self.lift, ["status": "open", "closesAt": .null])
        #expect(try phone.removals() == ["replaced", "retracted"])
        #expect(try stage.inbox("nikos", "el") == [])
    }

    @Test func `a lift that is closed outright tells so, unless it was announced or is the end of the day`() throws {
        let (stage, phone, _, ben) = try stage()
        try stage.patch(Self.lift, ["status": "closed"])
        let event = try phone.event("notification")
        #expect(event["title"] == "Sahara Express: κλειστό")
        #expect(event["level"] == "time-sensitive")
        #expect(try ben.event("notification")["title"] == "Sahara Express is closed")
        #expect(try ben.inbox().texts("body") == ["It has closed before the end of the day. Παρνασσός"])
        try stage.patch(Self.lift, ["status": "open"])
        #expect(try phone.removals() == ["retracted"])
        try stage.patch(Self.lift, ["status": "closing", "closesAt": "14:30"])
        try stage.patch(Self.lift, ["status": "closed"])
        let titles = ["Sahara Express: κλειστό", "Sahara Express: κλείνει νωρίτερα"]
        #expect(try phone.notifications().texts("title") == titles)
        try stage.patch(Self.lift, ["status": "open"])
        try stage.patch(Self.lift, ["status": "closed", "planned": true])
        #expect(try phone.notifications().count == 2)
        #expect(try stage.inbox("nikos", "el") == [])
    }

    @Test func `a slope notifies each time when it opens or closes, and the outdated notification goes`() throws {
        let (stage, phone, _, ben) = try stage()
        let slope = "resorts/parnassos/slopes/bacchus"
        try stage.put(slope, ["status": "closed"])
        try stage.patch(slope, ["status": "open", "name": "Bacchus"])
        try stage.patch(slope, ["length": 1200])
        #expect(try phone.notifications().texts("title") == ["Bacchus: ανοιχτή"])
        #expect(try ben.inbox().texts("title") == ["Bacchus is open"])
        #expect(try ben.inbox().texts("body") == ["A slope of Παρνασσός"])
        #expect(try ben.inbox().texts("level") == ["active"])
        try stage.patch(slope, ["status": "closed"])
        #expect(try stage.inbox("nikos", "el").texts("title") == ["Bacchus: κλειστή"])
        try stage.patch(slope, ["status": "grooming"])
        #expect(try stage.inbox("nikos", "el") == [])
        try stage.patch(slope, ["status": "open"])
        try stage.delete(slope)
        #expect(try stage.inbox("nikos", "el") == [])
        #expect(try phone.notifications().count == 3)
    }

    @Test func `dangers other than avalanches come at their level, rise with a sound, and end`() throws {
        let (stage, phone, _, ben) = try stage()
        let wind = "resorts/parnassos/alerts/wind"
        try stage.put(wind, ["severity": 1, "kind": "wind"])
        for severity in [2, 3, 4, 5] as [JSONValue] { try stage.patch(wind, ["severity": severity]) }
        let events = try phone.notifications()
        #expect(events.texts("level") == ["passive", "active", "time-sensitive", "critical", "critical"])
        #expect(events.allSatisfy { $0["alert"] == nil })
        try stage.patch(wind, ["severity": 2])
        #expect(try phone.notifications().last?["alert"] == false)
        #expect(try ben.inbox().texts("title") == ["Παρνασσός: warning (wind)"])
        #expect(try ben.inbox().texts("body") == ["Danger level 2 of 5."])
        let ice = "resorts/parnassos/alerts/ice"
        try stage.put(ice, ["severity": 3, "area": "Fterolakka", "text": "Chains are needed."])
        #expect(try ben.inbox().texts("body").first == "Danger level 3 of 5 in Fterolakka. Chains are needed.")
        try stage.patch(wind, ["ended": true])
        try stage.delete(ice)
        #expect(try stage.inbox("nikos", "el") == [])
    }

    @Test func `a danger that turns out to be an avalanche notifies as one, once`() throws {
        let (stage, phone, _, _) = try stage()
        try stage.put(Self.alert, ["severity": 4])
        try stage.patch(Self.alert, ["kind": "avalanche"])
        #expect(try stage.inbox("nikos", "el").texts("kind") == ["avalanche"])
        try stage.patch(Self.alert, ["kind": "storm"])
        #expect(try stage.inbox("nikos", "el").texts("kind") == ["danger"])
        #expect(try phone.notifications().count == 3)
    }

    @Test func `clients may look at the state of a resort and not change it`() throws {
        let (_, phone, _, _) = try stage()
        #expect(try phone.ok(["type": "get", "path": .string(Self.lift)])["data"]?["status"] == "open")
        let refused = try phone.refused(["type": "patch", "path": .string(Self.lift), "data": [:], "key": "k"])
        #expect(refused["code"] == "forbidden")
    }
}
