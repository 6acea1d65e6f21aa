import ClientProtocol
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

/// The history, seen through a trigger's dry replay, which shows each change with its documents.
struct ChangeHistoryTests {
    /// The changes that a trigger on `path` finds in the whole log.
    private static func seen(_ house: House, _ path: String) throws -> [String] {
        let row: JSONObject = ["event": "write", "path": .string(path), "audience": "everyone", "title": "T"]
        try house.write(PutTrigger(name: "history", row: row, key: nil), by: "admin")
        let range = try ReplayRange(name: "history", from: 1, to: house.head.value, limit: nil, .allowed)
        let changes = try house.read(PreviewReplay(range), by: "admin")["changes"]?.arrayValue ?? []
        return changes.map { "\($0["event"]?.stringValue ?? "") \($0["path"]?.stringValue ?? "")" }
    }

    private static func versions(_ house: House, _ path: String) throws -> [String?] {
        try house.look { transaction in
            let history = transaction.history
            let positions = try history.positions(of: path, before: Position(Position.bound), limit: 100)
            return try positions.map { try history.find($0)?.after }
        }
    }

    @Test func `each change of a document is kept with the new document, its time and its author`() throws {
        let house = try House()
        try house.put("items/1", ["a": 1])
        house.now = house.now.adding(milliseconds: 5)
        try house.document("items/1", .patch(["b": 2]))
        try house.put("items/1", ["a": 1, "b": 2])
        try house.delete("items/1")
        #expect(try Self.versions(house, "items/1") == [nil, #"{"a":1,"b":2}"#, #"{"a":1}"#])
        let newest = try house.look { try $0.history.find(house.head) }
        #expect(newest?.before == #"{"a":1,"b":2}"#)
        #expect(newest?.by == "admin admin")
        #expect(newest?.at == house.now)
    }

    @Test func `a write that is refused leaves nothing in the history`() throws {
        let house = try House()
        try house.put("items/1", ["a": 1])
        #expect(try house.refusal { try house.put("items/1", ["a": 2], ifVersion: 7) }.code == .conflict)
        #expect(try house.look { try $0.history.count() } == 1)
    }

    @Test func `follows, messages and recommendations are found without rows of their own`() throws {
        let house = try House()
        try house.follow("alice", "user:bob")
        try house.recommend("alice", "bob", note: "good")
        try house.send("bob", "alice:bob", "thanks")
        try house.follow("alice", "user:bob", isOn: false)
        #expect(try house.look { try $0.history.count() } == 0)
        #expect(
            try Self.seen(house, "users/{user}/followers/{follower}") == [
                "create users/bob/followers/alice", "delete users/bob/followers/alice",
            ]
        )
        #expect(
            try Self.seen(house, "chats/{chat}/messages/{n}") == [
                "create chats/alice:bob/messages/1", "create chats/alice:bob/messages/2",
            ]
        )
        #expect(try Self.seen(house, "recommendations/{r}") == ["create recommendations/alice:bob-1"])
        try house.markRead("bob", "alice:bob", 1)
        #expect(
            try Self.seen(house, "recommendations/{r}") == [
                "create recommendations/alice:bob-1", "update recommendations/alice:bob-1",
            ]
        )
    }

    @Test func `the documents of commands are found as the triggers saw them`() throws {
        let row: JSONValue = [
            "name": "seen", "event": "update", "path": "recommendations/{r}", "audience": "user:{after.from}",
            "condition": "NOT before->>'seen' AND after->>'seen'", "title": "{{after.to}} saw {{after.product.title}}",
        ]
        let house = try House(triggers: [row])
        try house.follow("alice", "user:bob")
        try house.recommend("alice", "bob", note: "good")
        try house.markRead("bob", "alice:bob", 1)
        let live = try house.notifications("alice")
        #expect(live.texts("notifications", "title") == ["bob saw The Matrix"])
        let range = try ReplayRange(name: "seen", from: 1, to: house.head.value, limit: nil, .allowed)
        let again = try house.read(PreviewReplay(range), by: "admin")
        #expect(again.texts("changes", "skipped").last?.hasPrefix("it was sent already") == true)
    }

    @Test func `trimming takes the changes that the log does not hold, and later ones know the document before`() throws
    {
        let house = try House()
        let day: Int64 = 86_400_000
        for n in 1...3 { try house.put("items/kept", ["n": .integer(Int64(n))]) }
        try house.put("items/gone", ["n": 1])
        try house.delete("items/gone")
        try house.trim(keeping: day)
        house.now = house.now.adding(milliseconds: 2 * day)
        try house.put("items/other", [:])
        try house.trim(keeping: day)
        #expect(try Self.versions(house, "items/kept") == [])
        #expect(try Self.versions(house, "items/gone") == [])
        #expect(try Self.versions(house, "items/other") == ["{}"])
        // Known after the beginning of the log, with the body before it.
        let row: JSONValue = [
            "name": "t", "event": "update", "path": "items/{item}", "audience": "user:alice",
            "title": "{{before.n}} to {{after.n}}",
        ]
        try house.put("items/kept", ["n": 4])
        try house.put(trigger: row)
        let range = try ReplayRange(name: "t", from: 1, to: house.head.value, limit: nil, .allowed)
        try house.write(ReplayTrigger(range, key: nil), by: "admin")
        #expect(try house.notifications("alice").texts("notifications", "title") == ["3 to 4"])
        // It stays so while the log is trimmed step by step.
        house.now = house.now.adding(milliseconds: day / 2)
        try house.trim(keeping: day)
        house.now = house.now.adding(milliseconds: 2 * day)
        try house.put("items/other", ["n": 9])
        try house.trim(keeping: day)
        #expect(try Self.versions(house, "items/kept") == [])
    }
}
