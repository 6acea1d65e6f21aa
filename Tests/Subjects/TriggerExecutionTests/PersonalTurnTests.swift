import JSON
import Model
import Notifying
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

/// `explain --pending` and a test of a row with `clock: recipient`: each person's own time.
struct PersonalTurnTests {
    private static let release: JSONObject = [
        "name": "release", "event": "write", "path": "people/{person}/credits/{film}",
        "audience": "followers:person:{person}", "at": "after ->> 'date' || 'T09:00'", "clock": "recipient",
        "title": "{{after.title}}", "collapse": "film:{{film}}", "acrossTopics": true,
    ]
    private static let zones = [("tora", "Asia/Tokyo"), ("rita", "Europe/Rome"), ("lars", "America/Los_Angeles")]
    private static let film: JSONObject = ["date": "2026-11-20", "title": "Dune"]

    private static func house(_ more: JSONObject = [:]) throws -> House {
        var row = release
        for (name, value) in more.members { row[name] = value }
        let house = try House(triggers: [.object(row)])
        house.now = try #require(Timestamp("2026-11-19T12:00:00Z"))
        for (name, zone) in zones {
            try house.write(ChangePreferences(["timeZone": .string(zone)]), by: name)
            for person in ["person:1", "person:2"] { try house.follow(name, person) }
        }
        return house
    }

    private static func pass(_ house: House, to text: String) throws {
        let end = try #require(Timestamp(text))
        while let due = try house.look({ try $0.triggers.nextDue() }), due <= end {
            house.now = max(house.now, due)
            try house.write(FireDueTriggers(), by: "server")
        }
        house.now = end
    }

    private static func due(_ house: House, _ name: String) throws -> [String] {
        try house.read(ExplainPending(user: name, after: nil, limit: 50), by: "admin").texts("pending", "due")
    }

    @Test func `each has a due time of their own, and one that has rung is not to come any more`() throws {
        let house = try Self.house()
        try house.put("people/1/credits/dune", Self.film)
        let nine = ["2026-11-20T00:00:00.000Z", "2026-11-20T08:00:00.000Z", "2026-11-20T17:00:00.000Z"]
        for (number, (name, _)) in Self.zones.enumerated() { #expect(try Self.due(house, name) == [nine[number]]) }
        try Self.pass(house, to: "2026-11-20T08:30:00Z")
        #expect(try Self.due(house, "tora").isEmpty && Self.due(house, "rita").isEmpty)
        #expect(try Self.due(house, "lars") == [nine[2]])
        #expect(
            try house.read(ExplainPending(user: "rita", after: nil, limit: 9), by: "admin")["verdict"]
                == "nothing is still to come for rita")
        let pending = try house.read(ExplainPending(user: "lars", after: nil, limit: 9), by: "admin")
        let says = pending.texts("pending", "says")
        #expect(says.first?.contains("at \(nine[2]), by the clock of lars") == true)
    }

    @Test func `a film of two directors is to come once, and not again for those who have it`() throws {
        let house = try Self.house()
        for person in ["1", "2"] { try house.put("people/\(person)/credits/dune", Self.film) }
        for (name, _) in Self.zones { #expect(try Self.due(house, name).count == 1, "\(name)") }
        try Self.pass(house, to: "2026-11-20T08:30:00Z")
        #expect(try Self.due(house, "rita").isEmpty && Self.due(house, "lars").count == 1)
        #expect(try house.notifications("rita").texts("notifications", "title") == ["Dune"])
        try Self.pass(house, to: "2026-11-20T17:00:00Z")
        #expect(try Self.due(house, "lars").isEmpty)
        #expect(try house.notifications("lars").texts("notifications", "title") == ["Dune"])
    }

    @Test func `a row that tells nobody late has nothing to come for clocks that are past`() throws {
        let house = try Self.house(["late": "skip"])
        house.now = try #require(Timestamp("2026-11-20T05:00:00Z"))
        try house.put("people/1/credits/dune", Self.film)
        #expect(try Self.due(house, "tora").isEmpty)
        #expect(try Self.due(house, "rita") == ["2026-11-20T08:00:00.000Z"])
    }

    @Test func `explain of the path names the person's own time`() throws {
        let house = try Self.house()
        try house.put("people/1/credits/dune", Self.film)
        try Self.pass(house, to: "2026-11-20T08:30:00Z")
        let explain = try ExplainPath(path: "people/1/credits/dune", user: "lars", seq: nil, limit: nil)
        let change = try #require(try house.read(explain, by: "admin")["changes"]?.arrayValue?.first)
        let says = change["triggers"]?.arrayValue?.first?["says"]
        #expect(says?.stringValue?.contains("scheduled for 2026-11-20T17:00:00.000Z, by the clock of lars") == true)
    }

    @Test func `a test of the row judges each at the moment that is theirs`() throws {
        let house = try Self.house()
        for (name, _) in Self.zones {
            try house.write(ChangePreferences(["quietHours": ["from": "22:00", "to": "07:00"]]), by: name)
        }
        let test = try TestTrigger(
            name: "release", body: ["path": "people/1/credits/dune", "after": .object(Self.film)])
        let answer = try house.read(test, by: "admin")
        #expect(
            Set(answer.texts("recipients", "due")) == [
                "2026-11-20T00:00:00.000Z", "2026-11-20T08:00:00.000Z", "2026-11-20T17:00:00.000Z",
            ])
        #expect(
            answer["recipients"]?.arrayValue?.allSatisfy { $0["alert"] == true } == true, "nine is not quiet anywhere")
        let early = try TestTrigger(
            name: "release",
            body: [
                "path": "people/1/credits/dune", "after": .object(Self.film),
                "row": .object(Self.release.setting("at", "after ->> 'date' || 'T06:00'")),
            ])
        let quiet = try house.read(early, by: "admin")
        #expect(quiet.texts("recipients", "reason") == ["quiet-hours", "quiet-hours", "quiet-hours"])
    }
}

extension JSONObject {
    fileprivate func setting(_ name: String, _ value: JSONValue) -> JSONObject {
        var object = self
        object[name] = value
        return object
    }
}
