import ClientProtocol
import Execution
import JSON
import Model
import Notifying
import Services
import ServicesTestSupport
import Store
import Testing

struct SessionTests {
    @Test func `a session starts with the user's counts, topics and the log's head`() throws {
        let house = try House()
        try house.follow("alice", "person:1")
        try house.broadcast("person:1")
        let start = try house.look { try #require(try SessionStart(of: user("alice"), in: $0)) }
        #expect(start.head == house.head)
        #expect(start.counts == UnreadCounts(chats: 0, notifications: 1))
        #expect(start.streams.count == 1)
        #expect(try house.look { try SessionStart(of: user("nobody"), in: $0) } == nil)
    }

    @Test func `registering again keeps the user and takes the new language`() throws {
        let house = try House()
        let first = try house.entry("alice")
        try house.broadcast("everyone")
        try house.write(RegisterUser(user("alice"), deviceLanguage: LanguageTag("it")), by: "server")
        try house.write(RegisterUser(user("alice"), deviceLanguage: nil), by: "server")
        let again = try house.entry("alice")
        #expect(again.id == first.id)
        #expect(again.since == first.since)
        #expect(again.deviceLanguage?.text == "it")
    }

    @Test func `acknowledging tells senders what was delivered, once, and never moves back`() throws {
        let house = try House()
        let alice = try house.connect("alice")
        try house.follow("alice", "user:bob")
        try house.send("alice", "bob")
        let middle = try #require(try house.send("alice", "bob").seq)
        try house.send("alice", "bob")
        try house.send("bob", "alice")
        alice.forget()
        func acknowledge(_ position: Int64) throws {
            try house.write(AcknowledgePosition(Position(position)), by: "bob")
        }
        try acknowledge(middle)
        #expect(alice.types == ["delivered"])
        #expect(alice.events[0].n == 2)
        #expect(alice.events[0]["user"] == "bob")
        try acknowledge(middle - 1)
        try acknowledge(middle)
        #expect(alice.received.count == 1)
        try acknowledge(.max)
        #expect(alice.events.compactMap(\.n) == [2, 3])
        #expect(try house.entry("bob").acknowledged <= house.head)
        try house.send("alice", "bob")
        try acknowledge(house.head.value)
        #expect(alice.events.filter { $0["type"] == "delivered" }.compactMap(\.n) == [2, 3, 5])
    }

    @Test func `presence is seen by people who share a chat or follow each other`() throws {
        let house = try House()
        for name in ["mutual", "chatting", "followed", "follower", "stranger"] { _ = try house.actor(name) }
        try house.follow("alice", "user:mutual")
        try house.follow("mutual", "user:alice")
        try house.follow("alice", "user:followed")
        try house.follow("follower", "user:alice")
        try house.follow("chatting", "user:alice")
        try house.send("chatting", "alice")
        let wanted = try ["stranger", "mutual", "nobody", "follower", "chatting", "followed"].map(user)
        let alice = try house.entry("alice")
        let visible = try house.look { try VisiblePeople.visible(wanted, to: alice, in: $0) }
        #expect(visible.map(\.1.text) == ["mutual", "chatting"])
        try house.follow("mutual", "user:alice", isOn: false)
        #expect(try house.look { try VisiblePeople.visible([user("mutual")], to: alice, in: $0) }.isEmpty)
    }

    @Test func `typing goes to the other member, and only from a member`() throws {
        let house = try House()
        try house.follow("alice", "user:bob")
        try house.send("alice", "bob")
        let (alice, bob, eve) = (try house.entry("alice"), try house.entry("bob"), try house.entry("eve"))
        func audience(_ user: UserEntry) throws -> [StreamID] {
            try house.look { try TypingAudience.members(of: chat("alice:bob"), besides: user, at: house.now, in: $0) }
        }
        #expect(try audience(alice) == [bob.id])
        #expect(try audience(bob) == [alice.id])
        #expect(try #require(throws: Refusal.self) { _ = try audience(eve) }.code == .forbidden)
    }

    @Test func `a user who resumes from elsewhere, or from too far, begins again`() throws {
        let house = try House()
        let alice = try house.entry("alice")
        func reason(_ position: Int64) throws -> Event.ResetReason? {
            let point = ResumePoint(epoch: house.writer.epoch, seq: Position(position))
            let resumption = try house.look {
                try Resumption(of: alice, since: point, epoch: house.writer.epoch, deviceLanguage: nil, in: $0)
            }
            if case .reset(let reason) = resumption { return reason }
            return nil
        }
        #expect(try reason(1) == .epoch, "beyond the head")
        #expect(try reason(0) == nil)
        _ = try house.writer.commit(Array(0..<Limits.resumeEventsMax)) { _, transaction in
            _ = try transaction.append(EncodedEvent(.message, json: Array("{}".utf8)), to: alice.id)
        } refuse: { _ in
            Issue.record("append failed")
        }
        #expect(try reason(0) == nil)
        try house.broadcast("everyone")
        #expect(try reason(0) == .tooFar)
        #expect(try reason(1) == nil)
        #expect(try reason(house.head.value) == nil)
    }

    @Test func `a command that only a user may send is refused to others`() throws {
        let house = try House()
        for refused in [
            try house.refusal { try house.write(MarkSeen(.upTo(.zero)), by: "admin") },
            try house.refusal { try house.write(ChangePreferences([:]), by: "server") },
            try house.refusal { try house.notifications("admin") },
            try house.refusal { try house.read(ReadPreferences(), by: "admin") },
        ] {
            #expect(refused.code == .forbidden)
        }
    }

    @Test func `a refusal is answered as it is, any other error as internal, to be repeated`() {
        let refusal = Refusal(.conflict, "no")
        #expect(StateMachine.refusal(for: refusal) == refusal)
        let told = StateMachine.refusal(for: StoredValueProblem(place: "secrets"))
        #expect(told.code == .internal)
        #expect(!told.message.contains("secrets"))
    }
}
