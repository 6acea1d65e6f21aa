import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

/// `blocks`: whether a row notifies people who block the writer of a change.
struct BlockRuleTests {
    private static func house(_ blocks: JSONValue?, _ more: JSONObject = [:]) throws -> House {
        var row: JSONObject = [
            "name": "absence", "event": "create", "path": "absences/{absence}", "title": "absent",
            "audience": ["user:{after.parent}", "followers:class:{after.class}"], "level": "critical",
        ]
        row["blocks"] = blocks
        for (name, value) in more.members { row[name] = value }
        let house = try House(triggers: [.object(row)])
        let rules: JSONObject = ["rules": ["absences/{absence}": ["read": "public", "write": "field:teacher"]]]
        try house.write(PutRules(rules, ifVersion: nil, key: nil), by: "admin")
        for name in ["parent", "carol"] {
            try house.block(name, "teacher")
            try house.follow(name, "class:3b")
        }
        return house
    }

    private static func write(_ house: House) throws -> JSONValue {
        let data: JSONObject = ["teacher": "teacher", "parent": "parent", "class": "3b"]
        let write = DocumentWrite(path: try DocumentPath("absences/1"), operation: .put(data))
        return try house.write(WriteDocuments(write, key: house.key()), by: "teacher")
    }

    private static func told(_ house: House) throws -> [Int] {
        try ["parent", "carol"].map { try house.notifications($0).texts("notifications", "title").count }
    }

    private static func explained(_ house: House, _ name: String) throws -> JSONValue {
        let explain = try ExplainPath(path: "absences/1", user: name, seq: nil, limit: nil)
        let answer = try house.read(explain, by: "admin")
        return try #require(answer["changes"]?.arrayValue?.first?["triggers"]?.arrayValue?.first)
    }

    @Test(arguments: [nil, "hold"] as [JSONValue?])
    func `those who block the writer get nothing, a critical notice neither`(blocks: JSONValue?) throws {
        let house = try Self.house(blocks)
        _ = try Self.write(house)
        #expect(try Self.told(house) == [0, 0])
        #expect(try Self.explained(house, "parent")["reason"] == "blocked")
    }

    @Test func `a row that ignores blocks reaches them, in inboxes and in topics`() throws {
        let house = try Self.house("ignore")
        let parent = try house.connect("parent")
        _ = try Self.write(house)
        #expect(try Self.told(house) == [1, 1])
        #expect(parent.types == ["notification"] && parent.counts.notifications == 1)
        let explained = try Self.explained(house, "parent")
        #expect(explained["sent"] == true && explained["reason"] == nil)
    }

    @Test func `a notification that waits for its time keeps the row's choice`() throws {
        for (blocks, told) in [("ignore", [1, 1]), ("hold", [0, 0])] as [(JSONValue, [Int])] {
            let house = try Self.house(blocks, ["at": "'2026-11-21T12:00:00Z'"])
            house.now = try #require(Timestamp("2026-11-21T10:00:00Z"))
            _ = try Self.write(house)
            house.now = try #require(Timestamp("2026-11-21T12:00:00Z"))
            try house.write(FireDueTriggers(), by: "server")
            #expect(try Self.told(house) == told)
        }
    }

    @Test func `a row that repeats holds for those who block the writer each time`() throws {
        let house = try Self.house(
            nil, ["at": "next_occurrence('FREQ=DAILY', '2026-11-21T12:00', now)", "repeat": true])
        try house.follow("dave", "class:3b")
        house.now = try #require(Timestamp("2026-11-21T10:00:00Z"))
        _ = try Self.write(house)
        for day in 21...23 {
            house.now = try #require(Timestamp("2026-11-\(day)T12:00:00Z"))
            try house.write(FireDueTriggers(), by: "server")
        }
        #expect(try Self.told(house) == [0, 0])
        #expect(try house.notifications("dave").texts("notifications", "title").count == 3)
    }

    @Test func `a test of the row names the choice`() throws {
        let house = try Self.house("ignore")
        let test = try TestTrigger(
            name: "absence", body: ["path": "absences/9", "after": ["parent": "parent", "class": "3b"]])
        #expect(try house.read(test, by: "admin")["notification"]?["blocks"] == "ignore")
    }
}
