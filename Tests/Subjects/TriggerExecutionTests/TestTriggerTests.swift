import ClientProtocol
import JSON
import Model
import Notifying
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

struct TestTriggerTests {
    private static let row: JSONValue = [
        "name": "t", "event": "write", "path": "items/{item}", "condition": "after->>'a' > coalesce(before->>'a', 0)",
        "audience": "followers:item:{item}", "kind": "price", "level": "time-sensitive", "collapse": "price:{{item}}",
        "ttl": 60, "title": ["en": "{{item}} is {{after.a}}", "it": "{{item}} costa {{after.a}}"],
        "body": "{{after.text}}", "webhook": "https://example.com/hook",
    ]

    private static func test(_ house: House, _ body: JSONObject) throws -> JSONValue {
        let before = try house.state()
        let answer = try house.read(try TestTrigger(name: "t", body: body), by: "admin")
        #expect(try house.state() == before, "a test writes nothing")
        return answer
    }

    private static func house() throws -> House {
        let house = try House(triggers: [row])
        try house.follow("alice", "item:x")
        try house.follow("bob", "item:x")
        try house.write(ChangePreferences(["locale": "it"]), by: "bob")
        return house
    }

    @Test func `a test shows the notification for each recipient, and its language`() throws {
        let house = try Self.house()
        let answer = try Self.test(house, ["path": "items/x", "after": ["a": 5, "text": "now"]])
        #expect(answer["matched"] == true)
        #expect(answer["event"] == "create")
        #expect(answer["before"] == "none" && answer["after"] == "given")
        #expect(answer["names"] == ["item": "x"])
        #expect(answer["outcome"] == "notify")
        let condition = answer["condition"]
        #expect([condition?["value"], condition?["type"], condition?["isTrue"]] == ["1", "integer", true])
        #expect(answer["audience"] == ["to": "followers:item:x", "size": 2])
        #expect(answer.texts("recipients", "user") == ["alice", "bob"])
        #expect(answer.texts("recipients", "title") == ["x is 5", "x costa 5"])
        #expect(answer["recipients"]?.arrayValue?.map { $0["language"] ?? .null } == [.null, "it"])
        #expect(answer["recipients"]?.arrayValue?.allSatisfy { $0["alert"] == true && $0["sent"] == true } == true)
        let notification = answer["notification"]
        #expect(notification?["level"] == "time-sensitive" && notification?["collapse"] == "price:x")
        #expect(notification?["expires"]?.stringValue == house.now.adding(milliseconds: 60_000).text)
        #expect(answer["webhook"]?["url"] == "https://example.com/hook")
        #expect(answer["webhook"]?["data"]?["after"] == ["a": 5, "text": "now"])
        #expect(answer["missing"] == [])
    }

    @Test func `without a before it is what is stored, without both it is the newest change`() throws {
        let house = try Self.house()
        try house.put("items/x", ["a": 5])
        let lower = try Self.test(house, ["path": "items/x", "after": ["a": 4]])
        #expect([lower["event"], lower["before"], lower["outcome"]] == ["update", "stored", "skip"])
        #expect(lower["reason"] == "the condition is 0")
        try house.put("items/x", ["a": 6])
        let newest = try Self.test(house, ["path": "items/x"])
        #expect([newest["event"], newest["before"], newest["after"]] == ["update", "history", "stored"])
        #expect([newest["outcome"], newest["replaces"]?.stringValue.map { _ in "one" }] == ["notify", "one"])
        let made = try Self.test(house, ["path": "items/x", "before": .null])
        #expect([made["event"], made["before"], made["after"]] == ["create", "none", "stored"])
        let gone = try Self.test(house, ["path": "items/x", "after": .null])
        #expect([gone["event"], gone["after"], gone["reason"]] == ["delete", "none", "the condition is NULL"])
    }

    @Test func `a follow is tested as it stands`() throws {
        let house = try House.filmNetwork()
        try house.follow("alice", "user:bob")
        let test = try TestTrigger(name: "new-follower", body: ["path": "users/bob/followers/alice"])
        let answer = try house.read(test, by: "admin")
        #expect([answer["event"], answer["outcome"]] == ["create", "notify"])
        #expect(answer.texts("recipients", "user") == ["bob"])
    }

    @Test func `a test names the part of the path, or the event, that does not match`() throws {
        let house = try Self.house()
        let path = try Self.test(house, ["path": "products/x", "after": [:]])
        #expect(path["matched"] == false)
        #expect(path["mismatch"]?["part"] == 1 && path["mismatch"]?["expected"] == "items")
        #expect(path["outcome"] == "skip" && path["recipients"] == nil)
        var row = Self.row
        row["event"] = "delete"
        row["condition"] = ""
        let event = try Self.test(house, ["path": "items/x", "after": [:], "row": row])
        #expect(event["mismatch"]?["event"] == "create" && event["mismatch"]?["watched"] == "delete")
    }

