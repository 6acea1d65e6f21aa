import ClientProtocol
import JSON
import Model
import ServicesTestSupport
import Testing
import TriggerExecution

struct TriggerTableTests {
    private static let row: JSONValue = [
        "name": "t", "event": "create", "path": "items/{item}", "condition": "after->>'a' > 1",
        "audience": "user:alice",
        "title": "{{item}}",
    ]

    @Test func `a row that SQLite cannot compile is refused and changes nothing`() throws {
        let house = try House(triggers: [Self.row])
        for (column, text) in [
            ("condition", "after->>"), ("condition", "random() > 0"), ("condition", "(SELECT 1 FROM users)"),
            ("at", "datetime('now') +"),
        ] {
            var row = Self.row
            row[column] = .string(text)
            let refused = try house.refusal { try house.put(trigger: row) }
            #expect(refused.code == .badRequest)
            #expect(refused.field == column)
        }
        try house.put("items/x", ["a": 2])
        #expect(try house.notifications("alice").texts("notifications", "title") == ["x"])
    }

    @Test func `a wrong column or another name is refused before it is performed`() throws {
        let object: JSONObject = ["event": "never", "path": "items/{item}", "audience": "user:alice", "title": "x"]
        let refused = try #require(throws: Refusal.self) { _ = try PutTrigger(name: "t", row: object, key: nil) }
        #expect(refused.field == "event")
        let other = try #require(throws: Refusal.self) {
            _ = try PutTrigger(name: "u", row: #require(Self.row.objectValue), key: nil)
        }
        #expect(other.field == "name")
    }

    @Test func `a row that is put again unchanged stays where it is in time`() throws {
        let house = try House(triggers: [])
        let first = try house.put(trigger: Self.row)["seq"]
        try house.put("items/1", ["a": 2])
        let head = house.head
        #expect(try house.put(trigger: Self.row)["seq"] == first)
        #expect(house.head == head)
        var other = Self.row
        other["title"] = "other"
        #expect(try house.put(trigger: other)["seq"] != first)
        #expect(try house.put(trigger: Self.row)["seq"] != first)
    }

    @Test func `rows are listed, read, replaced and deleted, and take effect at once`() throws {
        let house = try House(triggers: [Self.row])
        #expect(try house.read(ReadTriggers(name: nil), by: "admin").texts("triggers", "name") == ["t"])
        #expect(try house.read(ReadTriggers(name: "t"), by: "admin")["condition"] == "after->>'a' > 1")
        try house.put("items/1", ["a": 1])
        var row = Self.row
        row["condition"] = ""
        try house.put(trigger: row)
        try house.put("items/2", ["a": 1])
        try house.write(DeleteTrigger(name: "t"), by: "admin")
        try house.put("items/3", ["a": 1])
        #expect(try house.notifications("alice").texts("notifications", "title") == ["2"])
        #expect(try house.refusal { try house.write(DeleteTrigger(name: "t"), by: "admin") }.code == .notFound)
        #expect(try house.refusal { try house.read(ReadTriggers(name: "t"), by: "admin") }.code == .notFound)
    }
}
