import JSON
import Model
import Notifying
import ServicesTestSupport
import Store
import Testing

@testable import ClientProtocol

/// Notifications that a person puts away for good.
struct ArchiveTests {
    private let house: House

    init() throws {
        house = try House()
        for name in ["alice", "bob"] { _ = try house.actor(name) }
        try house.follow("alice", "person:1")
    }

    private func ids(_ name: String = "alice") throws -> [String] {
        try house.notifications(name).texts("notifications", "id")
    }

    private func id(_ name: String = "alice") throws -> String { try #require(try ids(name).first) }

    @discardableResult
    private func archive(_ ids: [String], by name: String = "alice", key: String? = nil) throws -> JSONValue {
        try house.write(ArchiveNotifications(ids, key: try key.map(writeKey)), by: name)
    }

    private func snooze(_ ids: [String]) throws {
        let command = SnoozeCommand(ids: ids, until: house.now.adding(milliseconds: 60_000))
        try house.write(SnoozeNotifications(command), by: "alice")
    }

    private func pass(milliseconds: Int64 = 60_000) throws {
        house.now = house.now.adding(milliseconds: milliseconds)
        try house.write(DeliverDue(), by: "server")
    }

    private func isArchived(_ id: String, by name: String = "alice") throws -> Bool {
        let position = try #require(NotificationEntry.position(ofID: id))
        let user = try house.entry(name).id
        return try house.look { try $0.archived.contains(position, of: user) }
    }

    @Test(arguments: ["user:alice", "person:1", "everyone"], [false, true])
    func `an archived notification goes from every device, from the lists and from the counts`(
        audience: String, isSeen: Bool
    ) throws {
        let alice = try house.connect("alice")
        let start = house.head
        try house.broadcast(audience, "kept")
        try house.broadcast(audience, "away")
        let id = try id()
        if isSeen { try house.seen("alice", ids: [id]) }
        let ok = try archive([id])
        #expect(ok == ["unread": 1, "seq": .integer(house.head.value)])
        #expect(
            alice.events.last == [
                "seq": ok["seq"] ?? .null, "type": "notification.removed", "id": .string(id), "reason": "archived",
            ])
        #expect(try house.notifications("alice").texts("notifications", "title") == ["kept"])
        #expect(alice.counts.notifications == 1)
        #expect(try house.counts("alice") == alice.counts)
        let read = ReadNotification(NotificationCommand(notification: id), deviceLanguage: nil)
        #expect(try house.refusal { try house.read(read, by: "alice") }.code == .notFound)
        try house.checkAgreement("alice", after: start)
    }

    @Test func `a topic's stays with the others, and each can archive it`() throws {
        try house.follow("bob", "person:1")
        let bob = try house.connect("bob")
        try house.broadcast("person:1")
        let id = try id()
        try archive([id])
        #expect(bob.types == ["notification"])
        #expect(try ids("bob") == [id])
        #expect(try house.counts("bob").notifications == 1)
        try archive([id], by: "bob")
        #expect(bob.types == ["notification", "notification.removed"])
        #expect(try house.counts("bob").notifications == 0)
        #expect(try ids("bob").isEmpty)
    }

    @Test(arguments: ["user:alice", "person:1"])
    func `a repetition changes nothing, with and without a key`(audience: String) throws {
        let alice = try house.connect("alice")
        for _ in 1...2 { try house.broadcast(audience) }
        let (first, second) = (try id(), try #require(try ids().last))
        let ok = try archive([first, first], key: "k1")
        let events = alice.events.count
        #expect(try archive([first]) == ok)
        try archive([second])
        #expect(try archive([first, first], key: "k1") == ok)
        #expect(alice.events.count == events + 1)
        #expect(try house.refusal { try archive([second], key: "k1") }.code == .keyReused)
    }

    @Test func `everything up to a position that is seen leaves archived ones away`() throws {
        for _ in 1...3 { try house.broadcast("person:1") }
        let all = try ids()
        try archive([all[1]])
        try house.seen("alice", upTo: house.head.value)
        #expect(try ids() == [all[0], all[2]])
        #expect(try house.counts("alice").notifications == 0)
        #expect(try isArchived(all[1]))
    }

    @Test(arguments: ["user:alice", "person:1"])
    func `a snoozed one is archived, and does not come back`(audience: String) throws {
        let alice = try house.connect("alice")
        try house.broadcast(audience)
        let id = try id()
        try snooze([id])
        #expect(try archive([id])["unread"] == 0)
        #expect(alice.events.map { $0["reason"] } == [nil, "snoozed", "archived"])
        try archive([id])
        try pass()
        #expect(alice.events.count == 3)
        #expect(try ids().isEmpty)
        #expect(try house.counts("alice").notifications == 0)
        #expect(alice.counts.notifications == 0)
        #expect(try house.look { try $0.snoozes.nextDue() } == nil)
        let command = SnoozeCommand(ids: [id], until: house.now.adding(milliseconds: 60_000))
        #expect(
            try house.refusal { try house.write(SnoozeNotifications(command), by: "alice") }.field == "ids[0]")
    }

