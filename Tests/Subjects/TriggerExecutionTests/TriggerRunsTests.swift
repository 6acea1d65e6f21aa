import ClientProtocol
import Execution
import JSON
import Model
import ServicesTestSupport
import Testing
import TriggerExecution

struct TriggerRunsTests {
    private static let row: JSONValue = [
        "name": "t", "event": "write", "path": "items/{item}", "audience": "user:{after.owner}", "title": "{{item}}",
        "at": "after->>'due'",
    ]

    private static func runs(_ house: House, before: String? = nil, limit: Int = 50) throws -> JSONValue {
        try house.read(ReadTriggerRuns(name: "t", before: before, limit: limit), by: "admin")
    }

    @Test func `the runs of a trigger are read from their traces, newest first`() throws {
        let house = try House(triggers: [Self.row])
        let later = house.now.adding(milliseconds: 1000)
        try house.put("items/now", ["owner": "alice", "due": .string(house.now.text)])
        try house.put("items/later", ["owner": "alice", "due": .string(later.text)])
        try house.put("items/broken", ["due": .string(house.now.text)])
        try house.put("items/none", ["owner": "alice"])
        let runs = try Self.runs(house)
        #expect(runs.texts("runs", "effect") == ["failed", "scheduled", "notified"])
        #expect(runs.texts("runs", "path") == ["items/broken", "items/later", "items/now"])
        #expect(runs.texts("runs", "reason") == ["audience: {after.owner}: there is no such field"])
        #expect(runs.texts("runs", "due") == [later.text])
        #expect(runs.integers("runs", "notifications") == [1])
        #expect(runs["next"] == nil)
    }

    @Test func `pages follow each other without gap and repeat`() throws {
        let house = try House(triggers: [Self.row])
        for n in 1...25 {
            try house.put("items/\(n)", ["owner": n % 5 == 0 ? .null : "alice", "due": .string(house.now.text)])
        }
        var found: [String] = []
        var before: String?
        repeat {
            let page = try Self.runs(house, before: before, limit: 4)
            found += page.texts("runs", "path")
            before = page["next"]?.stringValue
        } while before != nil
        #expect(found == (1...25).reversed().map { "items/\($0)" })
    }

    @Test func `a trigger that never was has no runs, one that is no more has those it left`() throws {
        let house = try House(triggers: [Self.row])
        #expect(try Self.runs(house)["runs"] == [])
        try house.put("items/x", ["owner": "alice", "due": .string(house.now.text)])
        try house.write(DeleteTrigger(name: "t"), by: "admin")
        #expect(try Self.runs(house).texts("runs", "path") == ["items/x"])
        #expect(
            try house.refusal { try house.read(ReadTriggerRuns(name: "u", before: nil, limit: 5), by: "admin") }.code
                == .notFound
        )
    }

    @Test func `a run counts its notifications that were removed since`() throws {
        let house = try House(triggers: [Self.row])
        try house.put("items/x", ["owner": "alice", "due": .string(house.now.text)])
        var row = Self.row
        row["ttl"] = 1
        try house.put(trigger: row)
        try house.put("items/y", ["owner": "alice", "due": .string(house.now.text)])
        house.now = house.now.adding(milliseconds: 2000)
        try house.write(FireDueTriggers(), by: "server")
        #expect(try Self.runs(house).integers("runs", "removed") == [1, 0])
    }

    @Test func `the counts of a trigger have the effect of each change that it watches`() throws {
        let tally = TriggerTally()
        let house = try House(triggers: [Self.row], tally: tally)
        try house.put("items/now", ["owner": "alice", "due": .string(house.now.text)])
        try house.put("items/later", ["owner": "alice", "due": "2027-01-01"])
        try house.put("items/broken", ["due": .string(house.now.text)])
        try house.put("items/none", ["owner": "alice"])
        try house.put("others/x", ["owner": "alice"])
        let counts = try #require(tally.all.first)
        #expect(tally.all.count == 1 && counts.name == "t")
        #expect(
            [counts.counts.matched, counts.counts.fired, counts.counts.scheduled, counts.counts.failed] == [4, 1, 1, 1])
        #expect(counts.counts.skipped == ["no-time": 1])
        let listed = try house.read(ReadTriggers(name: nil, counts: tally.all), by: "admin")
        #expect(listed["counts"]?["t"]?["notifications"] == 1)
        try house.write(DeleteTrigger(name: "t"), by: "admin")
        #expect(tally.all.isEmpty)
    }
}
