import ClientProtocol
import JSON
import Model
import Notifying
import Services
import ServicesTestSupport
import Store
import TestSupport
import Testing
import TriggerExecution

/// `acrossTopics`: a person who was notified through another topic with the same `collapse` is not notified again.
struct AcrossTopicsTests {
    private static let release: JSONObject = [
        "name": "release", "event": "write", "path": "people/{person}/credits/{film}",
        "condition": "after IS NOT NULL", "audience": "followers:person:{person}", "collapse": "release:{{film}}",
        "acrossTopics": true, "withdraw": "after IS NULL", "title": "{{after.title}}",
        "body": "{{person}}",
    ]
    /// The follows.
    private static let fans = ["ada": ["1"], "bea": ["2"], "cleo": ["1", "2"]]

    private static func row(_ more: JSONObject) -> JSONValue {
        var row = release
        for (name, value) in more.members { row[name] = value }
        return .object(row)
    }

    private static func house(_ more: JSONObject = [:]) throws -> House {
        let house = try House(triggers: [row(more)])
        for (name, people) in fans.sorted(by: { $0.key < $1.key }) {
            for person in people { try house.follow(name, "person:\(person)") }
            _ = try house.connect(name)
        }
        return house
    }

    /// How many events of a kind each fan has got.
    private static func heard(_ house: House, _ type: String = "notification") -> [Int] {
        fans.keys.sorted().map { house.sessions[$0]?.types.count { $0 == type } ?? 0 }
    }

    private static func put(_ house: House, by person: String, _ more: JSONObject = [:]) throws {
        var film: JSONObject = ["title": "Matrix"]
        for (name, value) in more.members { film[name] = value }
        try house.put("people/\(person)/credits/movie-603", film)
    }

    /// Checks that the device's events, those of a device that missed everything, the list and the counts agree.
    private static func check(_ house: House, sourceLocation: SourceLocation = #_sourceLocation) throws {
        for name in fans.keys {
            let user = try house.entry(name)
            let list = try house.notifications(name)
            let ids = list.texts("notifications", "id")
            #expect(list["unread"] == .integer(Int64(ids.count)), sourceLocation: sourceLocation)
            #expect(try house.counts(name).notifications == Int64(ids.count), sourceLocation: sourceLocation)
            let session = try #require(house.sessions[name])
            #expect(session.counts.notifications == Int64(ids.count), sourceLocation: sourceLocation)
            let page = try house.look {
                try LogPage(of: user, after: .zero, deviceLanguage: nil, limit: 500, in: $0)
            }
            let resumed = try page.events.map { try JSONValue(parsing: $0.bytes) }.filter {
                $0["type"]?.stringValue?.hasPrefix("notification") == true
            }
            let had = session.events.filter { $0["type"]?.stringValue?.hasPrefix("notification") == true }
            #expect(resumed == had, sourceLocation: sourceLocation)
        }
    }

    @Test func `a film by two followed directors notifies once, also a follower of only one of them`() throws {
        let house = try Self.house()
        try Self.put(house, by: "1")
        #expect(Self.heard(house) == [1, 0, 1])
        try Self.put(house, by: "2")
        #expect(Self.heard(house) == [1, 1, 1])
        #expect(try house.notifications("cleo").texts("notifications", "body") == ["1"])
        #expect(try house.notifications("bea").texts("notifications", "body") == ["2"])
        #expect(try house.notifications("bea").texts("notifications", "topic") == ["person:2"])
        try Self.check(house)
        // Another film is independent.
        try house.put("people/2/credits/movie-604", ["title": "Reloaded"])
        #expect(Self.heard(house) == [1, 2, 2])
        try Self.check(house)
    }

    @Test func `without the column each topic notifies of it, as before`() throws {
        let house = try Self.house(["acrossTopics": false])
        try Self.put(house, by: "1")
        try Self.put(house, by: "2")
        #expect(Self.heard(house) == [1, 1, 2])
    }

    @Test func `a later version goes to those who had the earlier, and to nobody else`() throws {
        let house = try Self.house()
        try Self.put(house, by: "1")
        try Self.put(house, by: "2")
        try Self.put(house, by: "2", ["title": "The Matrix"])
        #expect(Self.heard(house) == [1, 2, 1])
        try Self.check(house)
        try Self.put(house, by: "1", ["title": "The Matrix!"])
        #expect(Self.heard(house) == [2, 2, 2])
        #expect(try house.notifications("cleo").texts("notifications", "title") == ["The Matrix!"])
        try Self.check(house)
    }

    @Test func `follows that begin or end later change nothing of the notifications before`() throws {
        let house = try Self.house()
        try Self.put(house, by: "1")
        try Self.put(house, by: "2")
        try house.follow("cleo", "person:1", isOn: false)
        #expect(try house.notifications("cleo")["notifications"] == [])
        #expect(try house.counts("cleo").notifications == 0)
        try house.follow("bea", "person:1")
        #expect(try house.notifications("bea").texts("notifications", "body") == ["2"])
        try Self.check(house)
        try house.follow("cleo", "person:2", isOn: false)
        try house.follow("cleo", "person:2")
        try Self.check(house)
    }

