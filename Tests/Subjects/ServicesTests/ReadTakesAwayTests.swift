import ClientProtocol
import JSON
import Model
import ServicesTestSupport
import Store
import Testing

/// Reading a chat removes its notifications from every device.
struct ReadTakesAwayTests {
    private static let messages: JSONValue = [
        "name": "message", "event": "create", "path": "chats/{chat}/messages/{n}", "audience": "chat:{chat}",
        "title": "{{after.from}}", "body": "{{after.text}}",
    ]

    @Test func `a recommendation that is read notifies no longer`() throws {
        let house = try House.filmNetwork()
        try house.follow("alice", "user:bob")
        let bob = try house.connect("bob")
        let phone = try house.connect("alice")
        try house.recommend("alice", "bob")
        try house.recommend("alice", "bob", "movie/604")
        #expect(bob.counts.notifications == 3, "a follower and two recommendations")
        let id = bob.events.last { $0["type"] == "notification" }?["id"]
        bob.forget()
        phone.forget()
        try house.markRead("bob", "alice:bob", 1)
        #expect(bob.types == ["read", "notification.removed"])
        #expect(bob.events[1]["reason"] == "read")
        #expect(bob.events[1]["id"] != id)
        #expect(bob.counts.notifications == 2)
        try house.markRead("bob", "alice:bob", 2)
        #expect(bob.events.last?["id"] == id)
        #expect(bob.counts.notifications == 1)
        #expect(try house.notifications("bob").texts("notifications", "kind") == ["follower"])
        #expect(phone.types == ["read", "read"])
    }

    @Test func `messages up to the one read, the reader's alone, whichever chat sorts beside it`() throws {
        let house = try House(triggers: [Self.messages])
        try house.follow("alice", "user:bob")
        try house.follow("alice", "user:bob0")
        for number in 1...12 { try house.send("alice", "bob", "m\(number)") }
        try house.send("alice", "bob0")
        let before = try house.counts("alice").notifications
        try house.markRead("bob", "alice:bob", 9)
        #expect(try house.notifications("bob").texts("notifications", "body") == ["m12", "m11", "m10"])
        #expect(try house.counts("bob").notifications == 3)
        #expect(try house.counts("bob0").notifications == 1)
        #expect(try house.counts("alice").notifications == before)
        try house.markRead("bob", "alice:bob", 12)
        #expect(try house.counts("bob").notifications == 0)
    }

    @Test func `a seen notification goes without being counted twice`() throws {
        let house = try House(triggers: [Self.messages])
        try house.follow("alice", "user:bob")
        try house.send("alice", "bob")
        try house.seen("bob", upTo: house.head.value)
        #expect(try house.counts("bob").notifications == 0)
        try house.markRead("bob", "alice:bob", 1)
        #expect(try house.counts("bob").notifications == 0)
        #expect(try house.notifications("bob")["notifications"] == [])
    }
}
