import JSON
import Server
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

    @Test func `a danger that rises rings again, one that falls, or is told better, is brought up to date quietly`()
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

    @Test func `clients may look at the state of a resort and not change it`() throws {
        let (_, phone, _, _) = try stage()
        #expect(try phone.ok(["type": "get", "path": .string(Self.lift)])["data"]?["status"] == "open")
        let refused = try phone.refused(["type": "patch", "path": .string(Self.lift), "data": [:], "key": "k"])
        #expect(refused["code"] == "forbidden")
    }
}
