import ClientProtocol
import Execution
import JSON
import Model
import Notifying
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

/// `late: skip`: a time that is over when the document is written, or when the server comes to it, causes no
/// notification.
struct LateRemindersTests {
    private static let row: JSONObject = [
        "name": "due", "event": "write", "path": "loans/{loan}", "condition": "after IS NOT NULL",
        "audience": "user:{after.reader}", "at": "local_time(after ->> 'due', 'Europe/Berlin')", "late": "skip",
        "title": "{{after.title}} is due", "collapse": "loan:{{loan}}",
    ]

    private static func house(_ more: JSONObject = [:]) throws -> (House, LiveSession) {
        var row = row
        for (name, value) in more.members { row[name] = value }
        let house = try House(triggers: [.object(row)])
        house.now = try #require(Timestamp("2026-11-21T10:00:00Z"))
        return (house, try house.connect("ayse"))
    }

    private static func loan(due: String) -> JSONObject {
        ["reader": "ayse", "title": "Momo", "due": .string(due)]
    }

    private static func fire(_ house: House, at time: String) throws {
        house.now = try #require(Timestamp(time))
        try house.write(FireDueTriggers(), by: "server")
    }

    private static func first(_ value: JSONValue, _ names: String...) -> JSONValue? {
        names.reduce(value) { $0?[$1]?.arrayValue?.first }
    }

    private static func titles(_ session: LiveSession) -> [String] {
        session.events.compactMap { $0["title"]?.stringValue }
    }

    private static func report(_ reply: JSONValue) -> JSONValue? { first(reply, "triggers") }

