import ClientProtocol
import JSON
import Model
import Notifying
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

struct ExplainTests {
    private static let row: JSONValue = [
        "name": "t", "event": "write", "path": "items/{item}", "condition": "after->>'a' > 1",
        "audience": "followers:item:{item}", "title": "{{item}}", "collapse": "{{item}}",
    ]

    private static func house() throws -> House {
        let house = try House(triggers: [row])
        try house.follow("alice", "item:x")
        return house
    }

    private static func explain(_ house: House, _ id: String, _ name: String? = nil) throws -> JSONValue {
        try house.read(ExplainNotification(id: id, user: name.map { try user($0) }), by: "admin")
    }

    private static func explain(_ house: House, path: String, _ name: String, seq: Int64? = nil) throws -> JSONValue {
        let explain = try ExplainPath(path: path, user: name, seq: seq.map { String($0) }, limit: nil)
        return try house.read(explain, by: "admin")
    }

    private static func newest(_ house: House, of name: String = "alice") throws -> String {
        try #require(try house.notifications(name).texts("notifications", "id").first)
    }

    /// A step of a trail: whether it is true, and its text.
    private static func step(_ answer: JSONValue?, _ name: String) -> (holds: Bool?, says: String) {
        let step = answer?["trail"]?.arrayValue?.first { $0["step"]?.stringValue == name }
        return (step?["holds"]?.boolValue, step?["says"]?.stringValue ?? "")
    }

