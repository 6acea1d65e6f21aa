import ClientProtocol
import JSON
import Model
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

struct ReplayTests {
    private static let row: JSONValue = [
        "name": "t", "event": "write", "path": "items/{item}", "condition": "after->>'a' > 1",
        "audience": "user:alice", "title": "{{item}} {{before.a}} {{after.a}}",
    ]

    private static func row(_ columns: (String, JSONValue)...) -> JSONValue {
        var row = Self.row
        for (name, value) in columns { row[name] = value }
        return row
    }

    private static func range(_ house: House, from: Int64 = 1, limit: Int? = nil) throws -> ReplayRange {
        try ReplayRange(name: "t", from: from, to: house.head.value, limit: limit)
    }

    private static func preview(_ house: House, from: Int64 = 1, limit: Int? = nil) throws -> JSONValue {
        try house.read(PreviewReplay(range(house, from: from, limit: limit)), by: "admin")
    }

    @discardableResult
    private static func replay(_ house: House, from: Int64 = 1, limit: Int? = nil) throws -> JSONValue {
        try house.write(ReplayTrigger(range(house, from: from, limit: limit), key: nil), by: "admin")
    }

    private static func titles(_ house: House) throws -> [String] {
        try house.notifications("alice").texts("notifications", "title")
    }

    @Test func `a new row can be run over what was written before it, once`() throws {
        let house = try House()
        try house.put("items/x", ["a": 1])
        try house.put("items/x", ["a": 2])
        try house.put("items/y", ["a": 3])
        try house.delete("items/y")
        try house.put(trigger: Self.row)
        let before = try house.state()
        let dry = try Self.preview(house)
        #expect(dry["dryRun"] == true)
        #expect([dry["sent"], dry["skipped"], dry["failed"]] == [2, 2, 0])
        #expect(dry.texts("changes", "event") == ["create", "update", "create", "delete"])
        #expect(dry.texts("changes", "audience") == ["user:alice", "user:alice"])
        #expect(dry.texts("changes", "skipped") == ["the condition is 0", "the condition is NULL"])
        #expect(try house.state() == before, "a dry run changes nothing")
        let done = try Self.replay(house)
        #expect([done["sent"], done["skipped"], done["failed"]] == [2, 2, 0])
        #expect(try Self.titles(house) == ["y  3", "x 1 2"])
        let again = try Self.replay(house)
        #expect([again["sent"], again["skipped"]] == [0, 4])
        #expect(try Self.titles(house).count == 2)
    }

    @Test func `a replay does not send again what the first write sent`() throws {
        let house = try House(triggers: [Self.row])
        for n in 2...5 { try house.put("items/\(n)", ["a": .integer(Int64(n))]) }
        let position = house.head
        #expect(try Self.replay(house)["sent"] == 0)
        #expect(house.head == position)
        #expect(try Self.titles(house).count == 4)
    }

    @Test func `a replay goes slice by slice and says where to go on`() throws {
        let house = try House()
        for n in 1...25 { try house.put("items/\(n)", ["a": 2]) }
        try house.put(trigger: Self.row)
        let end = house.head.value
        var next: Int64? = 1
        var slices = 0
        while let from = next {
            let range = try ReplayRange(name: "t", from: from, to: end, limit: 10)
            let answer = try house.write(ReplayTrigger(range, key: nil), by: "admin")
            next = answer["next"]?.integerValue
            slices += 1
        }
        #expect(slices == 3)
        #expect(try Self.titles(house).count == 25)
    }

    @Test func `a range beyond the head, or without anything in it, is no error`() throws {
        let house = try House(triggers: [Self.row])
        let range = try ReplayRange(name: "t", from: 1000, to: Position.bound - 1, limit: nil)
        let answer = try house.read(PreviewReplay(range), by: "admin")
        #expect(answer["changes"] == [] && answer["next"] == nil)
    }

    @Test func `a replay leaves out notifications that would have expired`() throws {
        let house = try House()
        try house.put("items/x", ["a": 2])
        try house.put(trigger: Self.row(("ttl", 60)))
        house.now = house.now.adding(milliseconds: 59_000)
        #expect(try Self.preview(house)["sent"] == 1)
        house.now = house.now.adding(milliseconds: 1_000)
        let late = try Self.preview(house)
        #expect(late["sent"] == 0)
        #expect(late.texts("changes", "skipped")[0].hasPrefix("it would have expired at"))
    }

