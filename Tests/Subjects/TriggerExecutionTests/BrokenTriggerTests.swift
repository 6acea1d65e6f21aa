import ClientProtocol
import Execution
import JSON
import Model
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

/// A stored row that this version cannot compile is disabled; the others work.
struct BrokenTriggerTests {
    private static func row(_ name: String, _ title: String = "{{item}}") -> JSONValue {
        [
            "name": .string(name), "event": "write", "path": "items/{item}", "audience": "user:alice",
            "title": .string(title),
        ]
    }

    private static func house(_ tally: TriggerTally = TriggerTally()) throws -> House {
        let house = try House(triggers: [row("good")], tally: tally)
        try house.store("bad", row: row("bad", "{{#item}}").text)
        return house
    }

    @Test func `the other triggers fire, and a broken one is reported once`() throws {
        let tally = TriggerTally()
        let house = try Self.house(tally)
        #expect(tally.broken.keys.sorted() == ["bad"])
        let told = house.takeBroken()
        #expect(told.map(\.name) == ["bad"])
        #expect(told[0].reason.hasPrefix("title"))
        #expect(house.takeBroken().isEmpty)
        try house.reloadTriggers()
        #expect(house.takeBroken().isEmpty)
        #expect(try house.put("items/x", ["a": 1])["triggers"] == [["trigger": "good", "notifications": 1]])
    }

    @Test func `the list shows it, and an explanation names it beside the others`() throws {
        let tally = TriggerTally()
        let house = try Self.house(tally)
        try house.put("items/x", ["a": 1])
        let list = try house.read(ReadTriggers(name: nil, broken: tally.broken), by: "admin")
        #expect(list.texts("triggers", "name") == ["bad", "good"])
        #expect(list.texts("triggers", "broken") == [try #require(tally.broken["bad"])])
        let explain = try ExplainPath(path: "items/x", user: "alice", seq: nil, limit: nil)
        let answer = try house.read(explain, by: "admin")
        #expect(answer["changes"]?.arrayValue?.first?.texts("triggers", "trigger") == ["good"])
        #expect(answer.texts("broken", "trigger") == ["bad"])
    }

    @Test func `a row that is not JSON at all hinders nobody`() throws {
        let tally = TriggerTally()
        let house = try House(triggers: [Self.row("good")], tally: tally)
        try house.store("bad", row: "{")
        #expect(tally.broken.count == 1)
        let list = try house.read(ReadTriggers(name: nil, broken: tally.broken), by: "admin")
        #expect(list["triggers"]?.arrayValue?.count == 2)
        #expect(list.texts("triggers", "name") == ["good"])
    }

    @Test func `putting a broken row is refused as before, and a good row mends it`() throws {
        let tally = TriggerTally()
        let house = try Self.house(tally)
        #expect(try house.refusal { try house.put(trigger: Self.row("bad", "{{#item}}")) }.code == .badRequest)
        let range = try ReplayRange(name: "bad", from: 1, to: 9, limit: nil)
        let refusal = try house.refusal { try house.write(ReplayTrigger(range, key: nil), by: "admin") }
        #expect(refusal.code == .conflict && refusal.message.contains("disabled: title"))
        try house.put(trigger: Self.row("bad"))
        #expect(tally.broken.isEmpty)
        #expect(try house.put("items/x", ["a": 1])["triggers"]?.arrayValue?.count == 2)
        try house.store("worse", row: Self.row("worse", "{{#item}}").text)
        try house.write(DeleteTrigger(name: "worse"), by: "admin")
        #expect(tally.broken.isEmpty)
    }
}
