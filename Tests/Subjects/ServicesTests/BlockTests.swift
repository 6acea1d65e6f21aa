import Execution
import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

@testable import ClientProtocol

/// `block` and `unblock`: what neither of the two can do any more, what nobody hears of, and what stays.
struct BlockTests {
    /// alice and bob follow each other and talk; bob blocks alice.
    private static func apart(_ rows: [JSONValue] = []) throws -> House {
        let house = try House(triggers: rows)
        try house.follow("alice", "user:bob")
        try house.follow("bob", "user:alice")
        try house.recommend("alice", "bob", note: "watch it")
        try house.send("bob", "alice:bob", "later")
        try house.block("bob", "alice")
        return house
    }

    @Test func `neither writes to the other, by chat or by name, and both get the same refusal`() throws {
        let house = try Self.apart()
        for (name, other) in [("alice", "bob"), ("bob", "alice")] {
            let refused = [
                (try house.refusal { try house.send(name, "alice:bob") }, "chat"),
                (try house.refusal { try house.send(name, other) }, "to"),
                (try house.refusal { try house.recommend(name, other) }, "to"),
                (try house.refusal { try house.react(name, "alice:bob", 1, "👍") }, "chat"),
                (try house.refusal { try house.edit(name, "alice:bob", name == "alice" ? 1 : 2, "x") }, "chat"),
            ]
            for (refusal, field) in refused {
                #expect(refusal.code == .blocked && refusal.field == field, "\(name)")
                #expect(refusal.message == "one of you has blocked the other")
            }
            let user = try house.entry(name)
            #expect(
                try #require(throws: Refusal.self) {
                    try house.look {
                        _ = try TypingAudience.members(of: chat("alice:bob"), besides: user, at: house.now, in: $0)
                    }
                }.code == .blocked)
        }
    }

    @Test func `messages from before a block can be read, marked as read and deleted, and counts stay right`() throws {
        let house = try Self.apart()
        #expect(try house.counts("bob").chats == 1)
        #expect(try house.counts("alice").chats == 1)
        #expect(try house.history("alice", "alice:bob")["messages"]?.arrayValue?.count == 2)
        try house.markRead("alice", "alice:bob", 2)
        #expect(try house.counts("alice").chats == 0)
        try house.delete("alice", "alice:bob", 1)
        #expect(try house.counts("bob").chats == 0)
        #expect(try house.chats("bob")["chats"]?.arrayValue?.count == 1)
    }

    @Test func `the other's follow ends, with the counts, and cannot begin; one's own stays`() throws {
        let house = try Self.apart()
        #expect(try house.read(ListFollowing(FollowingCommand()), by: "alice")["topics"] == [])
        #expect(try house.read(ListFollowers(FollowersCommand()), by: "bob")["count"] == 0)
        #expect(try house.read(ListFollowing(FollowingCommand()), by: "bob")["topics"] == ["user:alice"])
        let refused = try house.refusal { try house.follow("alice", "user:bob") }
        #expect(refused.code == .blocked && refused.field == "topic")
        #expect(
            try house.refusal { try house.put("users/bob/followers/alice", [:]) }.code == .blocked,
            "an administrator cannot either")
    }

    @Test func `only one's own devices hear of it; a repetition is no error and keeps its place`() throws {
        let house = try House()
        let (alice, bob) = (try house.connect("alice"), try house.connect("bob"))
        let first = try house.block("bob", "alice", key: "b1")
        #expect(bob.events.map { $0["type"] } == ["blocked"])
        #expect(bob.events[0]["user"] == "alice" && bob.events[0]["key"] == "b1")
        #expect(bob.events[0]["seq"] == first["seq"])
        #expect(try house.block("bob", "alice", key: "b1") == first)
        #expect(try house.block("bob", "alice")["seq"] == first["seq"])
        try house.block("bob", "alice", isOn: false)
        #expect(try house.block("bob", "alice", isOn: false)["seq"]?.integerValue == house.head.value)
        #expect(bob.events.map { $0["type"] } == ["blocked", "unblocked"])
        #expect(alice.events.isEmpty)
    }

    @Test func `some people who never came are blocked in a day, and the blocks stand when they come`() throws {
        let house = try House()
        for name in ["alice", "bob"] { _ = try house.actor(name) }
        let users = try house.look { try $0.users.count() }
        for number in 1...ModerationLimits.newNamesPerDay { try house.block("alice", "invented.\(number)") }
        let refusal = try house.refusal { try house.block("alice", "invented.21") }
        #expect(refusal.code == .rateLimited && refusal.message.contains("20/1d of new-name"), "\(refusal)")
        // A known person does not count, and neither does the end of a block that never was.
        try house.block("alice", "bob")
        try house.block("alice", "invented.22", isOn: false)
        #expect(try house.look { try $0.users.count() } == users + ModerationLimits.newNamesPerDay)
        let (alice, first) = (try house.entry("alice").id, try house.entry("invented.1").id)
        #expect(try house.look { try $0.blocks.since(first, by: alice) } != nil)
        house.now = house.now.adding(milliseconds: 86_400_000)
        try house.block("alice", "invented.21")
    }

    @Test func `the first message to people who never came counts in the same number`() throws {
        let house = try House(limits: PersonLimits(["new-name": "2/1d"]))
        for name in ["alice", "bob"] { _ = try house.actor(name) }
        for name in ["bob", "one", "two", "three"] { try house.follow("alice", "user:\(name)") }
        try house.block("alice", "invented")
        for name in ["bob", "one"] { try house.send("alice", name) }
        #expect(try house.refusal { try house.send("alice", "two") }.code == .rateLimited)
        #expect(try house.refusal { try house.recommend("alice", "three") }.code == .rateLimited)
        #expect(try house.look { try $0.users.number(of: try user("two")) } == nil)
    }

    @Test func `blocks lists them in pages; oneself cannot be blocked; somebody unknown can`() throws {
        let house = try House()
        for other in ["carol", "dave", "erin"] { try house.block("bob", other) }
        let first = try house.read(ListBlocks(BlocksCommand(limit: 2)), by: "bob")
        #expect(first["users"] == ["carol", "dave"] && first["count"] == 3)
        let next = try #require(first["next"]?.stringValue)
        #expect(try house.read(ListBlocks(BlocksCommand(after: next, limit: 2)), by: "bob")["users"] == ["erin"])
        #expect(try house.read(ListBlocks(BlocksCommand()), by: "carol")["users"] == [])
        #expect(try house.refusal { try house.block("bob", "bob") }.field == "user")
        #expect(try house.block("bob", "nobody", isOn: false)["seq"]?.integerValue == house.head.value)
    }

    @Test func `a blocked person does not see one's followers, and all others do`() throws {
        let house = try Self.apart()
        let ofBob = ListFollowers(FollowersCommand(topic: try topic("user:bob")))
        let refusal = try house.refusal { try house.read(ofBob, by: "alice") }
        #expect(refusal.code == .blocked && refusal.field == "topic")
        #expect(try house.read(ofBob, by: "carol")["count"] == 0)
        let ofAlice = ListFollowers(FollowersCommand(topic: try topic("user:alice")))
        #expect(try house.read(ofAlice, by: "bob")["users"] == ["bob"])
        try house.block("bob", "alice", isOn: false)
        #expect(try house.read(ofBob, by: "alice")["count"] == 0)
    }

    @Test func `all is as before when the block ends, but the follow`() throws {
        let house = try Self.apart()
        try house.block("bob", "alice", isOn: false)
        #expect(try house.send("alice", "alice:bob").n == 3)
        #expect(try house.recommend("bob", "alice").n == 4)
        #expect(try house.read(ListFollowers(FollowersCommand()), by: "bob")["count"] == 0)
        try house.follow("alice", "user:bob")
    }

    @Test func `while the other still blocks, one's own unblocking opens nothing`() throws {
        let house = try Self.apart()
        try house.block("alice", "bob")
        try house.block("bob", "alice", isOn: false)
        #expect(try house.refusal { try house.send("bob", "alice:bob") }.code == .blocked)
    }

    @Test func `presence is hidden both ways`() throws {
        let house = try Self.apart()
        for (name, other) in [("alice", "bob"), ("bob", "alice")] {
            let entry = try house.entry(name)
            #expect(try house.look { try VisiblePeople.visible([user(other)], to: entry, in: $0) }.isEmpty)
        }
        let steps = house.commits.last?.compactMap { step -> Bool? in
            if case .change(.blocked(_, by: _, isOn: let isOn)) = step { isOn } else { nil }
        }
        #expect(steps == [true], "the sessions of all nodes are told apart")
    }

    // MARK: Triggers

    private static func row(_ audience: JSONValue) -> JSONValue {
        [
            "name": "review", "event": "create", "path": "reviews/{review}", "audience": audience,
            "title": "{{after.text}}",
        ]
    }

    @Test(arguments: ["user:bob", ["user:bob", "user:carol"]] as [JSONValue])
    func `a trigger skips users who block the writer, and explain says so`(_ audience: JSONValue) throws {
        let house = try House(triggers: [Self.row(audience)])
        try house.openReviews()
        _ = try house.actor("carol")
        try house.block("bob", "alice")
        try house.review("alice", "r1")
        try house.review("carol", "r2")
        #expect(try house.notifications("bob")["notifications"]?.arrayValue?.map { $0["title"] } == ["r2"])
        let explained = try house.read(
            ExplainPath(path: "reviews/r1", user: "bob", seq: nil, limit: nil), by: "admin")
        let trigger = explained["changes"]?.arrayValue?.first?["triggers"]?.arrayValue?.first
        #expect(trigger?["reason"] == "blocked" && trigger?["sent"] == false)
        #expect(trigger?["says"]?.stringValue?.contains("blocked: bob blocks the writer") == true)
    }

    @Test(arguments: ["followers:person:525", "everyone", ["followers:person:525", "user:dave"]] as [JSONValue])
    func `a notification to many is not for users who block the writer: live, in lists, in counts, on resume`(
        _ audience: JSONValue
    ) throws {
        let house = try House(triggers: [Self.row(audience)])
        try house.openReviews()
        for name in ["alice", "bob", "carol"] { try house.follow(name, "person:525") }
        try house.block("bob", "alice")
        let sessions = try ["bob", "carol"].map { try house.connect($0) }
        let before = house.head
        try house.review("alice", "r1")
        let live = sessions.map { $0.events.filter { $0["type"] == "notification" }.count }
        #expect(live == [0, 1])
        #expect(sessions.map { $0.counts.notifications } == [0, 1])
        for (name, count) in [("bob", 0), ("carol", 1)] {
            #expect(try house.notifications(name)["notifications"]?.arrayValue?.count == count, "\(name)")
            #expect(try house.counts(name).notifications == Int64(count), "\(name)")
            let entry = try house.entry(name)
            let page = try house.look {
                try LogPage(
                    of: entry, after: before, deviceLanguage: nil, limit: 10, in: $0)
            }
            #expect(page.events.count == count, "\(name)")
        }
        let id = try #require(try house.notifications("carol")["notifications"]?.arrayValue?.first?["id"]?.stringValue)
        let explained = try house.read(ExplainNotification(id: id, user: user("bob")), by: "admin")
        let step = explained["trail"]?.arrayValue?.first { $0["step"] == "audience" }
        #expect(step?["reason"] == "blocked" && step?["holds"] == false)
    }

    @Test func `a scheduled notification remembers its writer`() throws {
        var row = try #require(Self.row("user:bob").objectValue)
        row["at"] = "after->>'at'"
        let house = try House(triggers: [.object(row)])
        try house.openReviews()
        let due = house.now.adding(milliseconds: 60_000)
        for name in ["alice", "carol"] {
            try house.review(name, name, at: due)
        }
        try house.block("bob", "alice")
        house.now = due
        try house.write(FireDueTriggers(), by: "server")
        #expect(try house.notifications("bob")["notifications"]?.arrayValue?.map { $0["title"] } == ["carol"])
    }
}