    @Test func `a notification of a later change is not replaced by an earlier one`() throws {
        let house = try House()
        try house.put("items/x", ["a": 2])
        try house.put(trigger: Self.row(("collapse", "{{item}}")))
        try house.put("items/x", ["a": 3])
        let done = try Self.replay(house)
        #expect(done["sent"] == 0)
        #expect(done.texts("changes", "skipped")[0].contains("from the later change"))
        #expect(try Self.titles(house) == ["x 2 3"])
    }

    @Test func `a replay schedules notifications that are due later, unless the document has changed since`() throws {
        let house = try House()
        let due = house.now.adding(milliseconds: 3_600_000)
        try house.put("items/moved", ["a": 2, "due": .string(due.text)])
        try house.put("items/moved", ["a": 1, "due": .string(due.text)])
        try house.put("items/x", ["a": 2, "due": .string(due.text)])
        try house.put(trigger: Self.row(("at", "after->>'due'")))
        let done = try Self.replay(house)
        #expect([done["scheduled"], done["sent"], done["skipped"]] == [1, 0, 2])
        #expect(done.texts("changes", "skipped")[0].hasPrefix("the document has changed since"))
        #expect(try Self.replay(house)["scheduled"] == 0)
        house.now = due
        try house.write(FireDueTriggers(), by: "server")
        #expect(try Self.titles(house) == ["x  2"])
        #expect(try Self.replay(house)["sent"] == 0)
    }

    @Test func `a replay stops where the trigger fails, and says where to go on`() throws {
        let house = try House()
        try house.put("items/1", ["a": 2, "owner": "alice"])
        try house.put("items/2", ["a": 2])
        try house.put("items/3", ["a": 2, "owner": "alice"])
        try house.put(trigger: Self.row(("audience", "user:{after.owner}")))
        let stopped = try Self.replay(house)
        #expect([stopped["sent"], stopped["failed"]] == [1, 1])
        #expect(stopped.texts("changes", "failed") == ["audience: {after.owner}: there is no such field"])
        let rest = try Self.replay(house, from: try #require(stopped["next"]?.integerValue))
        #expect([rest["sent"], rest["failed"]] == [1, 0])
        #expect(try house.look { try $0.triggers.countDead() } == 0, "what is listed in the answer is not listed again")
    }

    @Test func `a trigger that is off is not run, but shown`() throws {
        let house = try House()
        try house.put("items/x", ["a": 2])
        try house.put(trigger: Self.row(("enabled", false)))
        #expect(try Self.preview(house)["sent"] == 1)
        #expect(try house.refusal { try Self.replay(house) }.code == .conflict)
        let unknown = try ReplayRange(name: "u", from: 1, to: 2, limit: nil)
        #expect(try house.refusal { try house.read(PreviewReplay(unknown), by: "admin") }.code == .notFound)
    }

    @Test(arguments: [(0, 5, nil), (5, 4, nil), (1, 2, 0), (1, 2, 101)] as [(Int64, Int64, Int?)])
    func `an impossible range is refused`(_ from: Int64, _ to: Int64, _ limit: Int?) {
        #expect(throws: Refusal.self) { try ReplayRange(name: "t", from: from, to: to, limit: limit) }
    }

    @Test func `a replay says which changes the log does not hold any more, and does not run them`() throws {
        let house = try House()
        try house.put("items/x", ["a": 2])
        try house.trim(keeping: 1000)
        house.now = house.now.adding(milliseconds: 90_000_000)
        try house.put("items/y", ["a": 2])
        try house.trim(keeping: 1000)
        try house.put(trigger: Self.row)
        let dry = try Self.preview(house)
        #expect(dry.texts("changes", "path") == ["items/y"])
        #expect(try #require(dry["knownFrom"]?.integerValue) > 1)
    }

    @Test func `a replay to followers and to a chat notifies only those who have nothing yet`() throws {
        let house = try House()
        try house.follow("alice", "user:bob")
        try house.send("alice", "bob")
        try house.follow("alice", "item:x")
        try house.put("items/x", ["a": 2])
        try house.put(trigger: Self.row(("audience", "followers:item:{item}")))
        #expect(try Self.replay(house)["sent"] == 1)
        #expect(try Self.titles(house) == ["x  2"])
        try house.put(trigger: Self.row(("audience", "chat:alice:bob")))
        #expect(try Self.replay(house).texts("changes", "path") == ["items/x"])
        #expect(try house.notifications("bob").texts("notifications", "title") == ["x  2"])
        #expect(try Self.replay(house)["sent"] == 0)
    }
}