    @Test func `a withdrawn notification goes from everybody that had it`() throws {
        let house = try Self.house()
        try Self.put(house, by: "1")
        try Self.put(house, by: "2")
        try house.delete("people/2/credits/movie-603")
        #expect(try house.counts("bea").notifications == 0)
        #expect(try house.counts("cleo").notifications == 1)
        try house.delete("people/1/credits/movie-603")
        #expect(try house.counts("cleo").notifications == 0)
        // A new notification comes, through the first of the topics.
        try Self.put(house, by: "2")
        try Self.put(house, by: "1")
        #expect(try house.notifications("cleo").texts("notifications", "body") == ["2"])
        try Self.check(house)
    }

    @Test func `with recipients' clocks each follower is notified once, in the follower's time zone`() throws {
        let house = try Self.house(["at": "after ->> 'date' || 'T09:00'", "clock": "recipient"])
        for (name, zone) in [("ada", "Asia/Tokyo"), ("cleo", "Europe/Rome")] {
            try house.write(ChangePreferences(["timeZone": .string(zone)]), by: name)
        }
        for person in ["1", "2"] { try Self.put(house, by: person, ["date": "2026-12-20"]) }
        for (hour, told) in [("00", [1, 0, 0]), ("08", [1, 0, 1]), ("09", [1, 1, 1])] {
            let end = try #require(Timestamp("2026-12-20T\(hour):00:01Z"))
            while let due = try house.look({ try $0.triggers.nextDue() }), due <= end {
                house.now = max(house.now, due)
                try house.write(FireDueTriggers(), by: "server")
            }
            house.now = end
            #expect(Self.heard(house) == told)
            try Self.check(house)
        }
    }

    @Test func `explain and a test say that another topic has notified, and a row without collapse is refused`() throws
    {
        let house = try Self.house()
        try Self.put(house, by: "1")
        let test = try TestTrigger(
            name: "release", body: ["path": "people/2/credits/movie-603", "after": ["title": "Matrix"]])
        let recipients = try house.read(test, by: "admin")["recipients"]?.arrayValue ?? []
        let sent = recipients.filter { $0["sent"] == true }.compactMap { $0["user"]?.stringValue }
        #expect(sent == ["bea"] && recipients.count == 2)
        try Self.put(house, by: "2")
        let id = try #require(try house.notifications("bea").texts("notifications", "id").first)
        let told = try house.read(ExplainNotification(id: id, user: user("cleo")), by: "admin")
        #expect("\(told)".contains("cleo got one with the same collapse through another topic"))
        let refusal = #expect(throws: Refusal.self) { try house.put(trigger: Self.row(["collapse": .null])) }
        #expect(refusal?.field?.contains("acrossTopics") == true)
    }

    @Test func `an updated notification is quiet, and interruptions are counted by topic, as with other rows`()
        throws
    {
        let house = try Self.house(["alertOnce": true, "throttle": ["seconds": 3600, "max": 2]])
        try Self.put(house, by: "1")
        try Self.put(house, by: "2")
        try Self.put(house, by: "2", ["title": "The Matrix"])
        #expect(try house.notifications("bea")["notifications"]?.arrayValue?.first?["reason"] == "updated")
        // The second notification of topic 2 rings, the third does not, whichever stream they come through.
        for (film, reason) in [("movie-604", nil), ("movie-605", "throttled")] as [(String, JSONValue?)] {
            try house.put("people/2/credits/\(film)", ["title": "Another"])
            #expect(try house.notifications("bea")["notifications"]?.arrayValue?.first?["reason"] == reason)
        }
        try Self.check(house)
    }

    /// Random films, follows and marks; for users with few and with many follows; checked at every step.
    @Test(arguments: Seeds.first(3, of: 8))
    func `counts, list and log agree, whatever happens`(seed: UInt64) throws {
        let house = try House(triggers: [Self.row([:])])
        var random = SeededRandom(seed: seed)
        _ = try house.actor("few")
        for number in 0..<80 { try house.follow("many", "x:\(number)") }
        for name in ["few", "many"] { _ = try house.connect(name) }
        let from = house.head
        for _ in 0..<150 {
            let name = Bool.random(using: &random) ? "few" : "many"
            let person = Int.random(in: 0..<4, using: &random)
            let credit = "people/\(person)/credits/movie-\(Int.random(in: 0..<3, using: &random))"
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3: try house.put(credit, ["title": .string("\(Int.random(in: 0..<9, using: &random))")])
            case 4: _ = try? house.delete(credit)
            case 5, 6, 7: try house.follow(name, "person:\(person)", isOn: Bool.random(using: &random))
            default: try house.seeSome(name, using: &random)
            }
            for name in ["few", "many"] { try house.checkAgreement(name, after: from) }
        }
    }

    @Test func `a notification that the user has through another topic begins no digest`() throws {
        let house = try Self.house()
        try Self.put(house, by: "1")
        try house.write(ChangePreferences(["digest": ["release": ["every": 600]]]), by: "cleo")
        try Self.put(house, by: "2")
        try house.put("people/1/credits/movie-604", ["title": "Another"])
        let cleo = try #require(house.sessions["cleo"])
        #expect(cleo.titles == ["Matrix", "Another"])
        #expect(cleo.events.last?["alert"] == nil, "the first of its time")
    }
}
