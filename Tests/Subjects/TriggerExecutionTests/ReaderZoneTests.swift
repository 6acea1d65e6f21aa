import ClientProtocol
import JSON
import Model
import Notifying
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

/// `zone`: the time zone of the one reader, in expressions and templates.
struct ReaderZoneTests {
    private static let row: JSONObject = [
        "name": "due", "event": "write", "path": "loans/{loan}", "condition": "after IS NOT NULL",
        "audience": "user:{after.reader}", "at": "local_time(after ->> 'day' || 'T09:00', zone)",
        "title": "Back by {{date.zone(after.due)}} {{time.zone(after.due)}}", "body": "{{zone}}",
    ]
    private static let zones = [
        ("ayse", "Europe/Istanbul"), ("bernd", "Europe/Berlin"), ("carol", "America/New_York"),
    ]

    private static func house(_ more: JSONObject = [:]) throws -> House {
        var row = row
        for (name, value) in more.members { row[name] = value }
        let house = try House(triggers: [.object(row)])
        house.now = try #require(Timestamp("2027-03-20T10:00:00Z"))
        for (name, zone) in zones { try house.write(ChangePreferences(["timeZone": .string(zone)]), by: name) }
        return house
    }

    private static func loan(of reader: String, day: String = "2027-03-28") -> JSONObject {
        ["reader": .string(reader), "day": .string(day), "due": "2027-03-28T21:30:00Z"]
    }

    @Test(arguments: [
        ("ayse", "2027-03-28T06:00:00.000Z", "Back by March 29, 2027 12:30\u{a0}AM", "Europe/Istanbul"),
        ("bernd", "2027-03-28T07:00:00.000Z", "Back by March 28, 2027 11:30\u{a0}PM", "Europe/Berlin"),
        ("carol", "2027-03-28T13:00:00.000Z", "Back by March 28, 2027 5:30\u{a0}PM", "America/New_York"),
        ("dora", "2027-03-28T09:00:00.000Z", "Back by March 28, 2027 9:30\u{a0}PM", "UTC"),
    ])
    func `each reader is notified at nine in the reader's zone, with times of that zone`(
        name: String, due: String, title: String, zone: String
    ) throws {
        let house = try Self.house()
        let reader = try house.connect(name)
        let reply = try house.put("loans/1", Self.loan(of: name))
        #expect(reply["triggers"]?.arrayValue == [["trigger": "due", "scheduled": .string(due)]])
        house.now = try #require(Timestamp(due))
        try house.write(FireDueTriggers(), by: "server")
        #expect(reader.events.compactMap { $0["title"]?.stringValue } == [title])
        #expect(reader.events.compactMap { $0["body"]?.stringValue } == [zone])
    }

    @Test func `a user who moves has the new zone from the next write on, and explain uses the zone of that time`()
        throws
    {
        let house = try Self.house(["at": .null, "condition": "length(zone)"])
        try house.put("loans/1", Self.loan(of: "bernd"))
        try house.write(ChangePreferences(["timeZone": "America/New_York"]), by: "bernd")
        try house.put("loans/2", Self.loan(of: "bernd"))
        let bodies = try house.notifications("bernd")["notifications"]?.arrayValue?.compactMap { $0["body"] }
        #expect(bodies == ["America/New_York", "Europe/Berlin"])
        let answer = try house.read(ExplainPath(path: "loans/1", user: "bernd", seq: nil, limit: nil), by: "admin")
        #expect(answer.text.contains("it is \("Europe/Berlin".count): length(zone)"))
    }

    @Test func `where nobody is named, zone is NULL and empty`() throws {
        let house = try Self.house([
            "audience": "user:{before.reader}", "at": .null, "condition": "zone IS NULL", "event": "update",
        ])
        try house.put("loans/1", ["day": "2027-03-28"])
        let reply = try house.put("loans/1", ["day": "2027-03-29"])
        #expect(reply["triggers"]?.arrayValue?.first?["failed"]?.stringValue?.hasPrefix("audience:") == true)
    }

    @Test(arguments: ["followers:branch:mitte", "everyone", "chat:{after.chat}"])
    func `a row for many recipients may not use the reader's zone, and the error names the column and the way out`(
        audience: String
    ) throws {
        let house = try House()
        let columns: [(String, JSONValue, String)] = [
            ("at", "local_time(after ->> 'day', zone)", "at"), ("condition", "zone = 'UTC'", "condition"),
            ("title", ["tr": "{{time.zone(after.due)}}"], "title.tr"), ("body", "{{zone}}", "body"),
            ("body", "{{#after}}{{date.zone(due)}}{{/after}}", "body"),
        ]
        for (column, value, field) in columns {
            var row: JSONObject = [
                "name": "due", "event": "write", "path": "loans/{loan}", "audience": .string(audience), "title": "x",
            ]
            row[column] = value
            let refusal = try house.refusal { try house.put(trigger: .object(row)) }
            #expect(refusal.field == field)
            #expect(refusal.message.contains("zone is the time zone of one reader, but this row has many readers"))
            #expect(refusal.message.contains("let clock be recipient"))
        }
        let list: JSONObject = [
            "name": "due", "event": "write", "path": "loans/{loan}", "title": "{{zone}}",
            "audience": ["user:{after.a}", "user:{after.b}"],
        ]
        #expect(try house.refusal { try house.put(trigger: .object(list)) }.field == "title")
    }

    @Test func `a row that calls something else zone means that, in a template's date, too`() throws {
        let house = try Self.house([
            "path": "zones/{zone}", "at": .null, "audience": "followers:branch:mitte", "condition": "zone = 'UTC'",
            "title": "{{zone}} {{time.zone(after.due)}}",
        ])
        try house.follow("ayse", "branch:mitte")
        try house.put("zones/UTC", Self.loan(of: "ayse"))
        #expect(try house.notifications("ayse").text("notifications", "title") == "UTC 9:30\u{a0}PM")
        var row = Self.row
        row["at"] = "(SELECT local_time(after ->> 'day', zone) FROM (SELECT 'UTC' AS zone))"
        row["audience"] = "everyone"
        row["title"] = "a name of the expression's own is no reader's"
        row["body"] = .none
        try house.put(trigger: .object(row))
    }
}

extension JSONValue {
    /// A member of the first element of a list.
    fileprivate func text(_ list: String, _ member: String) -> String? {
        self[list]?.arrayValue?.first?[member]?.stringValue
    }
}
