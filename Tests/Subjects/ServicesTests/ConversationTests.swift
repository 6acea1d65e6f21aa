import ClientProtocol
import JSON
import Model
import ServicesTestSupport
import Testing

struct ConversationTests {
    /// alice follows bob and has recommended one film to bob.
    private static func talking() throws -> House {
        let house = try House()
        try house.follow("alice", "user:bob")
        try house.recommend("alice", "bob", note: "watch it")
        return house
    }

    @Test func `a stranger can neither recommend nor send`() throws {
        let house = try House()
        _ = try house.actor("bob")
        for refused in [
            try house.refusal { try house.recommend("alice", "bob") },
            try house.refusal { try house.send("alice", "bob") },
        ] {
            #expect(refused.code == .forbidden)
            #expect(refused.field == "to")
        }
        #expect(try house.refusal { try house.send("alice", "alice:bob") }.code == .notFound)
    }

    @Test func `to be followed is not to follow`() throws {
        let house = try House()
        try house.follow("bob", "user:alice")
        #expect(try house.refusal { try house.recommend("alice", "bob") }.code == .forbidden)
    }

    @Test func `a follower may recommend, even to somebody never seen, and that opens the chat`() throws {
        let house = try House()
        try house.follow("alice", "user:bob")
        let reply = try house.recommend("alice", "bob", note: "watch it")
        #expect(reply["chat"] == "alice:bob")
        #expect(reply.n == 1)
        #expect(reply.seq == house.head.value)
        #expect(reply["at"] == .string(house.now.text))
        let message = try #require(try house.history("bob", "alice:bob")["messages"]?.arrayValue?.first)
        #expect(message["from"] == "alice")
        #expect(message["text"] == "watch it")
        #expect(message["product"] == ["id": "movie/603", "title": "The Matrix"])
        #expect(message["seen"] == false)
        #expect(message["seq"]?.integerValue == reply.seq)
    }

    @Test func `the other user may answer once the chat exists, in every way`() throws {
        let house = try Self.talking()
        #expect(try house.send("bob", "alice:bob").n == 2)
        #expect(try house.send("bob", "alice").n == 3)
        #expect(try house.recommend("bob", "alice").n == 4)
    }

    @Test func `the chat stays open when the follow ends`() throws {
        let house = try Self.talking()
        try house.follow("alice", "user:bob", isOn: false)
        #expect(try house.send("alice", "bob").n == 2)
    }

    @Test func `nobody talks to himself`() throws {
        let house = try House()
        for refused in [
            try house.refusal { try house.send("alice", "alice") },
            try house.refusal { try house.recommend("alice", "alice") },
        ] {
            #expect(refused.code == .badRequest)
            #expect(refused.field == "to")
        }
    }

    @Test func `a user who is not a member can neither read, look nor write, whether the chat exists or not`() throws {
        let house = try Self.talking()
        _ = try house.actor("eve")
        for chat in ["alice:bob", "alice:zoe", "room:1"] {
            #expect(try house.refusal { try house.send("eve", chat) }.code == .forbidden)
            #expect(try house.refusal { try house.markRead("eve", chat, 1) }.code == .forbidden)
            #expect(try house.refusal { try house.history("eve", chat) }.code == .forbidden)
        }
        #expect(try house.chats("eve")["chats"] == [])
    }

    @Test func `an administrator's token is no user`() throws {
        let house = try Self.talking()
        #expect(try house.refusal { try house.send("admin", "bob") }.code == .forbidden)
        #expect(try house.refusal { try house.chats("admin") }.code == .forbidden)
        #expect(try house.refusal { try house.follow("admin", "user:bob") }.code == .forbidden)
    }

    @Test func `a reply to a message that does not exist yet names the field`() throws {
        let house = try Self.talking()
        let refused = try house.refusal { try house.send("bob", "alice:bob", replyTo: 2) }
        #expect(refused.code == .badRequest)
        #expect(refused.field == "replyTo")
        try house.send("bob", "alice:bob", replyTo: 1)
        #expect(try house.history("bob", "alice:bob").integers("messages", "replyTo") == [1])
    }

    @Test func `numbers have no gaps, also across what is refused, and both get every event`() throws {
        let house = try Self.talking()
        let (alice, bob) = (try house.connect("alice"), try house.connect("bob"))
        for n in 2...20 {
            _ = try house.refusal { try house.send("bob", "alice:bob", replyTo: 99) }
            #expect(try house.send(n.isMultiple(of: 3) ? "alice" : "bob", "alice:bob", "m\(n)").n == Int64(n))
        }
        #expect(try house.history("alice", "alice:bob").integers("messages", "n") == Array(1...20))
        #expect(alice.events.compactMap(\.n) == Array(2...20))
        #expect(alice.events == bob.events)
        let event = try #require(alice.events.last)
        #expect(event["type"] == "message")
        #expect(event["text"] == "m20")
        #expect(event["key"]?.stringValue != nil)
        #expect(event["seq"]?.integerValue == house.head.value)
    }

    @Test func `history is paged both ways, in the order of numbers`() throws {
        let house = try Self.talking()
        for _ in 2...7 { try house.send("bob", "alice:bob") }
        let newest = try house.history("alice", "alice:bob", limit: 3)
        #expect(newest.integers("messages", "n") == [5, 6, 7])
        #expect(newest["next"] == "5")
        let last = try house.history("alice", "alice:bob", before: 5, limit: 4)
        #expect(last.integers("messages", "n") == [1, 2, 3, 4])
        #expect(last["next"] == nil)
        let after = try house.history("alice", "alice:bob", after: 3, limit: 2)
        #expect(after.integers("messages", "n") == [4, 5])
        #expect(after["next"] == "5")
        #expect(try house.history("alice", "alice:bob", after: 7)["messages"] == [])
    }

