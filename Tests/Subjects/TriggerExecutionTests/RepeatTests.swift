import ClientProtocol
import JSON
import Model
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

/// `repeat`: after a notification, the trigger evaluates its time again and notifies at the next one, whether or not
/// the document was changed.
struct RepeatTests {
    private static let row: JSONObject = [
        "name": "task", "event": "write", "path": "tasks/{task}",
        "condition": "after IS NOT NULL AND NOT coalesce(after ->> 'done', 0)", "audience": "user:anna",
        "at": "next_occurrence(after ->> 'rule', after ->> 'due', now, 'Europe/Berlin')", "repeat": true,
        "title": "{{after.title}}", "collapse": "task:{{task}}", "alertOnce": true,
        "withdraw": "after IS NULL OR after ->> 'done'",
    ]
    private static let task: JSONObject = [
        "title": "Water", "due": "2027-03-26T09:00", "rule": "FREQ=DAILY",
    ]

    private static func house(_ more: JSONObject = [:]) throws -> (House, LiveSession) {
        var row = row
        for (name, value) in more.members { row[name] = value }
        let house = try House(triggers: [.object(row)])
        house.now = try #require(Timestamp("2027-03-26T00:00:00Z"))
        return (house, try house.connect("anna"))
    }

    /// Lets time pass as in the server; a trigger fires at most once at each time.
    @discardableResult
    private static func pass(_ house: House, to text: String) throws -> [String] {
        let end = try #require(Timestamp(text))
        var times: [String] = []
        while let due = try house.look({ try $0.triggers.nextDue() }), due <= end {
            #expect(times.last.map { $0 < due.text } ?? true)
            times.append(due.text)
            house.now = max(house.now, due)
            try house.write(FireDueTriggers(), by: "server")
        }
        house.now = end
        return times
    }

    private static func rings(_ session: LiveSession) -> Int {
        session.events.count { $0["type"] == "notification" && $0["alert"] == nil }
    }

