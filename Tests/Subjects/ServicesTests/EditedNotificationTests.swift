import JSON
import Model
import Notifying
import Push
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution
import Webhooks

@testable import ClientProtocol

/// Copies of a text that was edited: in notifications and digests, in the log, in pushes and webhooks that wait.
///
/// Each house repeats its commits on a second database, as a node that follows does.
struct EditedNotificationTests {
    private static let chat = "alice:bob"

    private func house(_ triggers: [JSONValue] = []) throws -> House {
        let house = try House(triggers: try [House().messageRow] + triggers)
        try house.follow("alice", "user:bob")
        return house
    }

    private func list(_ house: House, _ name: String = "bob") throws -> [JSONValue] {
        try house.notifications(name)["notifications"]?.arrayValue ?? []
    }

    /// Everything that a device gets that was away since the beginning.
    private func resumed(
        _ house: House, _ name: String = "bob", after position: Position = .zero
    ) throws -> [JSONValue] {
        let user = try house.entry(name)
        let page = try house.look {
            try LogPage(of: user, after: position, deviceLanguage: nil, limit: 1000, in: $0)
        }
        return try page.events.map { try JSONValue(parsing: $0.bytes) }
    }

    /// Nothing that anybody can get has the word.
    private func expectNowhere(_ word: String, _ house: House, _ names: [String] = ["alice", "bob"]) throws {
        for name in names {
            #expect(try !house.notifications(name).text.contains(word), "\(name)'s list")
            #expect(try !JSONValue.array(resumed(house, name)).text.contains(word), "what \(name) gets from the log")
        }
    }

    private func set(_ house: House, _ preferences: JSONObject, _ name: String = "bob") throws {
        try house.write(ChangePreferences(preferences), by: name)
    }

    private func pass(_ house: House, milliseconds: Int64) throws {
        house.now = house.now.adding(milliseconds: milliseconds)
        try house.write(DeliverDue(), by: "server")
    }

    // MARK: Messages

    @Test func `an edit gives the notification its words, under the same id, in silence`() throws {
        let house = try house()
        let bob = try house.connect("bob")
        try house.send("alice", "bob", "SECRET")
        let first = try #require(try list(house).first)
        try house.edit("alice", Self.chat, 1, "harmless")
        #expect(bob.types == ["message", "notification", "message.edited", "notification.edited"])
        let edited = try #require(bob.events.last)
        #expect(edited["id"] == first["id"] && edited["title"] == "alice" && edited["body"] == "harmless")
        #expect(edited["data"] == [:] && edited["seq"] == .integer(house.head.value))
        #expect(try list(house).map { $0["body"]?.stringValue } == ["harmless"])
        #expect(try list(house).first?["id"] == first["id"])
        #expect(bob.counts == UnreadCounts(chats: 1, notifications: 1))
        #expect(try house.counts("bob") == bob.counts)
        #expect(try resumed(house).last == edited)
        try expectNowhere("SECRET", house)
    }

    @Test func `the note of a recommendation is edited in its notification, too`() throws {
        let house = try House.filmNetwork()
        try house.follow("alice", "user:bob")
        try house.recommend("alice", "bob", note: "SECRET")
        #expect(try house.notifications("bob").text.contains("SECRET"))
        try house.edit("alice", Self.chat, 1, "Tonight?")
        #expect(try house.notifications("bob").text.contains("Tonight?"))
        try expectNowhere("SECRET", house)
    }

    @Test func `of several edits only the newest words are left, and one to the same words is no event`() throws {
        let row: JSONValue = [
            "name": "edits", "event": "update", "path": "chats/{chat}/messages/{n}", "audience": "user:carol",
            "title": "now {{after.text}}",
        ]
        let house = try house([row])
        try house.send("alice", "bob", "SECRET one")
        for text in ["SECRET two", "SECRET three", "four"] { try house.edit("alice", Self.chat, 1, text) }
        try expectNowhere("SECRET", house, ["alice", "bob", "carol"])
        #expect(try list(house, "carol").map { $0["title"]?.stringValue } == ["now four", "now four", "now four"])
        let head = house.head
        try house.edit("alice", Self.chat, 1, "four")
        #expect(house.head == head)
    }

