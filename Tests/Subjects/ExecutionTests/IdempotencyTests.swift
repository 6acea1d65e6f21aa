import ClientProtocol
import Execution
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing

struct IdempotencyTests {
    private static func following() throws -> House {
        let house = try House()
        try house.follow("alice", "user:bob")
        return house
    }

    @Test func `the same key gets the first reply again and changes nothing`() throws {
        let house = try Self.following()
        let first = try house.recommend("alice", "bob", note: "a", key: "k")
        try house.send("alice", "bob")
        let state = try house.state()
        house.now = house.now.adding(milliseconds: 5000)
        #expect(try house.recommend("alice", "bob", note: "a", key: "k") == first)
        #expect(house.commits.last?.isEmpty == true)
        #expect(try house.state() == state)
    }

    @Test func `the key with other content is refused, whatever differs`() throws {
        let house = try Self.following()
        try house.recommend("alice", "bob", note: "a", key: "k")
        let others: [() throws -> JSONValue] = [
            { try house.recommend("alice", "bob", note: "b", key: "k") },
            { try house.recommend("alice", "bob", key: "k") },
            { try house.recommend("alice", "bob", "movie/604", note: "a", key: "k") },
            { try house.recommend("alice", "bob", title: nil, note: "a", key: "k") },
            { try house.recommend("alice", "carol", note: "a", key: "k") },
            { try house.send("alice", "bob", "a", key: "k") },
            { try house.follow("alice", "user:bob", key: writeKey("k")) },
        ]
        for other in others {
            let refused = try house.refusal(other)
            #expect(refused.code == .keyReused)
            #expect(refused.field == "key")
        }
    }

    @Test func `text, reply and recipient all belong to a message's content`() throws {
        let house = try Self.following()
        try house.send("alice", "bob")
        try house.send("alice", "alice:bob", "hi", key: "k")
        #expect(try house.refusal { try house.send("alice", "alice:bob", "ho", key: "k") }.code == .keyReused)
        #expect(try house.refusal { try house.send("alice", "alice:bob", replyTo: 1, key: "k") }.code == .keyReused)
        #expect(try house.send("alice", "alice:bob", "hi", key: "k").n == 2)
    }

    @Test func `keys are each user's own, and an administrator's apart from them`() throws {
        let house = try Self.following()
        try house.send("alice", "bob", key: "k")
        #expect(try house.send("bob", "alice", "other", key: "k").n == 2)
        try house.put("items/1", ["a": 1], key: "k")
        #expect(try house.refusal { try house.put("items/1", ["a": 2], key: "k") }.code == .keyReused)
    }

    @Test func `a refusal for good is the outcome of a write, whatever changes afterwards`() throws {
        let house = try House()
        _ = try house.actor("bob")
        let refused = try house.refusal { try house.send("alice", "bob", "one", key: "k") }
        #expect(refused.code == .forbidden)
        try house.follow("alice", "user:bob")
        let repeated = try house.refusal { try house.send("alice", "bob", "one", key: "k") }
        #expect(repeated.code == refused.code && repeated.message.contains("with a new key"))
        #expect(try house.send("alice", "bob", "one", key: "new").n == 1)
        // Another write may take the key. The refused one is not done then, either.
        #expect(try house.send("alice", "bob", "two", key: "k").n == 2)
        #expect(try house.send("alice", "bob", "two", key: "k").n == 2)
        #expect(try house.refusal { try house.send("alice", "bob", "one", key: "k") }.code == .keyReused)
    }

    @Test func `a refusal after which a client waits and repeats is not kept`() throws {
        let house = try House(limits: PersonLimits(["first-contact": "1/1d"]))
        for name in ["bob", "carol"] { try house.follow("alice", "user:\(name)") }
        try house.send("alice", "bob", "one")
        #expect(try house.refusal { try house.send("alice", "carol", "two", key: "k") }.code.errorClass == .limit)
        house.now = house.now.adding(milliseconds: 86_400_001)
        #expect(try house.send("alice", "carol", "two", key: "k").n == 1)
    }

    @Test func `a kept conflict shows the present document, without keeping it, to a user who may still see it`() throws
    {
        let house = try Self.owning()
        let path = "users/alice/tasks/1"
        let first = try house.refusal { try house.patch("alice", path, ["n": 2], ifVersion: 7, key: "late") }
        #expect(first.code == .conflict && first.found?.version == 1)
        let alice = try house.entry("alice").id
        let kept = try #require(try house.look { try $0.keys.find("late", of: alice) })
        #expect(kept.isRefused && kept.reply == #"{"code":"conflict"}"#)
        #expect(try house.refusal { try house.patch("alice", path, ["n": 2], ifVersion: 7, key: "late") } == first)
        try house.put(path, ["n": 9])
        let second = try house.refusal { try house.patch("alice", path, ["n": 2], ifVersion: 7, key: "late") }
        #expect(second.found == Refusal.Found(version: 2, data: Array(#"{"n":9}"#.utf8)))
        try house.write(PutRules(["rules": [:]], ifVersion: nil, key: nil), by: "admin")
        let third = try house.refusal { try house.patch("alice", path, ["n": 2], ifVersion: 7, key: "late") }
        #expect(third.code == .forbidden && third.found == nil)
    }

    @Test func `a document's write is repeated with the triggers' report, and without firing again`() throws {
        let house = try House.filmNetwork()
        try house.follow("alice", "person:525")
        let film: JSONObject = ["title": "Tenet", "releaseDate": "2026-11-17"]
        let first = try house.put("people/525/credits/movie/603", film, key: "k")
        #expect(first["triggers"]?.arrayValue?.last == ["trigger": "director-release", "notifications": 1])
        #expect(try house.put("people/525/credits/movie/603", film, key: "k") == first)
        #expect(try house.counts("alice").notifications == 1)
    }

