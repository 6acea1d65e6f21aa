import ClientProtocol
import JSON
import Model
import Notifying
import ServicesTestSupport
import Store
import Testing

struct BroadcastTests {
    @Test(arguments: [
        ("everyone", "everyone"), ("user:bob", "user:bob"), ("person:525", "person:525"),
        ("product:movie/603", "product:movie/603"),
    ])
    func `an audience is read and written the same`(text: String, written: String) {
        #expect(BroadcastAudience(text)?.text == written)
    }

    @Test(arguments: ["", "all", "user:", "user:a/b", "Person:1", "online:"])
    func `a text that is not an audience is refused`(text: String) {
        #expect(BroadcastAudience(text) == nil)
    }

    @Test(arguments: [("everyone", ["alice", "bob", "carol"]), ("person:1", ["alice", "bob"]), ("user:bob", ["bob"])])
    func `a broadcast is one row and reaches its audience, and says how large it is`(
        audience: String,
        reached: [String]
    ) throws {
        let house = try House()
        let sessions = try ["alice", "bob", "carol"].map { ($0, try house.connect($0)) }
        for name in ["alice", "bob"] { try house.follow(name, "person:1") }
        for session in sessions { session.1.forget() }
        let count = try house.look { try $0.log.count() }
        let preview = try house.read(PreviewBroadcast(house.order(audience)), by: "admin")
        #expect(preview["size"]?.integerValue == Int64(reached.count))
        #expect(preview["dryRun"] == true)
        let reply = try house.broadcast(audience, "Hello")
        #expect(reply["id"] == "1")
        #expect(reply["size"]?.integerValue == Int64(reached.count))
        #expect(reply["audience"] == .string(audience))
        #expect(reply.seq == house.head.value)
        #expect(try house.look { try $0.log.count() } == count + 1)
        for (name, session) in sessions {
            #expect(session.types == (reached.contains(name) ? ["notification"] : []))
            #expect(session.counts.notifications == (reached.contains(name) ? 1 : 0))
        }
    }

    @Test func `nobody to write to is not found`() throws {
        let house = try House()
        let refused = try house.refusal { try house.broadcast("user:nobody") }
        #expect(refused.code == .notFound)
        #expect(refused.field == "audience")
        #expect(try house.broadcast("person:77")["size"] == 0)
    }

    @Test func `a broadcast that has expired is refused, and its repetition under the same key is not`() throws {
        let house = try House()
        for late in [house.now, house.now.adding(milliseconds: -1)] {
            let refused = try house.refusal { try house.broadcast("everyone", expires: late) }
            #expect(refused.code == .badRequest)
            #expect(refused.field == "expires")
        }
        let expires = house.now.adding(milliseconds: 1)
        let first = try house.broadcast("everyone", expires: expires, key: "k")
        house.now = expires
        #expect(try house.broadcast("everyone", expires: expires, key: "k") == first)
    }

    @Test func `a broadcast to everyone is not for those who come later`() throws {
        let house = try House()
        _ = try house.actor("alice")
        try house.broadcast("everyone")
        #expect(try house.counts("alice").notifications == 1)
        #expect(try house.counts("bob").notifications == 0)
        #expect(try house.notifications("bob")["notifications"] == [])
    }

    @Test func `cancelling takes it from every device, once`() throws {
        for audience in ["everyone", "person:1", "user:alice"] {
            let house = try House()
            let alice = try house.connect("alice")
            try house.follow("alice", "person:1")
            alice.forget()
            try house.broadcast(audience)
            let id = alice.events.first?["id"]
            #expect(try house.write(CancelBroadcast(id: 1), by: "admin") == ["id": "1", "cancelled": true])
            #expect(alice.types == ["notification", "notification.removed"])
            #expect(alice.events[1]["id"] == id)
            #expect(alice.events[1]["reason"] == "retracted")
            #expect(alice.counts.notifications == 0)
            #expect(try house.notifications("alice")["notifications"] == [])
            let head = house.head
            try house.write(CancelBroadcast(id: 1), by: "admin")
            #expect(house.head == head)
            #expect(try house.read(ReadBroadcast(id: 1, delivered: 5), by: "admin")["cancelled"] == true)
        }
    }

    @Test func `cancelling a broadcast that was seen does not change the count`() throws {
        let house = try House()
        let alice = try house.connect("alice")
        try house.broadcast("user:alice")
        try house.broadcast("user:alice")
        try house.seen("alice", ids: ["n1"])
        #expect(alice.counts.notifications == 1)
        try house.write(CancelBroadcast(id: 1), by: "admin")
        #expect(alice.counts.notifications == 1)
    }

    @Test func `progress is read by id`() throws {
        let house = try House()
        _ = try house.actor("alice")
        let sent = try house.broadcast("everyone")
        let read = try house.read(ReadBroadcast(id: 1, delivered: 7), by: "admin")
        #expect(read["delivered"] == 7)
        #expect(read["cancelled"] == false)
        #expect(read["seq"] == sent["seq"])
        #expect(read["at"] == .string(house.now.text))
        #expect(try house.refusal { try house.read(ReadBroadcast(id: 2, delivered: 0), by: "admin") }.code == .notFound)
        #expect(try house.refusal { try house.write(CancelBroadcast(id: 2), by: "admin") }.code == .notFound)
    }

    @Test func `the same collapse replaces within a stream alone, and the same key sends once`() throws {
        let house = try House()
        let alice = try house.connect("alice")
        try house.broadcast("everyone", "one", collapse: "c")
        try house.broadcast("user:alice", "two", collapse: "c")
        try house.broadcast("everyone", "three", collapse: "c", key: "k")
        #expect(alice.types == ["notification", "notification", "notification.removed", "notification"])
        #expect(try house.notifications("alice").texts("notifications", "title") == ["three", "two"])
        #expect(alice.counts.notifications == 2)
        try house.broadcast("everyone", "three", collapse: "c", key: "k")
        #expect(alice.received.count == 4)
        #expect(
            try house.refusal { try house.broadcast("everyone", "four", collapse: "c", key: "k") }.code == .keyReused
        )
    }
}