    @Test func `the whole trail of one that came`() throws {
        let house = try Self.house()
        try house.put("items/x", ["a": 2])
        let id = try Self.newest(house)
        let answer = try Self.explain(house, id, "alice")
        #expect(answer["verdict"]?.stringValue == "alice got \(id)")
        #expect(
            answer.texts("trail", "step") == [
                "write", "trigger", "condition", "notification", "audience", "decision", "delivered", "seen", "expiry",
            ]
        )
        #expect(Self.step(answer, "write").says.contains("put of items/x by admin admin"))
        #expect(Self.step(answer, "condition") == (true, "it is 1: after->>'a' > 1"))
        #expect(Self.step(answer, "audience").says.hasPrefix("alice has followed item:x since seq"))
        #expect(Self.step(answer, "delivered").holds == false)
        #expect(Self.step(answer, "seen").holds == false)
    }

    @Test func `explain shows acknowledged, seen and replaced as they happen`() throws {
        let house = try Self.house()
        try house.put("items/x", ["a": 2])
        let id = try Self.newest(house)
        try house.write(AcknowledgePosition(house.head), by: "alice")
        try house.seen("alice", ids: [id])
        let read = try Self.explain(house, id, "alice")
        #expect(Self.step(read, "delivered").holds == true)
        #expect(Self.step(read, "seen").holds == true)
        try house.put("items/x", ["a": 3])
        let replaced = Self.step(try Self.explain(house, id, "alice"), "removed")
        #expect(replaced.holds == true)
        #expect(replaced.says.contains("(replaced), at seq \(house.head.value - 1)"), "\(replaced.says)")
    }

    @Test func `why one that its reader archived is gone, from a topic and from an inbox`() throws {
        let house = try Self.house()
        _ = try house.actor("bob")
        try house.put("items/x", ["a": 2])
        let topics = try Self.newest(house)
        try house.broadcast("user:alice")
        let own = try Self.newest(house)
        try house.write(ArchiveNotifications([topics, own], key: nil), by: "alice")
        let (first, second) = (house.head.value - 1, house.head.value)
        let gone = try Self.explain(house, topics, "alice")
        #expect(Self.step(gone, "seen").holds == true)
        #expect(Self.step(gone, "removed").says.hasPrefix("alice has archived it, at seq \(first), "))
        #expect(gone.texts("trail", "step").last == "removed")
        #expect(gone["trail"]?.arrayValue?.last?["seq"] == .integer(first))
        #expect(Self.step(try Self.explain(house, topics), "expiry").holds == nil)
        let removed = Self.step(try Self.explain(house, own, "alice"), "removed")
        #expect(removed.says.contains("(archived), at seq \(second)"))
    }

    @Test func `explain says that a user did not follow at that time and got nothing`() throws {
        let house = try Self.house()
        try house.put("items/x", ["a": 2])
        let id = try Self.newest(house)
        try house.follow("bob", "item:x")
        try house.follow("carl", "item:x")
        try house.follow("carl", "item:x", isOn: false)
        _ = try house.actor("dora")
        #expect(Self.step(try Self.explain(house, id, "bob"), "audience").says.contains("only since seq"))
        #expect(Self.step(try Self.explain(house, id, "carl"), "audience").says.contains("no longer follows item:x"))
        #expect(Self.step(try Self.explain(house, id, "dora"), "audience").says == "dora does not follow item:x")
        let unknown = try Self.explain(house, id, "nobody")
        #expect(unknown["verdict"]?.stringValue?.contains("nobody is known by that name") == true)
        #expect(try Self.explain(house, id)["user"] == .null)
        try house.follow("alice", "item:x", isOn: false)
        #expect(
            Self.step(try Self.explain(house, id, "alice"), "audience").says.hasPrefix("alice followed item:x from"))
    }

    @Test func `a personal one is nobody else's, a broadcast everybody's`() throws {
        let house = try House.filmNetwork()
        try house.follow("alice", "user:bob")
        let personal = try Self.newest(house, of: "bob")
        #expect(
            Self.step(try Self.explain(house, personal, "alice"), "audience").says.contains("only in the inbox of bob"))
        #expect(
            Self.step(try Self.explain(house, personal, "bob"), "write").says.contains(
                "follow of users/bob/followers/alice by user alice"))
        try house.broadcast("everyone")
        let broadcast = try Self.explain(house, try Self.newest(house), "alice")
        #expect(Self.step(broadcast, "write").says == "broadcast 1 of an operator")
        #expect(Self.step(broadcast, "audience").holds == true)
        _ = try house.actor("late")
        #expect(Self.step(try Self.explain(house, try Self.newest(house), "late"), "audience").holds == false)
    }

    @Test func `why nothing came: each trigger that watches the path with its reason`() throws {
        let house = try Self.house()
        var other = Self.row
        other["name"] = "u"
        other["audience"] = "user:{after.owner}"
        try house.put(trigger: other)
        try house.put("items/x", ["a": 1])
        let low = try Self.explain(house, path: "items/x", "alice")
        let triggers = low["changes"]?.arrayValue?.first
        #expect(triggers?.texts("triggers", "trigger") == ["t", "u"])
        #expect(triggers?.texts("triggers", "says").allSatisfy { $0.hasSuffix("the condition is 0") } == true)
        try house.put("items/x", ["a": 2])
        let high = try Self.explain(house, path: "items/x", "alice")["changes"]?.arrayValue?.first
        #expect(high?["triggers"]?.arrayValue?.first?["sent"] == true)
        #expect(high?.texts("triggers", "says").last?.contains("it failed: audience") == true)
        let bob = try Self.explain(house, path: "items/x", "bob")["changes"]?.arrayValue?.first
        #expect(bob?.texts("triggers", "says").first?.hasPrefix("bob got nothing of t") == true)
    }

    @Test func `a change is named by its position, and nothing watches some paths`() throws {
        let house = try Self.house()
        let first = try #require(try house.put("items/x", ["a": 2])["seq"]?.integerValue)
        try house.put("items/x", ["a": 1])
        let then = try Self.explain(house, path: "items/x", "alice", seq: first)
        #expect(then["changes"]?.arrayValue?.first?["triggers"]?.arrayValue?.first?["sent"] == true)
        let now = try Self.explain(house, path: "items/x", "alice")
        #expect(now["changes"]?.arrayValue?.first?["triggers"]?.arrayValue?.first?["sent"] == false)
        try house.put("others/x", [:])
        #expect(try Self.explain(house, path: "others/x", "alice")["verdict"] == "no trigger watches others/x")
        #expect(try Self.explain(house, path: "others/y", "alice")["verdict"] == "the log has no change of others/y")
        let never = try house.refusal { try Self.explain(house, path: "items/x", "alice", seq: 1) }
        #expect(never.code == .notFound && never.field == "seq")
    }

    @Test func `explain says that a trigger waits, is off or came later`() throws {
        let house = try House()
        try house.follow("alice", "item:x")
        try house.put("items/x", ["a": 2])
        var row = Self.row
        row["at"] = "after->>'due'"
        try house.put(trigger: row)
        let late = try Self.explain(house, path: "items/x", "alice")["changes"]?.arrayValue?.first?["triggers"]?
            .arrayValue?.first
        #expect(Self.step(late, "trigger").says.contains("put at seq"))
        #expect(late?["says"]?.stringValue?.hasSuffix("at is NULL") == true)
        try house.put("items/x", ["a": 2, "due": "2099-01-01"])
        let waits = try Self.explain(house, path: "items/x", "alice")["changes"]?.arrayValue?.first
        #expect(waits?.texts("triggers", "says").first?.hasSuffix("scheduled for 2099-01-01T00:00:00.000Z") == true)
        row["at"] = .null
        row["enabled"] = false
        try house.put(trigger: row)
        try house.put("items/x", ["a": 9])
        let off = try Self.explain(house, path: "items/x", "alice")["changes"]?.arrayValue?.first
        #expect(off?.texts("triggers", "says").first?.hasSuffix("the trigger is off") == true)
    }

    @Test func `explain says that the log does not hold the change any more`() throws {
        let house = try Self.house()
        let day: Int64 = 86_400_000
        let change = try #require(try house.put("items/x", ["a": 2])["seq"]?.integerValue)
        let id = try Self.newest(house)
        try house.trim(keeping: day)
        house.now = house.now.adding(milliseconds: 2 * day)
        try house.put("others/x", [:])
        try house.trim(keeping: day)
        let answer = try Self.explain(house, id, "alice")
        #expect(Self.step(answer, "write").holds == nil)
        #expect(Self.step(answer, "write").says.contains("no longer known: the log begins after seq"))
        #expect(Self.step(answer, "audience").holds == true)
        try house.put("items/x", ["a": 5])
        house.now = house.now.adding(milliseconds: day / 2)
        try house.trim(keeping: day)
        house.now = house.now.adding(milliseconds: 2 * day)
        try house.put("others/x", ["n": 1])
        try house.trim(keeping: day)
        let gone = try house.refusal { try Self.explain(house, path: "items/x", "alice", seq: change) }
        #expect(gone.message.contains("no longer known"))
        #expect(try house.refusal { try Self.explain(house, id, "alice") }.message.contains("any more"))
        #expect(try house.refusal { try Self.explain(house, "nonsense", "alice") }.code == .notFound)
    }

    @Test(
        arguments: [
            (nil, "alice", nil, nil, "path"), ("items/x", nil, nil, nil, "user"), ("items", "alice", nil, nil, "path"),
            ("items/x", "alice", "0", nil, "seq"), ("items/x", "alice", nil, "21", "limit"),
        ] as [(String?, String?, String?, String?, String)])
    func `an impossible question is refused by its field`(
        _ path: String?,
        _ user: String?,
        _ seq: String?,
        _ limit: String?,
        _ field: String
    ) throws {
        let refused = try #require(throws: Refusal.self) {
            _ = try ExplainPath(path: path, user: user, seq: seq, limit: limit)
        }
        #expect(refused.field == field)
    }
}
