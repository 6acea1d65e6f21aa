import ClientProtocol
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing

/// The reports in answers to writes about schedules that they move or drop, and about invalid times.
struct ScheduleReportTests {
    private static let row: JSONValue = [
        "name": "reminder", "event": "write", "path": "loans/{loan}", "condition": "after->>'open' = 1",
        "at": "datetime(after->>'due', '-1 day')", "audience": "user:{after.reader}", "title": "{{loan}}",
    ]

    private static func house(_ row: JSONValue = row) throws -> House {
        let house = try House(triggers: [row])
        house.now = try #require(Timestamp("2026-11-23T10:00:00Z"))
        return house
    }

    private static func lend(_ house: House, due: String, open: Int64 = 1) throws -> JSONValue? {
        try house.put("loans/1", ["reader": "ayse", "open": .integer(open), "due": .string(due)])["triggers"]?
            .arrayValue?.first
    }

    @Test func `the answer says from when a schedule was moved, and which was dropped`() throws {
        let house = try Self.house()
        #expect(
            try Self.lend(house, due: "2026-12-10")
                == ["trigger": "reminder", "scheduled": "2026-12-09T00:00:00.000Z"])
        #expect(
            try Self.lend(house, due: "2026-12-20")
                == [
                    "trigger": "reminder", "scheduled": "2026-12-19T00:00:00.000Z", "moved": "2026-12-09T00:00:00.000Z",
                ])
        let dropped = try Self.lend(house, due: "2026-12-20", open: 0)
        #expect(
            dropped
                == [
                    "trigger": "reminder", "skipped": "the condition is 0", "dropped": "2026-12-19T00:00:00.000Z",
                ])
        #expect(try Self.lend(house, due: "2026-12-21", open: 0)?["dropped"] == nil, "nothing was waiting any more")
    }

    @Test func `a time that moves to the past notifies at once, and the answer names the earlier schedule`() throws {
        let house = try Self.house()
        _ = try Self.lend(house, due: "2026-12-10")
        #expect(
            try Self.lend(house, due: "2026-11-01")
                == ["trigger": "reminder", "notifications": 1, "moved": "2026-12-09T00:00:00.000Z"])
    }

    @Test func `the same time again is no move`() throws {
        let house = try Self.house()
        _ = try Self.lend(house, due: "2026-12-10")
        let again = try house.put(
            "loans/1", ["reader": "ayse", "open": 1, "due": "2026-12-10", "shelf": "B"])["triggers"]?.arrayValue?.first
        #expect(again == ["trigger": "reminder", "scheduled": "2026-12-09T00:00:00.000Z"])
    }

    @Test(arguments: ["write", "create", "update"])
    func `a deletion says what it drops, also of a row that does not watch deletions`(event: String) throws {
        var row = Self.row
        row["event"] = .string(event)
        let house = try Self.house(row)
        if event == "update" { try house.put("loans/1", [:]) }
        _ = try Self.lend(house, due: "2026-12-10")
        let reports = try house.delete("loans/1")["triggers"]?.arrayValue ?? []
        #expect(reports.count == 1)
        #expect(reports.first?["trigger"] == "reminder")
        #expect(reports.first?["dropped"] == "2026-12-09T00:00:00.000Z")
        #expect(reports.first?["skipped"] != nil)
        #expect(try house.look { try $0.runs.schedule(of: "reminder", path: "loans/1") } == nil)
    }

    @Test func `a wrong date fails and is listed among the dead, and an empty date is no time`()
        throws
    {
        let house = try Self.house()
        let report = try Self.lend(house, due: "2026-13-04")
        #expect(report?["failed"]?.stringValue == "at: datetime('2026-13-04', '-1 day') is not a date")
        let dead = try house.read(ListDead(before: nil, limit: 10), by: "admin")
        #expect(dead.texts("dead", "reason") == ["at: datetime('2026-13-04', '-1 day') is not a date"])
        #expect(try Self.lend(house, due: "")?["skipped"] != nil, "no date at all is no slip")
        #expect(try Self.lend(house, due: "2026-12-10")?["scheduled"] != nil, "the next one is judged by itself")
    }

    @Test func `a condition over a wrong date fails, unless it has a value without the date`() throws {
        var row = Self.row
        row["at"] = nil
        row["condition"] = "date(after->>'due') > date(now)"
        let house = try Self.house(row)
        #expect(try Self.lend(house, due: "soon")?["failed"]?.stringValue == "condition: date('soon') is not a date")
        #expect(try Self.lend(house, due: "2026-11-24")?["notifications"] == 1)
        row["condition"] = "coalesce(date(after->>'due') > date(now), 1)"
        let caring = try Self.house(row)
        #expect(try Self.lend(caring, due: "soon")?["notifications"] == 1)
    }

    @Test func `the answer to a user names a wrong time or a wrong zone`() throws {
        var row = Self.row
        row["path"] = "users/{user}/loans/{loan}"
        row["at"] = "local_time(after->>'due', after->>'zone')"
        row["audience"] = "user:{user}"
        let house = try Self.house(row)
        try house.write(
            PutRules(["rules": ["users/{user}/loans/{loan}": "owner"]], ifVersion: nil, key: nil), by: "admin")
        func lend(due: String, zone: String) throws -> JSONValue {
            let data: JSONObject = ["open": 1, "due": .string(due), "zone": .string(zone)]
            let write = DocumentWrite(path: try DocumentPath("users/ayse/loans/1"), operation: .put(data))
            return try house.write(WriteDocuments(write, key: house.key()), by: "ayse")
        }
        let wrong = try lend(due: "2026-12-01T09:00", zone: "Europe/Berlim")
        #expect(wrong["version"] == 1, "it is written all the same")
        #expect(
            wrong.texts("warnings") == [
                "the document is written, but a time or a zone in it cannot be read: "
                    + "local_time: 'Europe/Berlim' is not a time zone such as Europe/Rome"
            ])
        #expect(
            try lend(due: "tomorrow", zone: "Europe/Berlin").texts("warnings").first?.contains("'tomorrow'") == true)
        #expect(try lend(due: "2026-12-01T09:00", zone: "Europe/Berlin")["warnings"] == nil)
        #expect(try house.read(ListDead(before: nil, limit: 10), by: "admin").integers("dead", "id").count == 2)
    }

    @Test func `an audience by a plural is warned of when the row is put`() throws {
        let house = try House()
        var row = Self.row
        row["audience"] = "followers:branches:{loan}"
        let put = try house.put(trigger: row)
        #expect(put.texts("warnings").first?.contains("write followers:branch:…") == true)
        row["audience"] = "followers:branch:{loan}"
        #expect(try house.put(trigger: row)["warnings"] == nil)
    }
}