    @Test func `a mention that is edited away takes the words along`() throws {
        let row: JSONValue = [
            "name": "mention", "event": "create", "path": "chats/{chat}/messages/{n}", "audience": "user:carol",
            "condition": "after ->> 'text' LIKE '%@carol%'", "title": "{{after.text}}",
        ]
        let house = try house([row])
        try house.send("alice", "bob", "@carol SECRET")
        try house.edit("alice", Self.chat, 1, "nobody")
        #expect(try list(house, "carol").map { $0["title"]?.stringValue } == ["nobody"])
        try expectNowhere("SECRET", house, ["bob", "carol"])
    }

    @Test func `a notification whose row has gone, or has nothing to say, is taken back`() throws {
        let row: JSONValue = [
            "name": "quote", "event": "create", "path": "chats/{chat}/messages/{n}", "audience": "user:bob",
            "title": "{{#after.text}}{{#first}}SECRET{{/first}}{{/after.text}}{{after.text}}",
        ]
        let house = try house([row])
        try house.send("alice", "bob", "SECRET")
        try house.write(DeleteTrigger(name: "message"), by: "admin")
        let bob = try house.connect("bob")
        try house.edit("alice", Self.chat, 1, "harmless")
        #expect(bob.types == ["message.edited", "notification.edited", "notification.removed"])
        #expect(bob.events.last?["reason"] == "retracted")
        try expectNowhere("SECRET", house)
    }

    @Test func `a notification stays seen, archived or snoozed, and comes back with its words of then`() throws {
        let house = try house()
        for number in 1...3 { try house.send("alice", "bob", "SECRET \(number)") }
        let ids = try list(house).compactMap { $0["id"]?.stringValue }
        try house.seen("bob", ids: [ids[2]])
        try house.write(ArchiveNotifications([ids[1]], key: nil), by: "bob")
        try house.write(
            SnoozeNotifications(SnoozeCommand(ids: [ids[0]], until: house.now.adding(milliseconds: 60_000))), by: "bob")
        for number in 1...3 { try house.edit("alice", Self.chat, Int64(number), "new \(number)") }
        #expect(try list(house).map { $0["body"]?.stringValue } == ["new 1"])
        #expect(try list(house).first?["seen"] == true)
        #expect(try house.counts("bob").notifications == 0)
        try pass(house, milliseconds: 60_000)
        #expect(try list(house).map { $0["body"]?.stringValue } == ["new 3", "new 1"])
        try expectNowhere("SECRET", house)
        try house.edit("alice", Self.chat, 3, "newest")
        #expect(try list(house).first?["body"] == "newest", "the copy follows as well")
    }

    @Test func `a message that was read and then deleted leaves nothing after an edit`() throws {
        let house = try house()
        try house.send("alice", "bob", "SECRET one")
        try house.markRead("bob", Self.chat, 1)
        try house.edit("alice", Self.chat, 1, "SECRET two")
        try expectNowhere("SECRET one", house)
        try house.delete("alice", Self.chat, 1)
        try expectNowhere("SECRET", house)
    }

    @Test func `in a room each member's notification follows, and nobody else's`() throws {
        let house = try House(triggers: [try House().messageRow])
        let room = try house.room("alice", ["bob", "carol"])
        try house.send("alice", room, "SECRET")
        try house.edit("alice", room, 1, "harmless")
        for name in ["bob", "carol"] {
            #expect(try list(house, name).map { $0["body"]?.stringValue } == ["harmless"])
        }
        #expect(try list(house, "alice").isEmpty)
        try expectNowhere("SECRET", house, ["alice", "bob", "carol"])
    }

    @Test
    func `followers have one row, and its readers stay those who have seen it; blockers of the writer hear nothing`()
        throws
    {
        let row: JSONValue = [
            "name": "news", "event": "create", "path": "chats/{chat}/messages/{n}", "audience": "followers:desk:1",
            "title": ["en": "{{after.text}}", "it": "Nuovo: {{after.text}}"],
        ]
        let house = try House(triggers: [row])
        try house.follow("alice", "user:bob")
        for name in ["carol", "dora", "emma"] { try house.follow(name, "desk:1") }
        try house.block("dora", "alice")
        try set(house, ["locale": "it"], "emma")
        let sessions = try ["carol", "dora", "emma"].map { try house.connect($0) }
        try house.send("alice", "bob", "SECRET")
        try house.seen("carol", ids: try list(house, "carol").compactMap { $0["id"]?.stringValue })
        try house.edit("alice", Self.chat, 1, "harmless")
        #expect(sessions[0].events.last?["title"] == "harmless" && sessions[1].events.isEmpty)
        #expect(sessions[2].events.last?["title"] == "Nuovo: harmless")
        #expect(try list(house, "carol").first?["seen"] == true)
        #expect(try resumed(house, "emma").last?["title"] == "Nuovo: harmless")
        #expect(try resumed(house, "dora").allSatisfy { $0["type"] != "notification.edited" })
        for (name, unread) in [("carol", 0), ("dora", 0), ("emma", 1)] as [(String, Int64)] {
            #expect(try house.counts(name).notifications == unread, "\(name)")
        }
        try expectNowhere("SECRET", house, ["bob", "carol", "dora", "emma"])
    }

