import JSON
import Model
import Notifying
import ServicesTestSupport
import Store
import Testing
import Triggers

/// An erased person is in no list of a broadcast that waits.
struct ErasedAudienceTests {
    private func order(_ scope: BroadcastScope, at time: Timestamp) -> BroadcastOrder {
        BroadcastOrder(
            audience: .several(scope), level: .active,
            texts: StoredTexts(Localized(fallback: NotificationText(title: "News", body: ""))), data: [:], expires: nil,
            collapse: nil, time: .moment(time))
    }

    @Test func `an erasure takes a person out of the people of a waiting broadcast, and out of its exceptions`() throws
    {
        let house = try House()
        for name in ["alice", "bob", "yan"] { _ = try house.actor(name) }
        let yan = try house.entry("yan").id
        let time = house.now.adding(milliseconds: 3_600_000)
        let named = try BroadcastScope([], users: ["alice", "yan"].map(user))
        let excepting = try BroadcastScope([.everyone], except: [.user(user("yan"))])
        try house.write(SendBroadcast(order(named, at: time), key: nil), by: "admin")
        try house.write(SendBroadcast(order(excepting, at: time), key: nil), by: "admin")
        func rows() throws -> Int64 {
            try house.look {
                try $0.access.number("SELECT count(*) FROM broadcast_people WHERE user = ?", [yan.value])
            }
        }
        #expect(try rows() == 2)
        let counts = try house.erase("yan")
        #expect(try rows() == 0)
        #expect(counts["broadcast"] == 2, "\(counts)")
        house.now = time
        try house.write(DeliverDue(), by: "server")
        #expect(try house.counts("alice").notifications == 2)
        #expect(try house.counts("bob").notifications == 1)
        let read = try house.read(ReadBroadcast(id: 1, delivered: 0), by: "admin")
        #expect(read["size"] == 1 && read["progress"]?["done"] == 1, "\(read.text)")
    }

    @Test func `the text of the audience and the stored wish name nobody`() throws {
        let house = try House()
        for name in ["alice", "yan"] { _ = try house.actor(name) }
        let scope = try BroadcastScope(
            [.followers(topic("person:1"))], users: [user("yan")], except: [.user(user("alice"))])
        let time = house.now.adding(milliseconds: 3_600_000)
        try house.write(SendBroadcast(order(scope, at: time), key: nil), by: "admin")
        let stored = try house.look { try #require(try $0.broadcasts.find(1)) }
        #expect(stored.audience == "person:1, 1 person, except 1 person")
        #expect(stored.wanted?.contains("yan") == false && stored.wanted?.contains("alice") == false)
    }
}
