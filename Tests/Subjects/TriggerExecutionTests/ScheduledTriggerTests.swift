import ClientProtocol
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

struct ScheduledTriggerTests {
    private static let credit = "people/525/credits/movie/1"

    private static func house() throws -> (House, LiveSession) {
        let house = try House.filmNetwork()
        // At midnight in UTC, where the readers' own clocks do not count.
        let stored = try #require(try house.look { try $0.triggers.find("director-release") })
        var row = try #require(try JSONValue(parsing: Array(stored.utf8)).objectValue)
        for (name, value) in [("clock", .null), ("at", "after->>'releaseDate'")] as [(String, JSONValue)] {
            row[name] = value
        }
        for name in ["rearm", "withdraw"] {
            row[name] = row[name]?.stringValue.map { .string($0.replacing(", '-5 hours'", with: "")) }
        }
        try house.put(trigger: .object(row))
        house.now = try #require(Timestamp("2026-11-21T10:00:00Z"))
        try house.follow("alice", "person:525")
        return (house, try house.connect("alice"))
    }

    @discardableResult
    private static func release(_ house: House, on date: String, title: String = "Dune") throws -> JSONValue {
        try house.put(credit, ["title": .string(title), "releaseDate": .string(date)])
    }

    /// - Returns: when the next is due.
    private static func fire(_ house: House, at time: String) throws -> Timestamp? {
        house.now = try #require(Timestamp(time))
        try house.write(FireDueTriggers(), by: "server")
        return try house.look { try $0.triggers.nextDue() }
    }