    @Test func `a key is forgotten after its retention`() throws {
        let house = try Self.following()
        try house.send("alice", "bob", key: "k")
        house.now = house.now.adding(milliseconds: Limits.keyRetentionMilliseconds + 1)
        for _ in 1...200 { try house.send("alice", "bob") }
        try house.trim(keeping: nil)
        let alice = try house.entry("alice").id
        #expect(try house.look { try $0.keys.find("k", of: alice) } == nil)
        #expect(try house.look { try $0.keys.find("k200", of: alice) } != nil)
    }

    private static let large = String(repeating: "x", count: 60_000)

    /// A house in which alice owns her tasks, one of which is large.
    private static func owning() throws -> House {
        let house = try House()
        let rules: JSONObject = ["rules": ["users/{user}/tasks/{task}": "owner"]]
        try house.write(PutRules(rules, ifVersion: nil, key: nil), by: "admin")
        try house.patch("alice", "users/alice/tasks/1", ["text": .string(large)], key: "first")
        return house
    }

    @Test func `a patch's key keeps place and version, and a repetition gets the data again`() throws {
        let house = try Self.owning()
        let path = "users/alice/tasks/1"
        let second = try house.patch("alice", path, ["n": 2], key: "second")
        #expect(second["data"] == ["text": .string(Self.large), "n": 2])
        let alice = try house.entry("alice").id
        let kept = try #require(try house.look { try $0.keys.find("second", of: alice)?.reply })
        #expect(kept.utf8.count < 100)
        // While the version is the present one, and from the history when it is not.
        #expect(try house.patch("alice", path, ["n": 2], key: "second") == second)
        let third = try house.patch("alice", path, ["n": 3], key: "third")
        #expect(try house.patch("alice", path, ["n": 2], key: "second") == second)
        #expect(try house.patch("alice", path, ["n": 3], key: "third") == third)
        // A write that changed nothing has no data in its answer, also when repeated.
        let idle = try house.patch("alice", path, ["n": 3], key: "idle")
        #expect(idle["data"] == nil)
        #expect(try house.patch("alice", path, ["n": 3], key: "idle") == idle)
    }

    @Test func `a repetition has the version of the first answer, for the field ETag`() throws {
        let house = try Self.owning()
        let path = try DocumentPath("items/1")
        let put = WriteDocuments(DocumentWrite(path: path, operation: .put(["n": 1])), key: try house.key())
        #expect(try house.fact(of: put, by: "admin") == .version(1))
        try house.put("items/1", ["n": 2])
        #expect(try house.fact(of: put, by: "admin") == .version(1))
        let patch = WriteDocuments(
            DocumentWrite(path: try DocumentPath("users/alice/tasks/1"), operation: .patch(["n": 2])),
            key: try house.key())
        #expect(try house.fact(of: patch, by: "alice") == .version(2))
        #expect(try house.fact(of: patch, by: "alice") == .version(2))
        let rules = try PutRules(["rules": [:]], ifVersion: nil, key: house.key())
        #expect(try house.fact(of: rules, by: "admin") == .version(2))
        #expect(try house.fact(of: rules, by: "admin") == .version(2))
    }

    @Test func `a repetition whose version is not kept any more is answered without data`() throws {
        let house = try Self.owning()
        let path = "users/alice/tasks/1"
        let second = try house.patch("alice", path, ["n": 2], key: "second")
        for number in Int64(0)..<100 {
            try house.patch("alice", path, ["n": .integer(number + 10)], key: "more\(number)")
        }
        var place = second
        place["data"] = nil
        #expect(try house.patch("alice", path, ["n": 2], key: "second") == place)
    }

    @Test func `many small patches of a large document leave little`() throws {
        let house = try Self.owning()
        for number in Int64(0)..<300 {
            try house.patch("alice", "users/alice/tasks/1", ["n": .integer(number)], key: "p\(number)")
        }
        let bounds = HistoryBounds()
        let kept = try house.look { try $0.history.keptBytes() }
        #expect(kept > bounds.path / 2 && kept <= bounds.path)
        try house.trim(keeping: nil)
        let alice = try house.entry("alice").id
        let keys = try house.look { try $0.keys.bytes(of: alice) }
        #expect(keys > 0 && keys < 300 * 250)
    }

    @Test func `a reply that an earlier version kept whole is given as it is`() throws {
        let house = try Self.owning()
        let alice = try house.entry("alice").id
        var fingerprint = Fingerprint()
        let write = DocumentWrite(path: try DocumentPath("users/alice/tasks/1"), operation: .patch(["n": 1]))
        let useCase = WriteDocuments(write, key: try writeKey("old"))
        useCase.addContent(to: &fingerprint)
        let reply: JSONValue = ["path": "users/alice/tasks/1", "version": 9, "seq": 9, "data": ["n": 1]]
        _ = try house.writer.commit([fingerprint.value]) { value, transaction in
            try transaction.keys.insert("old", of: alice, fingerprint: value, reply: reply.bytes, at: house.now)
        } refuse: {
            Issue.record($0)
        }
        #expect(try house.write(useCase, by: "alice") == reply)
    }
}

extension House {
    @discardableResult
    fileprivate func patch(
        _ name: String, _ path: String, _ data: JSONObject, ifVersion: Int64? = nil, key: String
    ) throws -> JSONValue {
        let write = DocumentWrite(path: try DocumentPath(path), operation: .patch(data), ifVersion: ifVersion)
        return try self.write(WriteDocuments(write, key: writeKey(key)), by: name)
    }
}