    // MARK: What waits

    @Test(
        arguments: [
            ["digest": ["message": "daily 18:00"]], ["quietHours": ["from": "00:00", "to": "18:00"]],
        ] as [JSONObject])
    func `a digest that stands is written again at once, and those before it lose their words`(
        preferences: JSONObject
    ) throws {
        let house = try house()
        house.now = try #require(Timestamp("2026-11-18T12:00:00Z"))
        try set(house, preferences)
        for number in 1...2 { try house.send("alice", "bob", "SECRET \(number)") }
        house.now = try #require(Timestamp("2026-11-18T18:00:00Z"))
        try house.write(DeliverDue(), by: "server")
        let digest = try #require(try list(house).first { $0["kind"] == "digest" })
        for number in 1...2 { try house.edit("alice", Self.chat, Int64(number), "new \(number)") }
        let after = try #require(try list(house).first { $0["kind"] == "digest" })
        #expect(after["title"] == digest["title"] && after["alert"] == false && after["data"]?["count"] == 2)
        try expectNowhere("SECRET", house)
    }

    @Test func `a title in digests follows, also in one that another has replaced`() throws {
        let row: JSONValue = [
            "name": "shout", "event": "create", "path": "chats/{chat}/messages/{n}", "audience": "user:bob",
            "title": "{{after.text}}",
        ]
        let house = try House(triggers: [row])
        try house.follow("alice", "user:bob")
        house.now = try #require(Timestamp("2026-11-18T17:55:00Z"))
        try set(house, ["digest": ["shout": "daily 18:00"]])
        for day in ["18", "19"] {
            for number in 1...2 { try house.send("alice", "bob", "SECRET \(day) \(number)") }
            house.now = try #require(Timestamp("2026-11-\(day)T18:00:00Z"))
            try house.write(DeliverDue(), by: "server")
        }
        #expect(try list(house).first?["body"] == "SECRET 19 2\nSECRET 19 1")
        for number in 3...4 { try house.edit("alice", Self.chat, Int64(number), "new \(number)") }
        #expect(try list(house).first?["body"] == "new 4\nnew 3")
        house.now = try #require(Timestamp("2026-11-19T17:50:00Z"))
        for number in 1...2 { try house.edit("alice", Self.chat, Int64(number), "new \(number)") }
        try expectNowhere("SECRET", house)
        #expect(try house.counts("bob").notifications == Int64(list(house).count { $0["seen"] != true }))
    }

    @Test func `a row that waits for its time says the words of then, also when some clocks have shown it`() throws {
        let row: JSONValue = [
            "name": "later", "event": "create", "path": "chats/{chat}/messages/{n}", "audience": "user:bob",
            "condition": "after ->> 'text' LIKE 'SECRET%'", "at": "'2026-11-18T17:00:00'", "clock": "recipient",
            "title": "{{after.text}}",
        ]
        let house = try House(triggers: [row])
        try house.follow("alice", "user:bob")
        house.now = try #require(Timestamp("2026-11-18T04:00:00Z"))
        try house.send("alice", "bob", "SECRET")
        try house.write(FireDueTriggers(), by: "server")
        try house.edit("alice", Self.chat, 1, "harmless")
        let stored = try house.look { try $0.triggers.page(after: nil, limit: 9) }
        #expect(stored.allSatisfy { !$0.wanted.contains("SECRET") })
        house.now = try #require(Timestamp("2026-11-18T17:00:00Z"))
        try house.write(FireDueTriggers(), by: "server")
        #expect(try list(house).compactMap { $0["title"]?.stringValue }.allSatisfy { $0 == "harmless" })
    }

