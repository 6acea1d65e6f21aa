import ClientProtocol
import JSON
import Model
import Services
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

    @Test func `a refused write does not burn its key`() throws {
        let house = try House()
        _ = try house.actor("bob")
        #expect(try house.refusal { try house.send("alice", "bob", "one", key: "k") }.code == .forbidden)
        try house.follow("alice", "user:bob")
        #expect(try house.send("alice", "bob", "two", key: "k").n == 1)
    }

    @Test func `a document's write is repeated with the triggers' report, and without firing again`() throws {
        let house = try House.filmNetwork()
        try house.follow("alice", "person:525")
        let first = try house.put("people/525/credits/movie/603", ["title": "Tenet"], key: "k")
        #expect(first["triggers"] == [["trigger": "director-release", "notifications": 1]])
        #expect(try house.put("people/525/credits/movie/603", ["title": "Tenet"], key: "k") == first)
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
}
