import JSON
import Model
import Notifying
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

@testable import ClientProtocol

/// `explain` for schedules, for notifications that were taken back, and for those still to come.
struct ExplainScheduleTests {
    private static let row: JSONValue = [
        "name": "t", "event": "write", "path": "films/{film}", "condition": "after->>'out' IS NOT NULL",
        "at": "after->>'out'", "audience": "followers:director:{after.by}",
        "title": ["en": "{{film}}", "it": "Film {{film}}"],
        "withdraw": "after->>'off' = 1",
    ]

    private static func house() throws -> House {
        let house = try House(triggers: [row])
        house.now = try #require(Timestamp("2026-11-23T10:00:00Z"))
        try house.follow("alice", "director:525")
        _ = try house.actor("bob")
        return house
    }

    private static func put(_ house: House, out: String?, off: Int64 = 0) throws -> Int64 {
        house.now = house.now.adding(milliseconds: 60_000)
        let data: JSONObject = ["by": "525", "out": out.map { .string($0) } ?? .null, "off": .integer(off)]
        return try #require(try house.put("films/x", data).seq)
    }

    private static func fire(_ house: House, at time: String) throws {
        house.now = try #require(Timestamp(time))
        try house.write(FireDueTriggers(), by: "server")
    }

    /// The result of the only trigger for a change and a person.
    private static func explain(_ house: House, _ name: String, seq: Int64) throws -> JSONValue {
        let explain = try ExplainPath(path: "films/x", user: name, seq: String(seq), limit: nil)
        let answer = try house.read(explain, by: "admin")
        return try #require(answer["changes"]?.arrayValue?.first?["triggers"]?.arrayValue?.first)
    }

    private static func step(_ answer: JSONValue, _ name: String) -> String? {
        answer["trail"]?.arrayValue?.first { $0["step"]?.stringValue == name }?["says"]?.stringValue
    }