    @Test func `webhooks that wait, are dead or were sent have the new words`() throws {
        func hook(_ event: String) -> JSONValue {
            [
                "name": .string("hook-\(event)"), "event": .string(event), "path": "chats/{chat}/messages/{n}",
                "audience": "user:bob", "title": ["en": "{{after.text}}", "it": "It: {{after.text}}"],
                "webhook": "https://hooks.example/",
            ]
        }
        let house = try House(triggers: [hook("create"), hook("update")])
        try house.follow("alice", "user:bob")
        try house.send("alice", "bob", "SECRET one")
        try house.edit("alice", Self.chat, 1, "SECRET two")
        try house.edit("alice", Self.chat, 1, "three")
        let jobs = try house.look { try $0.webhooks.jobs(about: "chats/\(Self.chat)/messages/1") }
        #expect(jobs.map(\.event) == ["create", "update", "update"])
        let data = try jobs.map { job in
            try JSONValue(parsing: Array(#require(try house.look { try $0.webhooks.data(of: job.id) }).utf8))
        }
        for event in data {
            #expect(event["after"]?["text"] == "three" && event["notification"]?["title"] == "three")
            #expect(event["notification"]?["languages"]?["it"]?["title"] == "It: three")
            #expect(event["notification"]?["audience"] == "user:bob" && event["notification"]?["written"] == 1)
        }
        #expect(data[0].text.contains("SECRET") == false && data[1].text.contains("SECRET") == false)
        #expect(data[2]["before"]?["text"] == "SECRET two", "the row of the edit itself gets what was before")
    }

    @Test func `a push that waits rings with the new words, and one that was sent is brought up to date`() throws {
        let house = try house()
        try house.addDevice(of: "bob")
        try house.send("alice", "bob", "SECRET one")
        try house.edit("alice", Self.chat, 1, "SECRET two")
        #expect(try house.pushJobs.map(\.kind) == [.notification])
        try house.push(house.pushJob)
        try house.edit("alice", Self.chat, 1, "three")
        #expect(try house.pushJobs.map(\.kind) == [.notification, .quietUpdate])
        let jobs = try house.pushJobs
        #expect(jobs[1].position == jobs[0].position && jobs[1].previous == jobs[0].id)
        try house.edit("alice", Self.chat, 1, "four")
        #expect(try house.pushJobs.count == 2, "one update that waits is enough")
    }

    // MARK: Other documents

    @Test func `a notification of a new document follows it; one of a change stays`() throws {
        func row(_ event: String) -> JSONValue {
            [
                "name": .string(event), "event": .string(event), "path": "reviews/{review}", "audience": "user:bob",
                "condition": "after ->> 'isOpen' IS NOT 0", "title": .string("\(event): {{after.text}}"),
                "data": ["text": "{{after.text}}"],
            ]
        }
        let house = try House(triggers: [row("create"), row("update")])
        let bob = try house.connect("bob")
        try house.put("reviews/1", ["text": "one"])
        try house.put("reviews/1", ["text": "two"])
        #expect(bob.types == ["notification", "notification", "notification.edited"])
        try house.put("reviews/1", ["text": "three", "isOpen": false])
        #expect(bob.types.count == 4)
        #expect(try list(house).map { $0["title"]?.stringValue } == ["update: two", "create: three"])
        #expect(try list(house).last?["data"]?["text"] == "three")
        let head = house.head
        try house.put("reviews/1", ["text": "three", "isOpen": false, "stars": 5])
        #expect(house.head == head.next, "the words are the same")
    }

    @Test(arguments: [[:], ["text": .null], ["text": ""], ["text": " \u{200b} "]] as [JSONObject])
    func `a notification that shows nothing any more is taken away with its words`(_ edited: JSONObject) throws {
        let house = try House(triggers: [
            [
                "name": "review", "event": "create", "path": "reviews/{review}", "audience": "user:bob",
                "title": "{{after.text}}",
            ]
        ])
        let bob = try house.connect("bob")
        try house.put("reviews/1", ["text": "SECRET"])
        try house.put("reviews/1", edited)
        #expect(bob.types == ["notification", "notification.removed"])
        #expect(try list(house).isEmpty)
        #expect(try !JSONValue.array(resumed(house)).text.contains("SECRET"))
        #expect(try house.counts("bob").notifications == 0)
    }
}