    @Test func `a time that is over when the document is written is skipped, and the answer says so`() throws {
        let (house, ayse) = try Self.house()
        let reply = try house.put("loans/1", Self.loan(due: "2026-11-21T10:59:59"))
        #expect(
            Self.report(reply)
                == ["trigger": "due", "skipped": "late: its time, 2026-11-21T09:59:59.000Z, is over"])
        #expect(ayse.events.isEmpty)
        #expect(try house.look { try $0.triggers.nextDue() } == nil)
        let answer = try house.read(ExplainPath(path: "loans/1", user: "ayse", seq: nil, limit: nil), by: "admin")
        let says = Self.first(answer, "changes", "triggers")?["says"]?.stringValue
        #expect(says == "ayse got nothing of due: late: its time, 2026-11-21T09:59:59.000Z, is over")
    }

    @Test func `without the column a late reminder is sent at once, as before`() throws {
        let (house, ayse) = try Self.house(["late": .null])
        try house.put("loans/1", Self.loan(due: "2026-11-20T09:00"))
        #expect(Self.titles(ayse) == ["Momo is due"])
    }

    @Test func `a reminder for now, or for a time to come, is sent`() throws {
        let (house, ayse) = try Self.house()
        try house.put("loans/1", Self.loan(due: "2026-11-21T11:00"))
        #expect(ayse.events.count == 1)
        try house.put("loans/2", Self.loan(due: "2026-11-21T11:00:01"))
        try Self.fire(house, at: "2026-11-21T10:00:01Z")
        #expect(ayse.events.count == 2)
    }

    @Test func `a reminder that moves from the future into the past is dropped, and not sent`() throws {
        let (house, ayse) = try Self.house()
        try house.put("loans/1", Self.loan(due: "2026-12-01T09:00"))
        let reply = try house.put("loans/1", Self.loan(due: "2026-11-01T09:00"))
        #expect(Self.report(reply)?["dropped"] == "2026-12-01T08:00:00.000Z")
        try Self.fire(house, at: "2026-12-02T08:00:00Z")
        #expect(ayse.events.isEmpty)
    }

    @Test func `a document that is touched just before the server comes to its time loses nothing`() throws {
        let (house, ayse) = try Self.house()
        try house.put("loans/1", Self.loan(due: "2026-11-21T12:00"))
        house.now = try #require(Timestamp("2026-11-21T11:00:00.400Z"))
        var loan = Self.loan(due: "2026-11-21T12:00")
        loan["title"] = "Krabat"
        try house.put("loans/1", loan)
        try Self.fire(house, at: "2026-11-21T11:00:01Z")
        #expect(Self.titles(ayse) == ["Krabat is due"])
        // After the notification the time is over: another change does not repeat it.
        loan["title"] = "Momo"
        try house.put("loans/1", loan)
        #expect(ayse.events.count == 1)
    }

    @Test(arguments: [
        ("2026-11-21T11:10:00Z", 1), ("2026-11-21T11:10:00.001Z", 0), ("2026-11-25T11:00:00Z", 0),
    ])
    func `a reminder that came due while the server was off is sent for ten minutes`(back: String, expected: Int) throws
    {
        let tally = TriggerTally()
        let house = try House(triggers: [.object(Self.row)], tally: tally)
        house.now = try #require(Timestamp("2026-11-21T10:00:00Z"))
        let ayse = try house.connect("ayse")
        try house.put("loans/1", Self.loan(due: "2026-11-21T12:00"))
        try Self.fire(house, at: back)
        #expect(ayse.events.count == expected)
        #expect(try house.look { try $0.triggers.nextDue() } == nil)
        guard expected == 0 else { return }
        let answer = try house.read(ExplainPath(path: "loans/1", user: "ayse", seq: nil, limit: nil), by: "admin")
        let says = Self.first(answer, "changes", "triggers")?["says"]?.stringValue ?? ""
        #expect(says.hasSuffix("and the server was more than 10 minutes late: it was skipped"))
        #expect(tally.all.first?.counts.skipped["late"] == 1)
    }

    @Test func `by the recipients' clocks each is late, or in time, by itself`() throws {
        let (house, ayse) = try Self.house([
            "at": "after ->> 'due'", "clock": "recipient", "audience": "followers:branch:mitte",
        ])
        // At ten in UTC, nine o'clock of the 21st is over in Istanbul and Berlin, and not yet in New York.
        for (name, zone) in [("ayse", "Europe/Istanbul"), ("bernd", "Europe/Berlin"), ("carol", "America/New_York")] {
            try house.write(ChangePreferences(["timeZone": .string(zone)]), by: name)
            try house.follow(name, "branch:mitte")
        }
        let carol = try house.connect("carol")
        try house.put("loans/1", Self.loan(due: "2026-11-21T09:00"))
        for time in ["2026-11-21T10:00:01Z", "2026-11-21T14:00:00Z", "2026-11-22T00:00:00Z"] {
            try Self.fire(house, at: time)
        }
        #expect(ayse.events.filter { $0["type"] == "notification" } == [])
        #expect(Self.titles(carol) == ["Momo is due"])
        #expect(try house.notifications("bernd")["notifications"] == [])
        try house.put("loans/1", Self.loan(due: "2026-11-22T09:00"))
        for time in ["2026-11-22T06:00:00Z", "2026-11-22T08:00:00Z", "2026-11-22T14:30:00Z"] {
            try Self.fire(house, at: time)
        }
        // The server was in time for Berlin and Istanbul, and half an hour late for New York.
        #expect(ayse.events.filter { $0["type"] == "notification" }.count == 1)
        #expect(carol.events.filter { $0["type"] == "notification" }.count == 1)
    }

    @Test(arguments: [("late", JSONValue.string("skip")), ("repeat", true)])
    func `columns about the time of at need one`(name: String, value: JSONValue) throws {
        var row = Self.row
        row["late"] = .none
        row["at"] = .none
        row[name] = value
        let house = try House()
        #expect(try house.refusal { try house.put(trigger: .object(row)) }.field == name)
        row["at"] = "after ->> 'due'"
        row[name] = "sometimes"
        #expect(try house.refusal { try house.put(trigger: .object(row)) }.field == name)
    }
}
