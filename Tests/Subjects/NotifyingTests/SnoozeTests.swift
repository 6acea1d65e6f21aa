import JSON
import Model
import Notifying
import ServicesTestSupport
import Store
import Testing

@testable import ClientProtocol

struct SnoozeTests {
    private let house: House

    init() throws {
        house = try House()
        for name in ["alice", "bob"] { _ = try house.actor(name) }
    }

    private func id(_ name: String = "alice") throws -> String {
        try #require(try house.notifications(name).texts("notifications", "id").first)
    }

    @discardableResult
    private func snooze(_ ids: [String], forMilliseconds span: Int64 = 60_000) throws -> JSONValue {
        let command = SnoozeCommand(ids: ids, until: house.now.adding(milliseconds: span))
        return try house.write(SnoozeNotifications(command), by: "alice")
    }

    private func pass(milliseconds: Int64) throws {
        house.now = house.now.adding(milliseconds: milliseconds)
        try house.write(DeliverDue(), by: "server")
    }

    @Test(arguments: ["user:alice", "person:1"])
    func `a snoozed notification goes from every device, and comes back once, unread and new`(audience: String) throws {
        try house.follow("alice", "person:1")
        // The user chose the time, so it interrupts whatever the preferences say.
        try house.write(ChangePreferences(["levels": ["time-sensitive"]]), by: "alice")
        let alice = try house.connect("alice")
        try house.broadcast(audience, "later")
        let id = try id()
        let ok = try snooze([id])
        #expect(ok["unread"] == 0)
        let removed = try #require(alice.events.last)
        #expect(
            removed == [
                "seq": ok["seq"] ?? .null, "type": "notification.removed", "id": .string(id), "reason": "snoozed",
            ])
        #expect(alice.counts.notifications == 0)
        try pass(milliseconds: 59_999)
        #expect(alice.events.last == removed)
        try pass(milliseconds: 1)
        try pass(milliseconds: 1)
        let back = try #require(alice.events.last)
        #expect(alice.events.count == 3)
        #expect(back["title"] == "later")
        #expect(back["id"] != .string(id))
        #expect(back["alert"] == nil)
        #expect(back["topic"] == (audience == "user:alice" ? "user:alice" : "person:1"))
        #expect(alice.counts.notifications == 1)
        #expect(try house.counts("alice") == alice.counts)
        #expect(try house.notifications("alice", isUnreadOnly: true).texts("notifications", "id").count == 1)
    }

    @Test func `a topic's stays with all others`() throws {
        for name in ["alice", "bob"] { try house.follow(name, "person:1") }
        let bob = try house.connect("bob")
        try house.broadcast("person:1")
        try snooze([try id()])
        #expect(bob.types == ["notification"])
        #expect(try house.counts("bob").notifications == 1)
        #expect(try house.counts("alice").notifications == 0)
    }

    @Test func `a notification that is snoozed again comes later, and one that is seen does not come back`() throws {
        let alice = try house.connect("alice")
        try house.broadcast("user:alice")
        let id = try id()
        try snooze([id], forMilliseconds: 1000)
        try snooze([id], forMilliseconds: 5000)
        try pass(milliseconds: 4000)
        #expect(alice.types == ["notification", "notification.removed"])
        try pass(milliseconds: 1000)
        #expect(alice.types.count == 3)
        let second = try self.id()
        try snooze([second], forMilliseconds: 1000)
        try house.seen("alice", ids: [second])
        try pass(milliseconds: 2000)
        #expect(alice.types.count == 4)
        #expect(try house.look { try $0.snoozes.nextDue() } == nil)
    }

    @Test func `a notification that is taken back, replaced or over meanwhile does not come back`() throws {
        try house.follow("alice", "person:1")
        let alice = try house.connect("alice")
        for audience in ["user:alice", "person:1"] {
            let broadcast = try house.broadcast(audience)
            try snooze([try id()])
            let number = try #require(broadcast["id"]?.stringValue.flatMap { Int64($0) })
            try house.write(CancelBroadcast(id: number), by: "admin")
            try house.broadcast(audience, "old", collapse: "c")
            try snooze([try id()])
            try house.broadcast(audience, "new", collapse: "c")
            try house.broadcast(audience, expires: house.now.adding(milliseconds: 60_000))
            try snooze([try id()])
        }
        let before = alice.events.count
        try pass(milliseconds: 60_000)
        #expect(alice.events.count == before)
        #expect(try house.look { try $0.snoozes.count(of: alice.user) } == 0)
    }

    @Test func `a notification that came back still belongs to its trigger and its document`() throws {
        try house.put(trigger: [
            "name": "task", "event": "create", "path": "tasks/{task}", "audience": "user:alice", "title": "Due",
        ])
        let alice = try house.connect("alice")
        try house.put("tasks/1", [:])
        try snooze([try id()])
        #expect(try house.look { try $0.notifications.live(from: "tasks/1") }.isEmpty)
        try pass(milliseconds: 60_000)
        #expect(alice.events.last?["title"] == "Due")
        let live = try house.look { try $0.notifications.live(from: "tasks/1", by: "task") }
        #expect(live.map(\.id) == [try id()])
        try snooze([try id()])
        _ = try house.writer.commit(["tasks/1"]) { path, transaction in
            try transaction.snoozes.cancel(from: path, by: "task")
        } refuse: {
            Issue.record($0)
        }
        try pass(milliseconds: 60_000)
        #expect(alice.types.last == "notification.removed")
    }

    @Test(arguments: ["user:alice", "person:1", "everyone"])
    func `a copy that came back of a broadcast goes when that is cancelled`(audience: String) throws {
        try house.follow("alice", "person:1")
        let alice = try house.connect("alice")
        let broadcast = try house.broadcast(audience)
        let number = try #require(broadcast["id"]?.stringValue.flatMap { Int64($0) })
        try snooze([try id()])
        try pass(milliseconds: 60_000)
        let copy = try id()
        try house.write(CancelBroadcast(id: number), by: "admin")
        #expect(alice.events.contains { $0["id"] == .string(copy) && $0["reason"] == "retracted" })
        #expect(try house.notifications("alice")["notifications"] == [])
        #expect(try house.counts("alice").notifications == 0)
    }

    @Test(arguments: [false, true])
    func `the copy of a topic's notification goes when that is replaced, even if the copy is snoozed again`(
        isPutOffAgain: Bool
    ) throws {
        try house.put(trigger: [
            "name": "talk", "event": "write", "path": "talks/{talk}", "audience": "followers:person:1",
            "title": "{{after.title}}", "collapse": "talk:{{talk}}",
        ])
        try house.follow("alice", "person:1")
        let alice = try house.connect("alice")
        try house.put("talks/1", ["title": "old"])
        try snooze([try id()])
        try pass(milliseconds: 60_000)
        #expect(try house.counts("alice").notifications == 1)
        if isPutOffAgain { try snooze([try id()]) }
        try house.put("talks/1", ["title": "new"])
        try pass(milliseconds: 60_000)
        #expect(try house.notifications("alice").texts("notifications", "title") == ["new"])
        #expect(try house.counts("alice").notifications == 1)
        #expect(alice.counts == (try house.counts("alice")))
    }

    @Test func `reading a chat ends the reader's snoozes up to there, and nobody else's`() throws {
        try house.put(trigger: [
            "name": "message", "event": "create", "path": "chats/{chat}/messages/{n}", "audience": "chat:{chat}",
            "title": "{{after.text}}",
        ])
        try house.follow("alice", "user:bob")
        try house.follow("bob", "user:alice")
        for number in 1...10 { try house.send("bob", "alice", "m\(number)") }
        let ids = try house.notifications("alice").texts("notifications", "id")
        try snooze(ids)
        let bobs = try house.notifications("bob").texts("notifications", "id")
        let command = SnoozeCommand(ids: bobs, until: house.now.adding(milliseconds: 60_000))
        try house.write(SnoozeNotifications(command), by: "bob")
        try house.markRead("alice", "alice:bob", 9)
        let bob = try house.entry("bob").id
        let alice = try house.entry("alice").id
        #expect(try house.look { try $0.snoozes.count(of: bob) } == bobs.count)
        #expect(try house.look { try $0.snoozes.count(of: alice) } == ids.count - 9)
    }

    @Test func `the log may be trimmed meanwhile`() throws {
        let alice = try house.connect("alice")
        try house.broadcast("user:alice", "kept")
        try snooze([try id()], forMilliseconds: 86_400_000)
        house.now = house.now.adding(milliseconds: 7_200_000)
        try house.trim(keeping: 1000)
        house.now = house.now.adding(milliseconds: 7_200_000)
        try house.broadcast("user:alice")
        try house.trim(keeping: 1000)
        try pass(milliseconds: 86_400_000)
        #expect(alice.events.last?["title"] == "kept")
    }

    @Test(arguments: [0, -1, 367 * 86_400_000] as [Int64])
    func `a time that is past, or too far, is refused`(span: Int64) throws {
        try house.broadcast("user:alice")
        let id = try id()
        let refused = try house.refusal { try snooze([id], forMilliseconds: span) }
        #expect(refused.code == .badRequest)
        #expect(refused.field == "until")
    }

    @Test func `an unknown notification, or another user's, is refused by its place`() throws {
        try house.broadcast("user:alice")
        try house.broadcast("user:bob")
        let refused = try house.refusal { try snooze([try id(), try id("bob")]) }
        #expect(refused.code == .notFound)
        #expect(refused.field == "ids[1]")
    }
}
