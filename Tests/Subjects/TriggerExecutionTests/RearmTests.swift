import ClientProtocol
import JSON
import Model
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

/// `rearm`, `throttle` and `alertOnce`: the same thing does not ring repeatedly.
struct RearmTests {
    private static func row(_ columns: JSONObject) -> JSONValue {
        var row: JSONObject = [
            "name": "air", "event": "write", "path": "stations/{station}", "condition": "after ->> 'index' >= 4",
            "audience": "followers:station:{station}", "title": "Air: {{after.index}}",
        ]
        for (name, value) in columns.members { row[name] = value }
        return .object(row)
    }

    private static func house(_ columns: JSONObject) throws -> (House, LiveSession) {
        let house = try House(triggers: [row(columns)])
        try house.follow("alice", "station:1")
        return (house, try house.connect("alice"))
    }

    private static func report(_ house: House, _ index: Int64, at station: String = "1") throws -> JSONValue? {
        try house.put("stations/\(station)", ["index": .integer(index)])["triggers"]?.arrayValue?.first
    }

    private static let fired: JSONValue = ["trigger": "air", "notifications": 1]
    private static let held: JSONValue = ["trigger": "air", "skipped": "not rearmed"]
    private static let hysteresis: JSONObject = ["rearm": "after ->> 'index' <= 2"]

    // MARK: rearm

    @Test func `3, 4, 3, 4 rings once, and again after 2`() throws {
        let (house, alice) = try Self.house(Self.hysteresis)
        #expect(try Self.report(house, 3) == ["trigger": "air", "skipped": "the condition is 0"])
        #expect(try Self.report(house, 4) == Self.fired)
        #expect(try Self.report(house, 3)?["skipped"] == "the condition is 0")
        #expect(try Self.report(house, 4) == Self.held)
        #expect(try Self.report(house, 5) == Self.held)
        #expect(try Self.report(house, 2)?["skipped"] == "the condition is 0")
        #expect(try Self.report(house, 4) == Self.fired)
        #expect(alice.events.compactMap { $0["title"]?.stringValue } == ["Air: 4", "Air: 4"])
    }

    @Test func `each document has its own state`() throws {
        let (house, _) = try Self.house(Self.hysteresis)
        #expect(try Self.report(house, 4) == Self.fired)
        #expect(try Self.report(house, 4, at: "2") == Self.fired)
        #expect(try Self.report(house, 5) == Self.held)
        #expect(try Self.report(house, 2, at: "2")?["skipped"] == "the condition is 0")
        #expect(try Self.report(house, 6) == Self.held)
    }

    @Test func `a change that the row's event leaves out rearms as well`() throws {
        let (house, _) = try Self.house(["event": "create", "rearm": "after ->> 'index' <= 2"])
        #expect(try Self.report(house, 4) == Self.fired)
        #expect(try house.put("stations/1", ["index": 1])["triggers"] == [])
        #expect(try house.look { try $0.triggerStates.isArmed("air", path: "stations/1") })
    }

    @Test func `a deleted document, a changed and a deleted trigger forget`() throws {
        let (house, _) = try Self.house(Self.hysteresis)
        #expect(try Self.report(house, 4) == Self.fired)
        try house.delete("stations/1")
        #expect(try Self.report(house, 4) == Self.fired)

        try house.put(trigger: Self.row(Self.hysteresis))
        #expect(try Self.report(house, 5) == Self.held, "the same row put again forgets nothing")
        try house.put(trigger: Self.row(["rearm": "after ->> 'index' <= 1"]))
        #expect(try Self.report(house, 4) == Self.fired)

        try house.write(DeleteTrigger(name: "air"), by: "admin")
        try house.put(trigger: Self.row(["rearm": "after ->> 'index' <= 1"]))
        #expect(try Self.report(house, 5) == Self.fired)
    }

    @Test func `a trigger with a time is spent when it has fired, not when it is set`() throws {
        let (house, alice) = try Self.house([
            "at": "after ->> 'at'", "rearm": "after ->> 'index' <= 2", "condition": "",
        ])
        house.now = try #require(Timestamp("2026-11-21T10:00:00Z"))
        for hour in 11...13 {
            try house.put("stations/1", ["index": 4, "at": .string("2026-11-21T\(hour):00:00Z")])
        }
        house.now = try #require(Timestamp("2026-11-21T13:00:00Z"))
        try house.write(FireDueTriggers(), by: "server")
        #expect(alice.received.count == 1)
        let late = try house.put("stations/1", ["index": 5, "at": "2026-11-21T14:00:00Z"])
        #expect(late["triggers"] == [Self.held])
        #expect(try house.look { try $0.triggers.nextDue() } == nil)
        let next = try house.put("stations/1", ["index": 2, "at": "2026-11-21T14:00:00Z"])
        #expect(next["triggers"]?.arrayValue?.first?["scheduled"] == "2026-11-21T14:00:00.000Z")
    }

    @Test func `a firing that failed does not count as spent`() throws {
        let (house, _) = try Self.house(["rearm": "after ->> 'index' <= 2", "title": "{{after.name}}"])
        #expect(try Self.report(house, 4)?["failed"] != nil)
        let reply = try house.put("stations/1", ["index": 5, "name": "Kraków"])
        #expect(reply["triggers"] == [Self.fired])
    }

    // MARK: throttle