    @Test(arguments: ["user:alice", "person:1"])
    func `a copy that came back is archived by itself`(audience: String) throws {
        try house.broadcast(audience)
        try snooze([try id()])
        try pass()
        try archive([try id()])
        #expect(try house.counts("alice").notifications == 0)
        try pass()
        // The original of a topic is still there, as seen.
        #expect(try ids().count == (audience == "person:1" ? 1 : 0))
    }

    @Test func `a snoozed one whose topic is followed no more does not come back`() throws {
        let alice = try house.connect("alice")
        try house.broadcast("person:1")
        let id = try id()
        try snooze([id])
        try house.follow("alice", "person:1", isOn: false)
        try archive([id])
        let count = alice.events.count
        try pass()
        try archive([id])
        #expect(alice.events.count == count)
    }

    @Test(arguments: ["user:alice", "person:1"])
    func `a notification that was taken back meanwhile is skipped, also a snoozed one`(audience: String) throws {
        let alice = try house.connect("alice")
        for number: Int64 in 1...2 {
            try house.broadcast(audience)
            try house.broadcast(audience, "kept")
            let all = try ids()
            if number == 2 { try snooze([all[1]]) }
            try house.write(CancelBroadcast(id: number * 2 - 1), by: "admin")
            let head = house.head
            #expect(try archive([all[1]])["seq"] == .integer(head.value))
            #expect(try archive([all[1], all[0]])["seq"] == .integer(head.value + 1))
        }
        try pass()
        #expect(alice.types.suffix(1) == ["notification.removed"])
        #expect(try ids().isEmpty)
        #expect(try house.counts("alice").notifications == 0)
    }

    @Test func `an unknown notification, or another user's, is refused by its place, and nothing is archived`() throws {
        try house.broadcast("user:alice")
        try house.broadcast("user:bob")
        try house.broadcast("person:2")
        let all = [try id(), try id("bob"), "n\(house.head.value)", "n999999", "x"]
        for index in 1..<all.count {
            let head = house.head
            let refused = try house.refusal { try archive([all[0], all[index]]) }
            #expect(refused.code == .notFound)
            #expect(refused.field == "ids[1]")
            #expect(house.head == head)
        }
        #expect(try ids() == [all[0]])
    }

    @Test func `marking an archived notification as seen has no effect`() throws {
        try house.broadcast("person:1")
        let id = try id()
        try archive([id])
        let head = house.head
        #expect(try house.seen("alice", ids: [id])["seq"] == .integer(head.value))
        #expect(house.head == head)
    }

    @Test(arguments: ["user:alice", "person:1"])
    func `a later one in its place comes as any other`(audience: String) throws {
        try house.broadcast(audience, "old", collapse: "c")
        try archive([try id()])
        try house.broadcast(audience, "new", collapse: "c")
        #expect(try house.notifications("alice").texts("notifications", "title") == ["new"])
        #expect(try house.counts("alice").notifications == 1)
    }

    @Test func `a digest leaves archived ones out`() throws {
        try house.write(ChangePreferences(["digest": ["topic:person:1": ["every": 60]]]), by: "alice")
        let alice = try house.connect("alice")
        for title in ["first", "away", "kept"] { try house.broadcast("person:1", title) }
        let all = try ids()
        try archive([all[1]])
        try pass(milliseconds: 61_000)
        let digest = try #require(alice.events.last { $0["kind"] == "digest" })
        #expect(digest["data"]?["items"]?.arrayValue?.contains(.string(all[1])) == false)
        #expect(digest["data"]?["items"]?.arrayValue?.contains(.string(all[0])) == true)
    }

    @Test func `the marks go with the log, those of many readers in parts`() throws {
        for number in 0..<30 { try house.follow("u\(number)", "person:1") }
        try house.broadcast("person:1")
        try house.broadcast("person:1")
        let (kept, gone) = (try id(), try #require(try ids().last))
        for number in 0..<30 { try archive([kept, gone], by: "u\(number)") }
        try house.write(CancelBroadcast(id: 1), by: "admin")
        let trimmed = house.head
        house.now = house.now.adding(milliseconds: 7_200_000)
        try house.trim(keeping: 1000)
        house.now = house.now.adding(milliseconds: 7_200_000)
        try house.broadcast("user:alice")
        try house.trim(keeping: 1000)
        #expect(try house.look { try $0.retention.from() } >= trimmed)
        for number in 0..<30 {
            #expect(try !isArchived(gone, by: "u\(number)"))
            #expect(try isArchived(kept, by: "u\(number)"))
            #expect(try ids("u\(number)").isEmpty)
        }
        #expect(try ids().contains(kept))
    }
}
