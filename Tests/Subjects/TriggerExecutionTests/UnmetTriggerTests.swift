import ClientProtocol
import Execution
import JSON
import Model
import ServicesTestSupport
import Testing
import TriggerExecution

/// Many triggers on the same documents, of which few conditions are true.
struct UnmetTriggerTests {
    private static func row(_ number: Int, _ columns: (String, JSONValue)...) -> JSONValue {
        var row: JSONValue = [
            "name": .string("t-\(100 + number)"), "event": "write", "path": "items/{item}",
            "condition": .string("after ->> 'index' > \(number)"), "audience": "user:alice", "title": "T",
        ]
        for (name, value) in columns { row[name] = value }
        return row
    }

    private static func count(_ tally: TriggerTally, _ name: String) -> TriggerTally.Counts {
        tally.all.first { $0.name == name }?.counts ?? TriggerTally.Counts()
    }

    @Test func `an answer names what fired and the first twenty that did not, in order, and counts the rest`() throws {
        let house = try House(triggers: (0..<50).map { Self.row($0) })
        let reply = try house.put("items/x", ["index": 3])
        let reports = try #require(reply["triggers"]?.arrayValue)
        #expect(reports.compactMap { $0["trigger"]?.stringValue } == (0..<23).map { "t-\(100 + $0)" })
        #expect(reports.prefix(3).allSatisfy { $0["notifications"] == 1 })
        #expect(reports.dropFirst(3).allSatisfy { $0["skipped"] == "the condition is 0" })
        #expect(reply["unmet"] == 27)
        #expect(try house.counts("alice").notifications == 3)
        let none = try house.put("items/y", ["other": 1])
        #expect(none["triggers"]?.arrayValue?.count == 20)
        #expect(none["triggers"]?.arrayValue?.first?["skipped"] == "the condition is NULL")
        #expect(none["unmet"] == 30)
    }

    @Test func `a row whose condition SQLite alone can tell counts the same`() throws {
        let house = try House(triggers: (0..<30).map { Self.row($0, ("condition", "abs(after ->> 'index') > 9")) })
        let reply = try house.put("items/x", ["index": 3])
        #expect(reply["triggers"]?.arrayValue?.count == 20)
        #expect(reply["unmet"] == 10)
    }

    @Test func `every change is counted for every row, whether it was looked at or ruled out`() throws {
        let tally = TriggerTally()
        let rows = [
            Self.row(0), Self.row(5), Self.row(9, ("event", "update")), Self.row(20, ("path", "items/x")),
            Self.row(30, ("condition", "abs(after ->> 'index') > 4")),
        ]
        let house = try House(triggers: rows, tally: tally)
        for index in [1, 6, 7, 10] { try house.put("items/x", ["index": .integer(Int64(index))]) }
        try house.put("items/y", ["index": 1])
        #expect(Self.count(tally, "t-100").matched == 5)
        #expect(Self.count(tally, "t-100").fired == 5)
        #expect(Self.count(tally, "t-100").skipped == [:])
        #expect(Self.count(tally, "t-105").fired == 3)
        #expect(Self.count(tally, "t-105").skipped == ["condition": 2])
        #expect(Self.count(tally, "t-109").matched == 3)
        #expect(Self.count(tally, "t-109").fired == 1)
        #expect(Self.count(tally, "t-109").skipped == ["condition": 2])
        #expect(Self.count(tally, "t-120").skipped == ["condition": 4])
        #expect(Self.count(tally, "t-130").fired == 3)
        #expect(Self.count(tally, "t-130").skipped == ["condition": 2])
    }

    @Test func `counts stay when rows come and go, but for those of a row that is deleted`() throws {
        let tally = TriggerTally()
        let house = try House(triggers: [Self.row(5), Self.row(6)], tally: tally)
        try house.put("items/x", ["index": 1])
        try house.write(DeleteTrigger(name: "t-106"), by: "admin")
        try house.put("items/x", ["index": 2])
        #expect(Self.count(tally, "t-105").skipped == ["condition": 2])
        #expect(!tally.all.contains { $0.name == "t-106" })
    }

    @Test func `rows of several forms of a path fire in the order of their names`() throws {
        let rows = [
            Self.row(1, ("path", "items/x")), Self.row(2), Self.row(3, ("path", "items/x")), Self.row(4),
        ]
        let house = try House(triggers: rows)
        let reply = try house.put("items/x", ["index": 4])
        let names = reply["triggers"]?.arrayValue?.compactMap { $0["trigger"]?.stringValue }
        #expect(names == ["t-101", "t-102", "t-103", "t-104"])
        #expect(reply["triggers"]?.arrayValue?.last?["skipped"] == "the condition is 0")
    }
}