    @Test func `notifications beyond the throttle are in the inbox, silent`() throws {
        let (house, alice) = try Self.house(["throttle": ["seconds": 60, "max": 2], "audience": "user:alice"])
        for index in 4...7 {
            try house.put("stations/\(index)", ["index": .integer(Int64(index))])
            house.now = house.now.adding(milliseconds: 10_000)
        }
        #expect(alice.events.map { $0["alert"] } == [nil, nil, false, false])
        #expect(alice.events[2]["reason"] == "throttled")
        #expect(alice.counts.notifications == 4)
        // 60 s after the first it is the first user's turn again, and only that user's.
        house.now = house.now.adding(milliseconds: 20_000)
        try house.put("stations/8", ["index": 8])
        try house.put("stations/9", ["index": 9])
        #expect(alice.events.map { $0["alert"] } == [nil, nil, false, false, nil, false])
        #expect(try house.notifications("alice")["notifications"]?.arrayValue?.count == 6)
    }

    @Test func `a passive notification uses up no throttle and has no reason, and a critical one passes`() throws {
        let (house, alice) = try Self.house([
            "throttle": ["seconds": 60], "audience": "user:alice", "condition": .null,
            "level": ["critical": "after ->> 'index' >= 6", "passive": "after ->> 'index' < 4", "else": "active"],
        ])
        for (station, index) in [1, 2, 4, 5, 3, 6, 7, 5].enumerated() {
            try house.put("stations/\(station)", ["index": .integer(Int64(index))])
        }
        #expect(alice.events.map { $0["reason"] } == [nil, nil, nil, "throttled", nil, nil, nil, "throttled"])
        #expect(alice.events.map { $0["level"] }.prefix(3) == ["passive", "passive", "active"])
    }

    @Test func `each recipient has a separate throttle`() throws {
        let (house, alice) = try Self.house(["throttle": ["seconds": 3600]])
        let bob = try house.connect("bob")
        try house.follow("bob", "station:2")
        bob.forget()
        alice.forget()
        #expect(try Self.report(house, 4) == Self.fired)
        #expect(try Self.report(house, 4, at: "2") == Self.fired)
        #expect(try Self.report(house, 5) == Self.fired)
        #expect(alice.events.map { $0["alert"] } == [nil, false])
        #expect(bob.events.map { $0["alert"] } == [nil])
    }

    @Test func `windows that have ended leave no rows`() throws {
        let (house, _) = try Self.house(["throttle": ["seconds": 1, "max": 1000]])
        for index in 1...50 {
            try house.put("stations/1", ["index": .integer(Int64(4 + index))])
            house.now = house.now.adding(milliseconds: 500)
        }
        let stream = try #require(try house.look { try $0.streams.find(try topic("station:1")) })
        let count = try house.look {
            try $0.triggerStates.interruptions(
                by: "air", of: stream.id, about: "", at: Timestamp(milliseconds: 0),
                within: house.now.milliseconds + 10_000)
        }
        #expect(count < 5)
    }

    @Test func `an interruption noted by a clock that was ahead silences nobody when it is right again`() throws {
        let (house, alice) = try Self.house(["throttle": ["seconds": 3600, "max": 1]])
        try house.follow("alice", "station:1")
        let right = house.now
        house.now = right.adding(milliseconds: 20 * 365 * 86_400_000)
        #expect(try Self.report(house, 4) == Self.fired)
        house.now = right
        #expect(try Self.report(house, 5) == Self.fired)
        #expect(try Self.report(house, 6) == Self.fired)
        #expect(alice.events.map { $0["alert"] } == [nil, nil, false])
    }

    @Test func `a scheduled notification keeps its throttle`() throws {
        let (house, alice) = try Self.house(["throttle": ["seconds": 3600], "at": "datetime(now, '+1 hour')"])
        try house.follow("alice", "station:1")
        #expect(try Self.report(house, 4)?["scheduled"] != nil)
        house.now = house.now.adding(milliseconds: 3_600_000)
        try house.write(FireDueTriggers(), by: "server")
        #expect(try Self.report(house, 5)?["scheduled"] != nil)
        house.now = house.now.adding(milliseconds: 3_599_000)
        try house.write(FireDueTriggers(), by: "server")
        #expect(alice.received.count == 1)
        house.now = house.now.adding(milliseconds: 1000)
        try house.write(FireDueTriggers(), by: "server")
        #expect(alice.events.map { $0["alert"] } == [nil, nil], "an hour has passed")
    }

    // MARK: alertOnce

    @Test func `a corrected value updates without ringing, a graver one rings`() throws {
        let (house, alice) = try Self.house([
            "alertOnce": true, "collapse": "air:{{station}}", "level": ["critical": "after ->> 'index' >= 6"],
        ])
        for index in [4, 5, 6, 7, 4, 6] as [Int64] { _ = try Self.report(house, index) }
        let told = alice.events.filter { $0["type"] == "notification" }
        #expect(told.map { $0["alert"] } == [nil, false, nil, false, false, nil])
        #expect(told[1]["reason"] == "updated")
        #expect(told.map { $0["level"] } == ["active", "active", "critical", "critical", "active", "critical"])
        #expect(alice.types.filter { $0 == "notification.removed" }.count == 5)
        #expect(alice.counts.notifications == 1)
        #expect(try house.notifications("alice").texts("notifications", "title") == ["Air: 6"])
    }

    @Test func `a throttled notification that nobody heard counts as no update`() throws {
        let (house, alice) = try Self.house([
            "alertOnce": true, "collapse": "air:{{station}}", "throttle": ["seconds": 60], "audience": "user:alice",
        ])
        for station in 1...2 { #expect(try Self.report(house, 4, at: "\(station)") == Self.fired) }
        house.now = house.now.adding(milliseconds: 60_000)
        #expect(try Self.report(house, 5, at: "2") == Self.fired)
        let told = alice.events.filter { $0["type"] == "notification" }
        #expect(told.map { $0["reason"] } == [nil, "throttled", nil])
    }
}