    @Test func `a row that is not stored is tested, and its mistakes are named`() throws {
        let house = try House()
        var row = Self.row
        row["audience"] = "user:carl"
        row["title"] = "{{after.titel}}{{item}}"
        let answer = try Self.test(house, ["path": "items/x", "after": ["a": 1], "row": row])
        #expect(answer["row"] == "given")
        #expect(answer["missing"] == ["after.titel", "after.text"])
        #expect(answer["recipients"]?.arrayValue?.first?["known"] == false)
        #expect(answer.texts("recipients", "title") == ["x"])
        row["condition"] = "after->> = 1"
        let refused = try #require(throws: Refusal.self) {
            _ = try Self.test(house, ["path": "items/x", "after": [:], "row": row])
        }
        #expect(refused.field == "row.condition")
        #expect(refused.message.contains("at character"))
        #expect(try house.look { try $0.triggers.all() } == [])
    }

    @Test func `a test says when a notification is due later, and that a trigger is off`() throws {
        let house = try Self.house()
        var row = Self.row
        row["at"] = "after->>'due'"
        let later = try Self.test(house, ["path": "items/x", "after": ["a": 1, "due": "2027-01-01"], "row": row])
        #expect([later["outcome"], later["scheduled"]] == ["schedule", "2027-01-01T00:00:00.000Z"])
        let now: JSONObject = [
            "path": "items/x", "after": ["a": 1, "due": "2027-01-01"], "row": row, "now": "2027-01-02",
        ]
        #expect(try Self.test(house, now)["outcome"] == "notify")
        row["enabled"] = false
        #expect(
            try Self.test(house, ["path": "items/x", "after": ["a": 1], "row": row])["reason"] == "the trigger is off")
        row["audience"] = "user:{after.owner}"
        row["enabled"] = true
        row["at"] = .null
        let failed = try Self.test(house, ["path": "items/x", "after": ["a": 1], "row": row])
        #expect([failed["outcome"], failed["field"]] == ["fail", "audience"])
        #expect(failed["recipients"] == nil)
    }

    @Test func `a test shows a few of a large audience, and any member on demand`() throws {
        let house = try Self.house()
        for n in 1...30 { try house.follow("u\(n)", "item:x") }
        let some = try Self.test(house, ["path": "items/x", "after": ["a": 1], "limit": 3])
        #expect(some["audience"]?["size"] == 32 && some["more"] == 29)
        #expect(some.texts("recipients", "user").count == 3)
        let one = try Self.test(house, ["path": "items/x", "after": ["a": 1], "user": "u30"])
        #expect(
            one.texts("recipients", "says") == [
                "u30 has followed item:x since seq \(try Self.since(house)); it "
                    + "interrupts"
            ])
        let stranger = try Self.test(house, ["path": "items/x", "after": ["a": 1], "user": "nobody"])
        #expect(stranger["recipients"]?.arrayValue?.first?["sent"] == false)
    }

    private static func since(_ house: House) throws -> Position {
        let user = try house.entry("u30")
        return try house.look { transaction in
            let stream = try #require(try transaction.streams.find(try topic("item:x")))
            return try #require(try transaction.follows.since(follower: user.id, stream: stream.id))
        }
    }

    @Test func `a passive one reaches the inbox without interrupting`() throws {
        let house = try Self.house()
        var row = Self.row
        row["level"] = "passive"
        let answer = try Self.test(house, ["path": "items/x", "after": ["a": 1], "row": row])
        #expect(answer["recipients"]?.arrayValue?.allSatisfy { $0["alert"] == false } == true)
    }

    @Test(
        arguments: [
            (["after": [:]], "path"), (["path": "items"], "path"), (["path": "items/x", "after": 5], "after"),
            (["path": "items/x", "before": "x"], "before"), (["path": "items/x", "row": []], "row"),
            (["path": "items/x", "user": "a b"], "user"), (["path": "items/x", "now": "soon"], "now"),
            (["path": "items/x", "limit": 1000], "limit"), (["path": "items/x", "nonsense": 1], "nonsense"),
        ] as [(JSONObject, String)])
    func `an impossible test is refused by its field`(_ body: JSONObject, _ field: String) throws {
        let refused = try #require(throws: Refusal.self) { _ = try TestTrigger(name: "t", body: body) }
        #expect(refused.field == field)
    }

    @Test func `there must be a document, and a trigger`() throws {
        let house = try Self.house()
        let nothing = try house.refusal {
            try house.read(try TestTrigger(name: "t", body: ["path": "items/y"]), by: "admin")
        }
        #expect(nothing.code == .notFound && nothing.field == "after")
        let unknown = try TestTrigger(name: "u", body: ["path": "items/y", "after": [:]])
        #expect(try house.refusal { try house.read(unknown, by: "admin") }.code == .notFound)
    }
}
