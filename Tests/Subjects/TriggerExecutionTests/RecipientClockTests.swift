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

/// `clock`: the local clock by which the time of `at` counts.
struct RecipientClockTests {
    private static let release: JSONObject = [
        "name": "release", "event": "write", "path": "films/{film}", "condition": "after IS NOT NULL",
        "audience": "followers:person:{after.person}", "at": "after ->> 'date' || 'T09:00'", "clock": "recipient",
        "title": "{{after.title}}", "collapse": "film:{{film}}",
        "rearm": "datetime(after ->> 'date', '-14 hours') > datetime(now)",
        "withdraw": "after IS NULL OR datetime(after ->> 'date', '-14 hours') > datetime(now)",
    ]
    private static let zones: [(name: String, zone: String?)] = [
        ("dora", "Asia/Tokyo"), ("alice", "Europe/Rome"), ("carol", nil), ("bob", "America/Los_Angeles"),
    ]
    /// The instants of nine o'clock on 20 November.
    private static let nine = [
        "2026-11-20T00:00:00Z", "2026-11-20T08:00:00Z", "2026-11-20T09:00:00Z", "2026-11-20T17:00:00Z",
    ]
    private static let film: JSONObject = ["person": "1", "date": "2026-11-20", "title": "Dune"]

    private static func house(_ more: JSONObject = [:]) throws -> House {
        var row = release
        for (name, value) in more.members { row[name] = value }
        let house = try House(triggers: [.object(row)])
        for (name, zone) in zones {
            if let zone { try house.write(ChangePreferences(["timeZone": .string(zone)]), by: name) }
            try house.follow(name, "person:1")
            _ = try house.connect(name)
        }
        return house
    }

    /// Lets time pass as in the server: notifications fire when they are due.
    private static func pass(_ house: House, to text: String) throws {
        let end = try #require(Timestamp(text))
        while let due = try house.look({ try $0.triggers.nextDue() }), due <= end {
            house.now = max(house.now, due)
            try house.write(FireDueTriggers(), by: "server")
        }
        house.now = end
    }

    private static func told(_ house: House) -> [Int] {
        zones.map { name, _ in house.sessions[name]?.types.count { $0 == "notification" } ?? 0 }
    }

    private static func check(_ house: House, sourceLocation: SourceLocation = #_sourceLocation) throws {
        for (name, _) in zones {
            let user = try house.entry(name)
            let unread = try house.notifications(name, isUnreadOnly: true).texts("notifications", "id")
            let session = try #require(house.sessions[name])
            #expect(session.counts.notifications == Int64(unread.count), sourceLocation: sourceLocation)
            #expect(try house.counts(name).notifications == Int64(unread.count), sourceLocation: sourceLocation)
            let page = try house.look { try LogPage(of: user, after: .zero, deviceLanguage: nil, limit: 500, in: $0) }
            let ids = try page.events.map { try JSONValue(parsing: $0.bytes) }
                .filter { $0["type"] == "notification" }.compactMap { $0["id"]?.stringValue }
            let heard = session.events.filter { $0["type"] == "notification" }.compactMap { $0["id"]?.stringValue }
            #expect(ids == heard, sourceLocation: sourceLocation)
        }
    }

    @Test func `each recipient is notified once at nine by the recipient's clock, by one row for each time`() throws {
        let house = try Self.house()
        let reply = try house.put("films/dune", Self.film)
        #expect(reply["triggers"]?.arrayValue?.first?["scheduled"] == "2026-11-19T19:00:00.000Z")
        for (index, time) in Self.nine.enumerated() {
            let before = try #require(Timestamp(time)).adding(milliseconds: -1000)
            try Self.pass(house, to: before.text)
            #expect(Self.told(house) == (0..<4).map { $0 < index ? 1 : 0 })
            try Self.pass(house, to: time)
            #expect(Self.told(house) == (0..<4).map { $0 <= index ? 1 : 0 })
            try Self.check(house)
        }
        try Self.pass(house, to: "2026-11-25T00:00:00Z")
        #expect(Self.told(house) == [1, 1, 1, 1])
        #expect(try house.notifications("dora").texts("notifications", "topic") == ["person:1"])
        #expect(try house.look { try $0.triggers.nextDue() } == nil)
    }

