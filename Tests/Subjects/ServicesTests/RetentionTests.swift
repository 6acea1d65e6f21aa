import Execution
import JSON
import Model
import Notifying
import Services
import ServicesTestSupport
import Store
import Testing

/// Messages and notifications go when they have been kept long enough, and nothing is left that says otherwise.
struct RetentionTests {
    private static let kept: Int64 = 1000

    private func grow(older house: House) { house.now = house.now.adding(milliseconds: Self.kept) }

    /// Does one step.
    private func sweepMessages(_ house: House) throws -> AnswerFact {
        try house.fact(of: SweepMessages(keptMilliseconds: Self.kept), by: "server")
    }

    private func sweepNotifications(_ house: House) throws -> AnswerFact {
        try house.fact(of: SweepNotifications(keptMilliseconds: Self.kept), by: "server")
    }

    private func numbers(_ house: House, _ name: String, _ chat: String) throws -> [JSONValue] {
        try house.history(name, chat)["messages"]?.arrayValue ?? []
    }

    @Test func `old messages of a pair go for everybody, with reactions, counts and their entries in the search`()
        throws
    {
        let house = try House.filmNetwork()
        try house.follow("alice", "user:bob")
        try house.recommend("alice", "bob", note: "oldword")
        try house.send("alice", "alice:bob", "oldword two")
        try house.react("bob", "alice:bob", 1, "👍")
        let (alice, bob) = (try house.connect("alice"), try house.connect("bob"))
        let from = house.head
        try house.index()
        #expect(try house.search("bob", "oldword")["messages"]?.arrayValue?.count == 2)
        #expect(try house.counts("bob").chats == 1)
        grow(older: house)
        try house.send("alice", "alice:bob", "young")
        #expect(try sweepMessages(house) == .deleted(rows: 2, isMore: false))
        for session in [alice, bob] {
            let gone = session.events.filter { $0["type"] == "message.deleted" }
            #expect(gone.map { $0["n"] } == [1, 2] && gone.allSatisfy { $0["reason"] == "expired" })
            #expect(gone.allSatisfy { $0["user"] == nil })
        }
        let listed = try numbers(house, "bob", "alice:bob")
        #expect(listed.map { $0["n"] } == [1, 2, 3] && listed.map { $0["deleted"] } == [true, true, nil])
        #expect(listed.allSatisfy { $0["reactions"] == nil && $0["at"] != nil })
        #expect(!JSONValue.array(listed).text.contains("oldword") && !JSONValue.array(listed).text.contains("Matrix"))
        #expect(try house.counts("bob").chats == 1, "the young one is unread")
        try house.index()
        #expect(try house.search("bob", "oldword")["messages"] == [])
        #expect(try house.search("bob", "young")["messages"]?.arrayValue?.count == 1)
        // Somebody who comes with an older cursor gets the same, and none of the words.
        try house.checkAgreement("bob", after: from)
        try house.checkAgreement("alice", after: from)
        let user = try house.entry("bob")
        let page = try house.look {
            try LogPage(of: user, after: .zero, deviceLanguage: nil, limit: 500, in: $0)
        }
        #expect(!page.events.contains { String(decoding: $0.bytes, as: UTF8.self).contains("oldword") })
        grow(older: house)
        #expect(try sweepMessages(house) == .deleted(rows: 1, isMore: false))
        #expect(try house.counts("bob").chats == 0, "what is gone is not unread")
        #expect(bob.counts.chats == 0)
    }

    @Test func `a room's unread count leaves them out, and an empty room is no obstacle`() throws {
        let house = try House()
        let room = try house.room("alice", ["bob", "carol"])
        for number in 1...3 { try house.send("alice", room, "old \(number)") }
        let bob = try house.connect("bob")
        #expect(try house.chatLine("bob", room)?["unread"] == 3)
        let empty = try house.room("carol")
        try house.send("carol", empty, "old")
        try house.leave("carol", empty)
        grow(older: house)
        try house.send("alice", room, "young")
        #expect(try sweepMessages(house) == .deleted(rows: 4, isMore: false))
        #expect(try house.chatLine("bob", room)?["unread"] == 1)
        grow(older: house)
        #expect(try sweepMessages(house) == .deleted(rows: 1, isMore: false))
        #expect(try house.chatLine("bob", room)?["unread"] == 0)
        #expect(try house.counts("bob").chats == 0 && bob.counts.chats == 0)
        try house.send("alice", room, "newest")
        #expect(try house.counts("bob").chats == 1 && bob.counts.chats == 1)
    }

    @Test func `a step takes no more than it may, the next one goes on, and a pass begins again after a pause`() throws
    {
        let house = try House()
        try house.follow("alice", "user:bob")
        for number in 1...70 { try house.send("alice", "bob", "old \(number)") }
        for name in ["carol", "dora"] { try house.send("alice", house.room("alice", [name]), "old") }
        grow(older: house)
        #expect(try sweepMessages(house) == .deleted(rows: 50, isMore: true))
        #expect(try house.look { try $0.messages.sweep().due(keptMilliseconds: Self.kept) } < house.now)
        #expect(try sweepMessages(house) == .deleted(rows: 22, isMore: false))
        let sweep = try house.look { try $0.messages.sweep() }
        #expect(sweep.chat == 0 && sweep.oldest == nil && sweep.ended == house.now)
        let pause = MessageSweep.pause(keptMilliseconds: Self.kept)
        #expect(sweep.due(keptMilliseconds: Self.kept) == house.now.adding(milliseconds: pause))
        try house.send("alice", "bob", "young")
        #expect(try sweepMessages(house) == .deleted(rows: 0, isMore: false))
        #expect(try house.look { try $0.messages.sweep().oldest } == house.now)
    }

    @Test func `old notifications expire for everybody, whether in an inbox or with a topic, and counts are right`()
        throws
    {
        let house = try House.filmNetwork()
        try house.follow("bob", "t:newest")
        let bob = try house.connect("bob")
        let from = house.head
        try house.write(SendBroadcast(house.order("user:bob", "one"), key: nil), by: "admin")
        try house.write(SendBroadcast(house.order("t:newest", "two"), key: nil), by: "admin")
        try house.write(SendBroadcast(house.order("everyone", "three"), key: nil), by: "admin")
        #expect(try house.counts("bob").notifications == 3)
        grow(older: house)
        try house.write(SendBroadcast(house.order("user:bob", "young"), key: nil), by: "admin")
        #expect(try sweepNotifications(house) == .deleted(rows: 3, isMore: false))
        let removed = bob.events.filter { $0["type"] == "notification.removed" }
        #expect(removed.count == 3 && removed.allSatisfy { $0["reason"] == "expired" })
        #expect(try house.notifications("bob")["notifications"]?.arrayValue?.map { $0["title"] } == ["young"])
        #expect(try house.counts("bob").notifications == 1 && bob.counts.notifications == 1)
        try house.checkAgreement("bob", after: from)
        #expect(try sweepNotifications(house) == .deleted(rows: 0, isMore: false))
        #expect(try house.look { try $0.notifications.oldestTime() } == house.now)
        grow(older: house)
        #expect(try sweepNotifications(house) == .deleted(rows: 1, isMore: false))
        #expect(try house.look { try $0.notifications.oldestTime() } == nil)
        // Their rows go with the log.
        grow(older: house)
        try house.trim(keeping: 1)
        #expect(try house.counts("bob").notifications == 0)
    }
}