    @Test func `chats come newest first with the last message and the positions that both have read`() throws {
        let house = try Self.talking()
        try house.follow("alice", "user:carol")
        try house.send("alice", "carol", "ciao")
        try house.send("bob", "alice:bob", "thanks")
        try house.markRead("bob", "alice:bob", 2)
        let list = try house.chats("alice")
        #expect(list.texts("chats", "with") == ["bob", "carol"])
        #expect(list.texts("chats", "chat") == ["alice:bob", "alice:carol"])
        #expect(list.integers("chats", "unread") == [1, 0])
        #expect(list.integers("chats", "read") == [0, 0])
        #expect(list.integers("chats", "peerRead") == [2, 0])
        #expect(list["chats"]?.arrayValue?.first?["last"]?["text"] == "thanks")
        #expect(list["next"] == nil)
        let first = try house.chats("alice", limit: 1)
        #expect(first.texts("chats", "with") == ["bob"])
        let next = try #require(first["next"]?.stringValue)
        #expect(try house.chats("alice", before: next, limit: 1).texts("chats", "with") == ["carol"])
        #expect(try house.refusal { try house.chats("alice", before: "x") }.field == "before")
    }
}

struct MarkReadTests {
    private static func talking(_ count: Int = 5) throws -> House {
        let house = try House()
        try house.follow("alice", "user:bob")
        for _ in 1...count { try house.send("alice", "bob") }
        return house
    }

    @Test func `reading tells both, counts down, and never moves back`() throws {
        let house = try Self.talking()
        let (alice, bob) = (try house.connect("alice"), try house.connect("bob"))
        #expect(bob.counts.chats == 1)
        try house.markRead("bob", "alice:bob", 3)
        #expect(bob.counts.chats == 1)
        #expect(try house.chats("bob").integers("chats", "unread") == [2])
        let reply = try house.markRead("bob", "alice:bob", 5)
        #expect(reply.seq == house.head.value)
        #expect(bob.counts.chats == 0)
        #expect(alice.events == bob.events)
        #expect(alice.events.last?["user"] == "bob")
        let head = house.head
        #expect(try house.markRead("bob", "alice:bob", 2).seq == head.value)
        #expect(try house.markRead("bob", "alice:bob", 5).seq == head.value)
        #expect(house.head == head)
        #expect(try house.chats("bob").integers("chats", "read") == [5])
        #expect(bob.types == ["read", "read"])
    }

    @Test func `a message that does not exist yet cannot be read`() throws {
        let house = try Self.talking()
        let refused = try house.refusal { try house.markRead("bob", "alice:bob", 6) }
        #expect(refused.code == .badRequest)
        #expect(refused.field == "n")
        #expect(try house.refusal { try house.markRead("bob", "bob:carol", 1) }.code == .notFound)
    }

    private static let seenTrigger: JSONValue = [
        "name": "seen", "event": "update", "path": "recommendations/{recommendation}",
        "condition": "after->>'seen' AND NOT before->>'seen'", "audience": "user:{after.from}",
        "title": "{{after.to}} saw {{after.product.id}}",
    ]

    @Test func `recommendations at or below become seen, each a change that fires triggers`() throws {
        let house = try House(triggers: [Self.seenTrigger])
        try house.follow("alice", "user:bob")
        try house.recommend("alice", "bob", "movie/1")
        try house.send("alice", "bob")
        try house.recommend("alice", "bob", "movie/2")
        try house.recommend("bob", "alice", "movie/3")
        try house.recommend("alice", "bob", "movie/4")
        try house.markRead("bob", "alice:bob", 4)
        let titles = try house.notifications("alice").texts("notifications", "title")
        #expect(titles == ["bob saw movie/2", "bob saw movie/1"])
        #expect(try house.notifications("bob")["notifications"] == [])
        let history = try house.history("bob", "alice:bob")["messages"]?.arrayValue ?? []
        #expect(history.map { $0["seen"]?.boolValue } == [true, nil, true, false, false])
        try house.markRead("bob", "alice:bob", 5)
        try house.markRead("alice", "alice:bob", 5)
        #expect(try house.notifications("alice").texts("notifications", "title").first == "bob saw movie/4")
        #expect(try house.notifications("bob").texts("notifications", "title") == ["alice saw movie/3"])
    }

    // MARK: Profiles

    @Test func `the list of chats shows the named members of the other people's documents`() throws {
        let house = try House.filmNetwork()
        for name in ["bob", "carol", "dan"] {
            try house.follow("alice", "user:\(name)")
            try house.send("alice", name)
        }
        let long = String(repeating: "x", count: DocumentLimits.profileMemberBytesMax)
        try house.put("users/bob", ["name": "Bob \"B\"", "picture": ["id": 7], "phone": "secret"])
        try house.put("users/carol", ["name": nil, "picture": .string(long)])
        func profiles(_ fields: [String]) throws -> [JSONValue?] {
            let list = try house.chats("alice", profile: fields)["chats"]?.arrayValue ?? []
            return ["bob", "carol", "dan"].map { name in
                list.first { $0["with"]?.stringValue == name }?["profile"]
            }
        }
        #expect(try profiles(["name", "picture"]) == [["name": "Bob \"B\"", "picture": ["id": 7]], nil, nil])
        #expect(try profiles([]) == [nil, nil, nil])
        try house.delete("users/bob")
        #expect(try profiles(["name"]) == [nil, nil, nil])
    }
}