    @Test func `a clock that is set back delays nobody whose clock shows a later time even then`() throws {
        let house = try Self.house()
        house.now = try #require(Timestamp("2026-11-20T08:30:00Z"))
        let reply = try house.put("films/dune", Self.film)
        #expect(reply["triggers"]?.arrayValue?.first?["scheduled"] == "2026-11-20T08:30:00.000Z")
        // The clock is set back before the server comes to it. By this clock, too, it is later than nine in Tokyo.
        house.now = try #require(Timestamp("2026-11-20T07:30:00Z"))
        try Self.pass(house, to: "2026-11-20T07:30:01Z")
        #expect(Self.told(house) == [1, 0, 0, 0])
        try Self.pass(house, to: "2026-11-20T18:00:00Z")
        #expect(Self.told(house) == [1, 1, 1, 1])
        try Self.check(house)
        #expect(try house.look { try $0.triggers.nextDue() } == nil)
    }

    @Test func `a document that is touched meanwhile tells nobody twice, and leaves nobody out`() throws {
        let house = try Self.house()
        try house.put("films/dune", Self.film)
        try Self.pass(house, to: "2026-11-20T08:30:00Z")
        #expect(Self.told(house) == [1, 1, 0, 0])
        var film = Self.film
        film["title"] = "Dune: Part Two"
        try house.put("films/dune", film)
        try Self.pass(house, to: "2026-11-20T18:00:00Z")
        #expect(Self.told(house) == [1, 1, 1, 1])
        #expect(try house.notifications("bob").texts("notifications", "title") == ["Dune: Part Two"])
        try house.put("films/dune", Self.film)
        try Self.pass(house, to: "2026-11-21T18:00:00Z")
        #expect(Self.told(house) == [1, 1, 1, 1])
        try Self.check(house)
    }