    @Test func `a scheduled row that fired is explained to somebody outside its audience`() throws {
        let house = try Self.house()
        let seq = try Self.put(house, out: "2026-12-01")
        let waits = try Self.explain(house, "bob", seq: seq)
        #expect(
            waits["says"]
                == "bob got nothing of t: it is scheduled for 2026-12-01T00:00:00.000Z, but bob does not follow director:525"
        )
        try Self.fire(house, at: "2026-12-01")
        #expect(try Self.explain(house, "alice", seq: seq)["sent"] == true)
        let outside = try #require(try Self.explain(house, "bob", seq: seq)["says"]?.stringValue)
        #expect(outside.hasPrefix("bob got nothing of t: it was sent as n"))
        #expect(outside.hasSuffix("2026-12-01T00:00:00.000Z, and bob does not follow director:525"))
        let nobody = try #require(try Self.explain(house, "nobody", seq: seq)["says"]?.stringValue)
        #expect(nobody.hasSuffix("but the server does not know nobody"))
    }

    @Test func `explain says at both ends which change moved a schedule, and which dropped it`() throws {
        let house = try Self.house()
        let first = try Self.put(house, out: "2026-12-01")
        let second = try Self.put(house, out: "2026-12-05")
        let third = try Self.put(house, out: nil)
        let moved = try Self.explain(house, "alice", seq: first)
        #expect(
            moved["says"]
                == .string(
                    "alice got nothing of t: it was scheduled for 2026-12-01T00:00:00.000Z, and the change at seq "
                        + "\(second) moved it to 2026-12-05T00:00:00.000Z"))
        let middle = try Self.explain(house, "alice", seq: second)
        #expect(
            Self.step(middle, "schedule")
                == "what the change at seq \(first) had scheduled for 2026-12-01T00:00:00.000Z was moved to "
                + "2026-12-05T00:00:00.000Z")
        #expect(
            middle["says"]?.stringValue?.hasSuffix("the change at seq \(third) dropped it: the condition is 0") == true)
        let last = try Self.explain(house, "alice", seq: third)
        #expect(
            Self.step(last, "schedule")
                == "what the change at seq \(second) had scheduled for 2026-12-05T00:00:00.000Z was dropped")
        #expect(last["says"] == "alice got nothing of t: the condition is 0")
    }

    @Test func `explain names a deletion that dropped a schedule, and a time that came too late`() throws {
        let house = try Self.house()
        let first = try Self.put(house, out: "2026-12-01")
        let gone = try #require(try house.delete("films/x").seq)
        #expect(
            try Self.explain(house, "alice", seq: first)["says"]?.stringValue?
                .hasSuffix("the change at seq \(gone) dropped it: the document was deleted") == true)
        var row = Self.row
        row["ttl"] = 3600
        try house.put(trigger: row)
        let late = try Self.put(house, out: "2026-12-01")
        try Self.fire(house, at: "2026-12-02")
        #expect(
            try Self.explain(house, "alice", seq: late)["says"]?.stringValue?
                .hasSuffix("and expired at 2026-12-01T01:00:00.000Z, before the server came to it") == true)
    }

    @Test func `explain names a notification that a change took away, and the change`() throws {
        let house = try Self.house()
        _ = try Self.put(house, out: "2026-11-01")
        let id = try #require(try house.notifications("alice").texts("notifications", "id").first)
        let seq = try Self.put(house, out: "2026-11-01", off: 1)
        let answer = try Self.explain(house, "alice", seq: seq)
        #expect(Self.step(answer, "withdrawn") == "it removed \(id) (director:525)")
        let trail = try house.read(ExplainNotification(id: id, user: user("alice")), by: "admin")
        let removed = try #require(Self.step(trail, "removed"))
        #expect(removed.contains("(retracted), at seq"))
        #expect(removed.hasSuffix("films/x changed at seq \(seq), and the trigger's withdraw was true"))
    }

    @Test func `explain lists what is to come for a person: schedules, snoozes, digests, in the order of their times`()
        throws
    {
        let house = try Self.house()
        try house.write(ChangePreferences(["locale": "it", "digest": ["broadcast": "daily 08:00"]]), by: "alice")
        _ = try Self.put(house, out: "2026-12-01")
        try house.put("films/y", ["by": "1", "out": "2026-12-01"])
        try house.put("films/z", ["by": "525", "out": "2026-12-03"])
        try house.broadcast("user:alice", "Later")
        let id = try #require(try house.notifications("alice").texts("notifications", "id").first)
        let until = try #require(Timestamp("2026-12-02"))
        try house.write(SnoozeNotifications(SnoozeCommand(ids: [id], until: until)), by: "alice")
        func pending(_ name: String, after: String? = nil, limit: Int = 50) throws -> JSONValue {
            let place = try after.map { text throws(Refusal) in try ExplainPending.Place(text) }
            return try house.read(ExplainPending(user: name, after: place, limit: limit), by: "admin")
        }
        let all = try pending("alice")
        #expect(all.texts("pending", "what") == ["digest", "trigger", "snooze", "trigger"])
        #expect(all.texts("pending", "title") == ["Film x", "Later", "Film z"])
        #expect(all.texts("pending", "path") == ["films/x", "films/z"])
        #expect(all["verdict"] == "4 notifications are still to come for alice")
        #expect(all["next"] == nil)
        let says = try #require(all.texts("pending", "says").last)
        #expect(
            says.hasPrefix(
                "t notifies about films/z at 2026-12-03T00:00:00.000Z: alice has followed "
                    + "director:525 since seq"))
        let first = try pending("alice", limit: 1)
        let rest = try pending("alice", after: first["next"]?.stringValue, limit: 1)
        #expect(rest.texts("pending", "path") == ["films/z"])
        #expect(try pending("bob")["verdict"] == "nothing is still to come for bob")
        #expect(
            try pending("nobody")["verdict"]
                == "nothing is still to come for nobody; the server does not know nobody yet")
        #expect(try house.refusal { try pending("alice", after: "x") }.field == "after")
        #expect(throws: Refusal.self) { try ExplainPending(user: nil, after: nil, limit: 1) }
    }
}