    @Test func `a future release waits for its time, and comes once`() throws {
        let (house, alice) = try Self.house()
        let reply = try Self.release(house, on: "2026-12-18")
        #expect(
            reply["triggers"]?.arrayValue?.last
                == ["trigger": "director-release", "scheduled": "2026-12-18T00:00:00.000Z"]
        )
        #expect(alice.received.isEmpty)
        #expect(try Self.fire(house, at: "2026-12-17T23:59:59.999Z") == Timestamp(milliseconds: 1_797_552_000_000))
        #expect(alice.received.isEmpty)
        _ = try Self.fire(house, at: "2026-12-18")
        #expect(alice.events.compactMap { $0["title"]?.stringValue } == ["New release: Dune"])
        #expect(alice.events[0]["at"] == "2026-12-18T00:00:00.000Z")
        #expect(alice.events[0]["expires"] == "2027-01-17T00:00:00.000Z")
        #expect(alice.counts.notifications == 1)
        _ = try Self.fire(house, at: "2026-12-19")
        #expect(alice.received.count == 1)
    }

    @Test func `a moved date moves the notification, with the new texts`() throws {
        let (house, alice) = try Self.house()
        try Self.release(house, on: "2026-12-18")
        try Self.release(house, on: "2027-03-01", title: "Dune Three")
        _ = try Self.fire(house, at: "2026-12-18")
        #expect(alice.received.isEmpty)
        try Self.release(house, on: "2026-12-25", title: "Dune Three")
        _ = try Self.fire(house, at: "2026-12-25")
        #expect(alice.events.compactMap { $0["title"]?.stringValue } == ["New release: Dune Three"])
    }

    @Test func `an identical write leaves the schedule as it is`() throws {
        let (house, alice) = try Self.house()
        try Self.release(house, on: "2026-12-18")
        #expect(try Self.release(house, on: "2026-12-18")["triggers"] == [])
        _ = try Self.fire(house, at: "2026-12-18")
        #expect(alice.received.count == 1)
    }

    @Test func `a deleted document drops it`() throws {
        let (house, alice) = try Self.house()
        try Self.release(house, on: "2026-12-18")
        try house.delete(Self.credit)
        _ = try Self.fire(house, at: "2026-12-18")
        #expect(alice.received.isEmpty)
        #expect(try house.look { try $0.triggers.nextDue() } == nil)
    }

    @Test func `a condition that no longer holds drops it`() throws {
        let (house, alice) = try Self.house()
        try Self.release(house, on: "2026-12-18")
        try house.document(Self.credit, .patch(["releaseDate": nil]))
        _ = try Self.fire(house, at: "2026-12-18")
        #expect(alice.received.isEmpty)
    }

    @Test func `a date that moves to the past notifies at once`() throws {
        let (house, alice) = try Self.house()
        try Self.release(house, on: "2026-12-18")
        try Self.release(house, on: "2026-11-20")
        #expect(alice.received.count == 1)
        _ = try Self.fire(house, at: "2026-12-18")
        #expect(alice.received.count == 1)
    }

    @Test func `a release with a notification that moves to a later day takes it back, and notifies on the new day`()
        throws
    {
        let (house, alice) = try Self.house()
        try Self.release(house, on: "2026-11-20")
        #expect(alice.types == ["notification"] && alice.counts.notifications == 1)
        try Self.release(house, on: "2027-03-01")
        #expect(alice.types.last == "notification.removed" && alice.counts.notifications == 0)
        _ = try Self.fire(house, at: "2027-03-01")
        #expect(alice.types.last == "notification" && alice.counts.notifications == 1)
        // A day that is corrected within the past is no news.
        try Self.release(house, on: "2027-02-27")
        #expect(alice.counts.notifications == 1 && alice.types.count(where: { $0 == "notification" }) == 2)
    }

    @Test func `a past day that stood for no date, and moves ahead, notifies on the new day`() throws {
        let (house, alice) = try Self.house()
        try Self.release(house, on: "1900-01-01")
        try Self.release(house, on: "2026-12-18")
        #expect(alice.events.isEmpty)
        _ = try Self.fire(house, at: "2026-12-18")
        #expect(alice.titles == ["New release: Dune"])
    }

    @Test func `a release of later today notifies at its hour, although its document changes before`() throws {
        let (house, alice) = try Self.house()
        try Self.release(house, on: "2026-11-21T18:00:00Z")
        try Self.release(house, on: "2026-11-21T18:00:00Z", title: "Dune: Part Three")
        #expect(alice.events.isEmpty)
        _ = try Self.fire(house, at: "2026-11-21T18:00:00Z")
        #expect(alice.titles == ["New release: Dune: Part Three"])
    }

    @Test func `an old film, and one without a day, are no news`() throws {
        let (house, alice) = try Self.house()
        try Self.release(house, on: "1994-10-14")
        try Self.release(house, on: "2026-11-13")
        try Self.release(house, on: "")
        #expect(alice.events.isEmpty)
        #expect(try house.look { try $0.triggers.nextDue() } == nil)
        try Self.release(house, on: "2026-11-14")
        #expect(alice.titles == ["New release: Dune"])
    }

    @Test func `a deleted trigger, or one that is switched off, fires no more`() throws {
        for isDeleted in [true, false] {
            let (house, alice) = try Self.house()
            try Self.release(house, on: "2026-12-18")
            var row = try #require(try house.read(ReadTriggers(name: "director-release"), by: "admin").objectValue)
            row["enabled"] = false
            if isDeleted {
                try house.write(DeleteTrigger(name: "director-release"), by: "admin")
            } else {
                try house.put(trigger: .object(row))
            }
            _ = try Self.fire(house, at: "2026-12-18")
            #expect(alice.received.isEmpty)
        }
    }

    @Test func `the schedules of a follow are dropped when the follow ends`() throws {
        let house = try House(triggers: [
            [
                "name": "later", "event": "create", "path": "users/{user}/followers/{follower}",
                "audience": "user:{user}", "title": "{{follower}} still follows you", "at": "datetime(now, '+1 day')",
            ]
        ])
        house.now = try #require(Timestamp("2026-11-21T10:00:00Z"))
        try house.follow("alice", "user:bob")
        try house.follow("carol", "user:bob")
        try house.follow("alice", "user:bob", isOn: false)
        _ = try Self.fire(house, at: "2026-11-23")
        #expect(try house.notifications("bob").texts("notifications", "title") == ["carol still follows you"])
    }

    @Test func `many that are due together all fire, a hundred at a time`() throws {
        let (house, alice) = try Self.house()
        for number in 1...130 {
            try house.put(
                "people/525/credits/movie/\(number)",
                ["title": "T\(number)", "releaseDate": "2026-12-18"]
            )
        }
        #expect(try Self.fire(house, at: "2026-12-18") == Timestamp(milliseconds: 1_797_552_000_000))
        #expect(alice.received.count == 100)
        _ = try Self.fire(house, at: "2026-12-18")
        #expect(alice.received.count == 130)
        #expect(alice.counts.notifications == 130)
    }

    @Test func `a schedule that cannot be read is set aside, and the later ones fire`() throws {
        let (house, alice) = try Self.house()
        try Self.release(house, on: "2026-12-18")
        try house.schedule(wanted: "{}")
        _ = try Self.fire(house, at: "2026-12-18")
        #expect(alice.received.count == 1)
        #expect(try house.read(ListDead(before: nil, limit: 9), by: "admin").texts("dead", "trigger") == ["damaged"])
        #expect(try house.read(ListDead(before: nil, limit: 9), by: "admin").texts("dead", "path") == ["items/1"])
    }

    @Test func `a schedule keeps every audience and text until it fires`() throws {
        for audience in ["user:alice", "followers:person:1", "everyone", "chat:alice:bob"] {
            let house = try House(triggers: [
                [
                    "name": "later", "event": "write", "path": "items/{item}", "audience": .string(audience),
                    "title": ["en": "Hello", "it": "Ciao"],
                    "data": ["item": "{{item}}", "deep": ["a": [1, "{{item}}"]]],
                    "level": "critical", "collapse": "c", "kind": "k", "at": "after->>'at'",
                ]
            ])
            try house.follow("alice", "person:1")
            try house.follow("alice", "user:bob")
            try house.send("alice", "bob")
            let alice = try house.connect("alice")
            try house.put("items/1", ["at": "2027-01-01"])
            _ = try Self.fire(house, at: "2027-01-01")
            let event = try #require(alice.events.first, "\(audience)")
            #expect(event["title"] == "Hello")
            #expect(event["level"] == "critical")
            #expect(event["kind"] == "k")
            #expect(event["collapse"] == "c")
            #expect(event["data"] == ["item": "1", "deep": ["a": [1, "1"]]])
            let italian = try house.notifications("alice", language: "it")
            #expect(italian.texts("notifications", "title") == ["Ciao"])
        }
    }

    // MARK: A time that moves

    private static let reminder: JSONObject = [
        "name": "reminder", "event": "create", "path": "users/{user}/tasks/{task}", "audience": "user:{user}",
        "condition": "NOT coalesce(after ->> 'done', 0)", "title": "{{after.title}}{{before.title}}",
        "at": "after ->> 'due'",
    ]

    private static func board() throws -> (House, LiveSession) {
        let house = try House(triggers: [.object(reminder)])
        house.now = try #require(Timestamp("2026-11-21T10:00:00Z"))
        return (house, try house.connect("alice"))
    }

    @Test func `a time moved ten times fires once, at the last`() throws {
        let (house, alice) = try Self.board()
        for hour in 12...21 {
            let task: JSONObject = ["title": .string("at \(hour)"), "due": .string("2026-11-21T\(hour):00:00+01:00")]
            let reply = try house.put("users/alice/tasks/1", task)
            var report: JSONValue = [
                "trigger": "reminder", "scheduled": .string("2026-11-21T\(hour - 1):00:00.000Z"),
            ]
            if hour > 12 { report["moved"] = .string("2026-11-21T\(hour - 2):00:00.000Z") }
            #expect(reply["triggers"] == .array([report]))
        }
        for hour in 10...23 { _ = try Self.fire(house, at: "2026-11-21T\(hour):00:00Z") }
        #expect(alice.events.compactMap { $0["title"]?.stringValue } == ["at 21"])
        #expect(alice.events[0]["at"] == "2026-11-21T20:00:00.000Z")
        // It has fired: changing the document does not repeat its creation.
        let late: JSONObject = ["title": "again", "due": "2026-11-25"]
        #expect(try house.put("users/alice/tasks/1", late)["triggers"] == [])
        _ = try Self.fire(house, at: "2026-11-25")
        #expect(alice.types == ["notification", "notification.edited"], "what it has sent takes the new title")
    }

    @Test(arguments: [
        ("done", #"{"done":true}"#, "the condition is 0"), ("without a time", #"{"due":null}"#, "at is NULL"),
    ])
    func `the schedule of a creation is dropped when its reason goes`(name: String, patch: String, reason: String)
        throws
    {
        let (house, alice) = try Self.board()
        try house.put("users/alice/tasks/1", ["title": "T", "due": "2026-11-22"])
        let patch = try #require(try JSONValue(parsing: Array(patch.utf8)).objectValue)
        let reply = try house.document("users/alice/tasks/1", .patch(patch))
        #expect(
            reply["triggers"] == [
                ["trigger": "reminder", "skipped": .string(reason), "dropped": "2026-11-22T00:00:00.000Z"]
            ])
        _ = try Self.fire(house, at: "2026-11-22")
        #expect(alice.received.isEmpty)
        // A time that is not scheduled is not evaluated again.
        try house.document("users/alice/tasks/1", .patch(["done": false, "due": "2026-11-23"]))
        _ = try Self.fire(house, at: "2026-11-23")
        #expect(alice.received.isEmpty)
    }

    @Test func `moved to the past it fires at once, and deleted never`() throws {
        let (house, alice) = try Self.board()
        try house.put("users/alice/tasks/1", ["title": "T", "due": "2026-11-22"])
        try house.put("users/alice/tasks/1", ["title": "T2", "due": "2026-11-20"])
        #expect(alice.events.compactMap { $0["title"]?.stringValue } == ["T2"])
        try house.put("users/alice/tasks/2", ["title": "T", "due": "2026-11-22"])
        try house.delete("users/alice/tasks/2")
        try house.put("users/alice/tasks/3", ["title": "far", "due": "9000-01-01"])
        _ = try Self.fire(house, at: "2026-11-22")
        #expect(alice.received.count == 1)
        #expect(try house.look { try $0.triggers.nextDue() } == Timestamp("9000-01-01"))
    }

    @Test func `the schedule of a deletion is dropped when the document exists again`() throws {
        var row = Self.reminder
        row["event"] = "delete"
        row["condition"] = ""
        row["at"] = "datetime(now, '+1 day')"
        let house = try House(triggers: [.object(row)])
        house.now = try #require(Timestamp("2026-11-21T10:00:00Z"))
        let alice = try house.connect("alice")
        for task in 1...2 {
            try house.put("users/alice/tasks/\(task)", ["title": .string("gone \(task)")])
            try house.delete("users/alice/tasks/\(task)")
        }
        try house.put("users/alice/tasks/1", ["title": "back"])
        _ = try Self.fire(house, at: "2026-11-22T10:00:00Z")
        #expect(alice.events.compactMap { $0["title"]?.stringValue } == ["gone 2"])
    }

    @Test func `a row put on another path, or without a time, leaves nothing waiting`() throws {
        for (column, value) in [("path", "users/{user}/chores/{task}"), ("at", "")] as [(String, JSONValue)] {
            let (house, alice) = try Self.board()
            try house.put("users/alice/tasks/1", ["title": "T", "due": "2026-11-22"])
            var row = Self.reminder
            row[column] = value
            try house.put(trigger: .object(row))
            #expect(try house.look { try $0.triggers.nextDue() } == nil)
            _ = try Self.fire(house, at: "2026-11-22")
            #expect(alice.received.isEmpty)
        }
    }
}