    @Test func `if some recipients were notified, all are, even if the condition holds no longer; a deletion ends it`()
        throws
    {
        let house = try Self.house(["condition": "after ->> 'episode' = 1"])
        var film = Self.film
        film["episode"] = 1
        try house.put("films/dune", film)
        try Self.pass(house, to: "2026-11-20T08:30:00Z")
        film["episode"] = 2
        try house.put("films/dune", film)
        try Self.pass(house, to: "2026-11-20T09:30:00Z")
        #expect(Self.told(house) == [1, 1, 1, 0])
        try house.delete("films/dune")
        try Self.pass(house, to: "2026-11-21T09:30:00Z")
        #expect(Self.told(house) == [1, 1, 1, 0])
        for (name, _) in Self.zones { #expect(try house.counts(name).notifications == 0) }
    }

    @Test func `a date that moves takes back the notifications of some, and all are notified on the new day`() throws {
        let house = try Self.house()
        try house.put("films/dune", Self.film)
        try Self.pass(house, to: "2026-11-20T08:30:00Z")
        var moved = Self.film
        moved["date"] = "2027-03-28"
        try house.put("films/dune", moved)
        for (name, _) in Self.zones { #expect(try house.counts(name).notifications == 0) }
        try Self.check(house)
        // Rome has put its clocks forward that night, Los Angeles two weeks before.
        try Self.pass(house, to: "2027-03-28T06:59:00Z")
        #expect(Self.told(house) == [2, 1, 0, 0])
        try Self.pass(house, to: "2027-03-28T07:00:00Z")
        #expect(Self.told(house) == [2, 2, 0, 0])
        try Self.pass(house, to: "2027-03-28T16:00:00Z")
        #expect(Self.told(house) == [2, 2, 1, 1])
        for (name, _) in Self.zones { #expect(try house.counts(name).notifications == 1) }
        try Self.check(house)
    }

    @Test func `one zone's row replaces that zone's earlier one alone`() throws {
        let house = try Self.house(["rearm": .null, "withdraw": .null, "collapse": "films"])
        try house.put("films/dune", Self.film)
        try Self.pass(house, to: "2026-11-20T18:00:00Z")
        var next = Self.film
        next["date"] = "2026-11-21"
        try house.put("films/heat", next)
        try Self.pass(house, to: "2026-11-21T08:30:00Z")
        #expect(Self.told(house) == [2, 2, 1, 1])
        for (name, _) in Self.zones { #expect(try house.counts(name).notifications == 1) }
        try Self.check(house)
        try house.delete("films/heat")
    }

    @Test func `a time that is past everywhere notifies all at once`() throws {
        let house = try Self.house(["rearm": .null, "withdraw": .null])
        var film = Self.film
        film["date"] = "2026-11-16"
        #expect(try house.put("films/dune", film)["triggers"] == [["trigger": "release", "notifications": 1]])
        #expect(Self.told(house) == [1, 1, 1, 1])
        try Self.check(house)
    }

    @Test func `named users, and everyone, are notified by their own clocks, too`() throws {
        for audience: JSONValue in ["everyone", ["user:dora", "user:bob", "followers:person:{after.person}"]] {
            let house = try Self.house(["audience": audience])
            try house.put("films/dune", Self.film)
            for (index, time) in Self.nine.enumerated() {
                try Self.pass(house, to: time)
                #expect(Self.told(house) == (0..<4).map { $0 <= index ? 1 : 0 })
                try Self.check(house)
            }
        }
    }

    @Test func `a user who moves to another zone gets the notification of the new zone, once`() throws {
        let house = try Self.house()
        try house.put("films/dune", Self.film)
        try Self.pass(house, to: "2026-11-20T08:30:00Z")
        try house.write(ChangePreferences(["timeZone": "Asia/Tokyo"]), by: "bob")
        #expect(try house.counts("bob").notifications == 1)
        #expect(house.sessions["bob"]?.counts.notifications == 1)
        try Self.pass(house, to: "2026-11-21T00:00:00Z")
        #expect(try house.notifications("bob").texts("notifications", "title").count == 1)
        #expect(try house.counts("bob").notifications == 1)
    }

    @Test func `a named zone's clock counts for all, also in the nights when it is changed`() throws {
        for (date, instant) in [
            ("2026-11-20T02:30", "2026-11-20T01:30:00.000Z"),
            // A skipped time: later by the length of the skip.
            ("2027-03-28T02:30", "2027-03-28T01:30:00.000Z"),
            // A repeated time: the first one.
            ("2027-10-31T02:30", "2027-10-31T00:30:00.000Z"),
            ("2027-01-01", "2026-12-31T23:00:00.000Z"),
            ("2026-11-20T02:30:00+05:00", "2026-11-19T21:30:00.000Z"),
        ] {
            let house = try Self.house(["clock": "Europe/Rome", "at": "after ->> 'date'"])
            var film = Self.film
            film["date"] = .string(date)
            #expect(
                try house.put("films/dune", film)["triggers"]?.arrayValue?.first?["scheduled"] == .string(instant))
        }
    }

    @Test func `an impossible clock is refused`() throws {
        for (more, field) in [
            (["clock": "Europe/Nowhere"], "clock"), (["clock": "recipients"], "clock"), (["clock": 5], "clock"),
            (["at": .null], "clock"),
        ] as [(JSONObject, String)] {
            var row = Self.release
            for (name, value) in more.members { row[name] = value }
            let house = try House()
            #expect(throws: Refusal.self) { try house.put(trigger: .object(row)) }
            #expect(try house.refusal { try house.put(trigger: .object(row)) }.field == field)
        }
    }

    /// For users with few and with many follows.
    @Test(arguments: Seeds.first(2, of: 6))
    func `counts, list and log agree, also where zones change`(seed: UInt64) throws {
        let house = try House(triggers: [.object(Self.release)])
        var random = SeededRandom(seed: seed)
        for number in 0..<80 { try house.follow("many", "x:\(number)") }
        for name in ["few", "many"] {
            try house.follow(name, "person:1")
            _ = try house.connect(name)
        }
        for _ in 0..<80 {
            let name = Bool.random(using: &random) ? "few" : "many"
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1:
                let day = Int.random(in: 18...26, using: &random)
                try house.put(
                    "films/\(Int.random(in: 0..<3, using: &random))",
                    ["person": "1", "date": .string("2026-11-\(day)"), "title": "T"])
            case 2: try house.follow(name, "person:1", isOn: Bool.random(using: &random))
            case 3:
                let zone = ["Asia/Tokyo", "Europe/Rome", "America/Los_Angeles"].randomElement(using: &random)
                try house.write(ChangePreferences(["timeZone": zone.map { .string($0) } ?? .null]), by: name)
            case 4:
                let ids = try house.notifications(name, isUnreadOnly: true).texts("notifications", "id")
                if let id = ids.randomElement(using: &random) { try house.seen(name, ids: [id]) }
            default: try Self.pass(house, to: house.now.adding(milliseconds: 5 * 3_600_000).text)
            }
            for name in ["few", "many"] {
                let user = try house.entry(name)
                let plain = try house.look { try $0.notifications.countUnreadTopics(of: user) }
                #expect(try house.look { try $0.topicCounts.unread(of: user) } == plain)
                let unread = try house.notifications(name, isUnreadOnly: true).texts("notifications", "id")
                #expect(Int64(unread.count) == plain + user.unreadInbox)
                #expect(house.sessions[name]?.counts.notifications == Int64(unread.count))
            }
        }
    }
}
