import ClientProtocol
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

/// `withdraw`: a trigger's notifications are taken back when the document demands it.
struct WithdrawTests {
    static let air: JSONObject = [
        "name": "air", "event": "update", "path": "stations/{station}",
        "condition": "after ->> 'index' > before ->> 'index'", "withdraw": "after IS NULL OR after ->> 'index' <= 2",
        "audience": "followers:station:{station}", "collapse": "air:{{station}}", "alertOnce": true,
        "title": "Air: {{after.index}}",
        "level": ["critical": "after ->> 'index' >= 5", "time-sensitive": "after ->> 'index' = 4", "else": "active"],
    ]

    private static func house() throws -> (House, LiveSession) {
        let house = try House(triggers: [.object(air)])
        try house.follow("alice", "station:1")
        let alice = try house.connect("alice")
        try house.put("stations/1", ["index": 2])
        return (house, alice)
    }

    @Test func `a better index takes the warning from every device, and tells nothing new`() throws {
        let (house, alice) = try Self.house()
        #expect(try house.put("stations/1", ["index": 4])["triggers"] == [["trigger": "air", "notifications": 1]])
        #expect(alice.counts.notifications == 1)
        #expect(
            try house.put("stations/1", ["index": 1])["triggers"]
                == [["trigger": "air", "skipped": "the condition is 0", "withdrawn": 1]]
        )
        #expect(alice.types == ["notification", "notification.removed"])
        #expect(alice.events[1]["reason"] == "retracted")
        #expect(alice.events[1]["id"] == alice.events[0]["id"])
        #expect(alice.counts.notifications == 0)
        #expect(try house.notifications("alice")["notifications"] == [])
    }

    @Test func `a deleted document withdraws its notification, and one without a notification withdraws nothing`()
        throws
    {
        let (house, alice) = try Self.house()
        try house.put("stations/1", ["index": 3])
        #expect(
            try house.delete("stations/1")["triggers"]
                == [["trigger": "air", "skipped": "the row does not watch this change", "withdrawn": 1]]
        )
        #expect(alice.types == ["notification", "notification.removed"])
        try house.put("stations/2", ["index": 2])
        #expect(try house.delete("stations/2")["triggers"] == [])
        #expect(alice.received.count == 2)
    }

    @Test func `withdrawal comes first, and a condition that also holds notifies again`() throws {
        var row = Self.air
        row["withdraw"] = "1"
        let house = try House(triggers: [.object(row)])
        try house.follow("alice", "station:1")
        let alice = try house.connect("alice")
        try house.put("stations/1", ["index": 2])
        try house.put("stations/1", ["index": 3])
        let reply = try house.put("stations/1", ["index": 4])
        #expect(reply["triggers"] == [["trigger": "air", "notifications": 1, "withdrawn": 1]])
        #expect(alice.types == ["notification", "notification.removed", "notification"])
        #expect(alice.events[1]["reason"] == "retracted")
        #expect(alice.events[2]["alert"] == nil, "it replaces nothing any more")
        #expect(alice.counts.notifications == 1)
    }

    @Test func `only notifications of the same trigger and document go`() throws {
        var other = Self.air
        other["name"] = "other"
        other["collapse"] = "other:{{station}}"
        other["withdraw"] = .null
        let house = try House(triggers: [.object(Self.air), .object(other)])
        for station in 1...2 {
            try house.follow("alice", "station:\(station)")
            try house.put("stations/\(station)", ["index": 2])
            try house.put("stations/\(station)", ["index": 3])
        }
        #expect(try house.counts("alice").notifications == 4)
        try house.put("stations/1", ["index": 1])
        #expect(try house.counts("alice").notifications == 3)
        let left = try house.notifications("alice").texts("notifications", "collapse")
        #expect(left == ["other:2", "air:2", "other:1"])
    }

    @Test func `a task that is done on one device goes from all, with its schedules`() throws {
        let house = try House(triggers: [
            [
                "name": "due", "event": "write", "path": "users/{user}/tasks/{task}",
                "condition": "NOT coalesce(after ->> 'done', 0)", "withdraw": "after IS NULL OR after ->> 'done'",
                "audience": "user:{user}", "title": "{{after.title}}",
                "at": "datetime(local_time(after ->> 'due', after ->> 'zone'), '-15 minutes')",
            ]
        ])
        house.now = try #require(Timestamp("2026-11-20T10:00:00Z"))
        let alice = try house.connect("alice")
        let task: JSONObject = ["title": "Popcorn", "due": "2026-11-21T09:00", "zone": "Europe/Rome"]
        #expect(
            try house.put("users/alice/tasks/1", task)["triggers"]
                == [["trigger": "due", "scheduled": "2026-11-21T07:45:00.000Z"]]
        )
        try house.put("users/alice/tasks/2", task)
        try house.document("users/alice/tasks/2", .patch(["done": true]))
        house.now = try #require(Timestamp("2026-11-21T07:45:00Z"))
        try house.write(FireDueTriggers(), by: "server")
        #expect(alice.types == ["notification"])
        try house.document("users/alice/tasks/1", .patch(["done": true]))
        #expect(alice.types == ["notification", "notification.removed"])
        #expect(alice.events[1]["reason"] == "retracted")
        #expect(alice.counts.notifications == 0)
    }

    @Test(arguments: ["withdraw", "rearm", "level"])
    func `an expression that fails leaves no trace but a dead letter that names it`(column: String) throws {
        var row = Self.air
        row["rearm"] = "1"
        row["alertOnce"] = false
        let failing: JSONValue = "json(after ->> 'broken')"
        row[column] = column == "level" ? ["critical": failing] : failing
        let house = try House(triggers: [.object(row)])
        try house.follow("alice", "station:1")
        try house.put("stations/1", ["index": 2, "broken": "1"])
        try house.put("stations/1", ["index": 3, "broken": "1"])
        #expect(try house.notifications("alice")["notifications"]?.arrayValue?.count == 1)
        let before = try house.counts("alice")
        try house.put("stations/1", ["index": 4, "broken": "{"])
        let dead = try house.read(ListDead(before: nil, limit: 9), by: "admin").texts("dead", "reason")
        let name = column == "level" ? "level.critical" : column
        #expect(dead == ["\(name): malformed JSON"])
        #expect(try house.counts("alice") == before)
        #expect(try house.notifications("alice")["notifications"]?.arrayValue?.count == 1)
    }

    @Test func `an expression without an end is stopped, and the write stands`() throws {
        var row = Self.air
        row["withdraw"] =
            "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(i) FROM n)"
        let house = try House(triggers: [.object(row)])
        let reply = try house.put("stations/1", ["index": 2])
        let failed = reply["triggers"]?.arrayValue?.first?["failed"]?.stringValue
        #expect(failed?.hasPrefix("withdraw: took more than") == true)
        #expect(reply["version"] == 1)
    }
}