    @Test func `an ignored reminder rings again at each of its times, by the clock of its zone in both nights`() throws
    {
        let (house, anna) = try Self.house()
        try house.put("tasks/1", Self.task)
        // Clocks are put forward on the 28th.
        #expect(
            try Self.pass(house, to: "2027-03-29T12:00:00Z") == [
                "2027-03-26T08:00:00.000Z", "2027-03-27T08:00:00.000Z", "2027-03-28T07:00:00.000Z",
                "2027-03-29T07:00:00.000Z",
            ])
        #expect(Self.rings(anna) == 4)
        #expect(anna.counts.notifications == 1)
        #expect(try house.notifications("anna").texts("notifications", "title") == ["Water"])
        house.now = try #require(Timestamp("2027-10-30T12:00:00Z"))
        try house.put("tasks/1", Self.task.merging(["title": "Water all"]))
        #expect(
            try Self.pass(house, to: "2027-11-01T12:00:00Z") == [
                "2027-10-31T08:00:00.000Z", "2027-11-01T08:00:00.000Z",
            ])
        #expect(Self.rings(anna) == 6)
    }

    @Test func `a repetition ends with its rule, when the task is done, and with the document`() throws {
        let (house, anna) = try Self.house()
        try house.put("tasks/1", Self.task.merging(["rule": "FREQ=DAILY;COUNT=2"]))
        try Self.pass(house, to: "2027-04-20T00:00:00Z")
        #expect(Self.rings(anna) == 2)
        #expect(try house.look { try $0.triggers.nextDue() } == nil)

        try house.put("tasks/2", Self.task)
        try Self.pass(house, to: "2027-04-20T12:00:00Z")
        #expect(Self.rings(anna) == 3)
        try house.put("tasks/2", Self.task.merging(["done": true]))
        #expect(try Self.pass(house, to: "2027-04-25T00:00:00Z") == [])

        try house.put("tasks/2", Self.task)
        try Self.pass(house, to: "2027-04-25T12:00:00Z")
        #expect(Self.rings(anna) == 4)
        try house.delete("tasks/2")
        #expect(try Self.pass(house, to: "2027-05-25T00:00:00Z") == [])
        #expect(Self.rings(anna) == 4 && anna.counts.notifications == 1)
    }

    @Test func `a row without the column notifies once, as before`() throws {
        let (house, anna) = try Self.house(["repeat": false])
        try house.put("tasks/1", Self.task)
        try Self.pass(house, to: "2027-03-29T12:00:00Z")
        #expect(Self.rings(anna) == 1)
    }

    @Test func `an edit between two times brings up to date in silence, and the next time rings`() throws {
        let (house, anna) = try Self.house([
            "at": """
            next_occurrence(after ->> 'rule', after ->> 'due',
            CASE WHEN before ->> 'title' <> after ->> 'title' THEN datetime(now, '-1 day') ELSE now END, 'Europe/Berlin')
            """
        ])
        try house.put("tasks/1", Self.task)
        try Self.pass(house, to: "2027-03-26T10:00:00Z")
        try house.put("tasks/1", Self.task.merging(["title": "Water all"]))
        #expect(anna.events.last?["alert"] == false)
        #expect(try Self.pass(house, to: "2027-03-27T10:00:00Z") == ["2027-03-27T08:00:00.000Z"])
        #expect(Self.rings(anna) == 2)
        #expect(anna.events.last?["title"] == "Water all")
    }

    @Test func `after a long absence the waiting reminder rings, and then the next one`() throws {
        let (house, anna) = try Self.house(["ttl": 7200])
        try house.put("tasks/1", Self.task)
        house.now = try #require(Timestamp("2027-03-26T09:30:00Z"))
        try house.write(FireDueTriggers(), by: "server")
        #expect(Self.rings(anna) == 1)
        // An expired or late time causes no notification, and the row continues.
        house.now = try #require(Timestamp("2027-04-10T12:00:00Z"))
        try house.write(FireDueTriggers(), by: "server")
        #expect(Self.rings(anna) == 1)
        try Self.pass(house, to: "2027-04-11T07:00:00Z")
        #expect(Self.rings(anna) == 2)
    }

    @Test func `a time that is always a moment ahead tells once in a minute, and never twice in a turn`() throws {
        let (house, anna) = try Self.house(["at": "datetime(now, '+1 second')"])
        try house.put("tasks/1", Self.task)
        let times = try Self.pass(house, to: "2027-03-26T00:05:00Z")
        #expect(times.count == 5)
        #expect(Self.rings(anna) == 5)
        for minute in 1...3 {
            house.now = house.now.adding(milliseconds: 1)
            try house.write(FireDueTriggers(), by: "server")
            #expect(Self.rings(anna) == 5, "\(minute)")
        }
    }

    @Test func `by the recipients' clocks nothing repeats, and the row is refused`() throws {
        let house = try House()
        var row = Self.row
        row["clock"] = "recipient"
        #expect(try house.refusal { try house.put(trigger: .object(row)) }.field == "repeat")
    }

    @Test func `with rearm it is spent when there is no next time`() throws {
        let (house, anna) = try Self.house(["rearm": "before ->> 'due' <> after ->> 'due'"])
        try house.put("tasks/1", Self.task.merging(["rule": "FREQ=DAILY;COUNT=2"]))
        try Self.pass(house, to: "2027-03-29T12:00:00Z")
        #expect(Self.rings(anna) == 2)
        let reply = try house.put("tasks/1", Self.task)
        #expect(reply["triggers"]?.arrayValue?.first?["skipped"] == "not rearmed")
    }

    @Test func `a failed commit leaves the time where it was: no notification comes twice or is left out`() throws {
        struct Failure: Error {}
        let (house, anna) = try Self.house()
        try house.put("tasks/1", Self.task)
        house.now = try #require(Timestamp("2027-03-26T08:00:00Z"))
        _ = try? house.fail(FireDueTriggers(), by: "server", with: Failure())
        #expect(try house.look { try $0.triggers.nextDue() } == Timestamp("2027-03-26T08:00:00Z"))
        try Self.pass(house, to: "2027-03-27T08:00:00Z")
        #expect(Self.rings(anna) == 2)
    }
}

extension JSONObject {
    /// The same with other members in place.
    fileprivate func merging(_ other: JSONObject) -> JSONObject {
        other.members.reduce(into: self) { $0[$1.name] = $1.value }
    }
}
