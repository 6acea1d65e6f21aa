import JSON
import Model
import Notifying
import Services
import ServicesTestSupport
import Store
import Testing

struct DigestTests {
    private let house: House

    init() throws {
        house = try House()
        house.now = try #require(Timestamp("2026-11-18T12:00:00Z"))
    }

    private func set(_ object: JSONObject, _ name: String = "alice") throws {
        try house.write(ChangePreferences(object), by: name)
    }

    /// Does the server's work of each second, at a time.
    private func tick(_ time: String) throws {
        house.now = try #require(Timestamp(time))
        try house.write(DeliverDue(), by: "server")
    }

    private func list(_ name: String = "alice") throws -> [JSONValue] {
        try #require(try house.notifications(name)["notifications"]?.arrayValue)
    }

    @Test(arguments: ["user:alice", "person:1", "everyone"])
    func `the first notification rings at once, and one summary at the end has the others`(audience: String) throws {
        try house.follow("alice", "person:1")
        try set(["digest": ["broadcast": ["every": 600]]])
        let alice = try house.connect("alice")
        for title in ["one", "two", "three"] { try house.broadcast(audience, title) }
        #expect(alice.events.map { $0["reason"] } == [nil, "digest", "digest"])
        try tick("2026-11-18T12:09:59Z")
        #expect(alice.events.count == 3)
        try tick("2026-11-18T12:10:00Z")
        try tick("2026-11-18T12:10:01Z")
        #expect(alice.events.count == 4)
        let digest = try #require(alice.events.last)
        #expect(digest["kind"] == "digest")
        #expect(digest["level"] == "active")
        #expect(digest["alert"] == nil)
        #expect(digest["title"] == "2 new notifications")
        #expect(digest["body"] == "three\ntwo")
        let ids = try list().map { $0["id"] }
        #expect(
            digest["data"] == [
                "of": "broadcast", "count": 2, "kinds": ["broadcast": 2],
                "items": [
                    ids[1] ?? .null, ids[2] ?? .null,
                ],
            ])
        #expect(try list().map { $0["reason"] } == [nil, "digest", "digest", nil])
        #expect(try house.counts("alice").notifications == 4)
        #expect(alice.counts == (try house.counts("alice")))
        // When nothing has come for the length of the digest, the next notification begins another.
        try tick("2026-11-18T12:20:00Z")
        #expect(alice.events.count == 4)
        try house.broadcast(audience, "four")
        #expect(alice.events.last?["alert"] == nil)
    }

    @Test func `a digest of one notification sends no summary`() throws {
        try set(["digest": ["broadcast": ["every": 60]]])
        let alice = try house.connect("alice")
        try house.broadcast("user:alice")
        try tick("2026-11-18T12:02:00Z")
        #expect(alice.types == ["notification"])
        try house.broadcast("user:alice")
        try house.broadcast("user:alice")
        try house.seen("alice", upTo: house.head.value)
        try tick("2026-11-18T12:04:00Z")
        #expect(!alice.events.contains { $0["kind"] == "digest" }, "what is read needs no telling")
    }

    @Test func `a daily digest collects a topic, replaces the one before, and a muted notification is in none`() throws
    {
        for topic in ["person:1", "person:2"] { try house.follow("alice", topic) }
        try set(["timeZone": "Europe/Rome", "digest": ["topic:person:1": "daily 18:00"]])
        let alice = try house.connect("alice")
        try house.broadcast("person:1", "one")
        try house.broadcast("person:2", "other")
        try set(["mute": ["topics": ["person:1": true]]])
        try house.broadcast("person:1", "muted")
        try set(["mute": nil])
        try tick("2026-11-18T17:00:00Z")
        #expect(alice.events.last { $0["kind"] == "digest" }?["title"] == "1 new notification")
        try tick("2026-11-19T17:00:00Z")
        #expect(alice.events.count { $0["kind"] == "digest" } == 1, "nothing new")
        try house.broadcast("person:1", "two")
        try tick("2026-11-20T17:00:00Z")
        #expect(alice.events.count { $0["kind"] == "digest" } == 2)
        #expect(alice.events.last { $0["type"] == "notification.removed" }?["reason"] == "replaced")
        #expect(try list().filter { $0["kind"] == "digest" }.count == 1)
        #expect(alice.counts == (try house.counts("alice")))
    }

    @Test func `one summary comes when quiet hours end`() throws {
        try house.follow("alice", "person:1")
        try set(["timeZone": "Europe/Rome", "quietHours": ["from": "12:00", "to": "14:00"], "locale": "pl"])
        let alice = try house.connect("alice")
        for number in 1...3 { try house.broadcast("person:1", "t\(number)") }
        for number in 1...2 { try house.broadcast("user:alice", "u\(number)") }
        #expect(alice.events.map { $0["reason"] } == Array(repeating: "quiet-hours", count: 5))
        try tick("2026-11-18T13:00:00Z")
        let summary = try #require(alice.events.last)
        #expect(summary["title"] == "5 powiadomień, gdy Cię nie było")
        #expect(summary["alert"] == nil)
        #expect(summary["data"]?["of"] == "quietHours")
        try house.broadcast("user:alice", "after")
        #expect(alice.events.last?["alert"] == nil)
        try tick("2026-11-19T13:00:00Z")
        #expect(alice.events.count { $0["kind"] == "digest" } == 1)
    }

    private static let correction: JSONObject = [
        "name": "talk", "event": "write", "path": "talks/{talk}", "audience": "user:alice", "kind": "talk",
        "title": "{{after.title}}", "alertOnce": true, "collapse": "talk:{{talk}}",
    ]

    @Test(arguments: ["user:alice", "followers:person:1"], ["quietHours", "digest"])
    func `a notification that is corrected while it is held comes once in its last form`(audience: String, held: String)
        throws
    {
        var row = Self.correction
        row["audience"] = .string(audience)
        try house.put(trigger: .object(row))
        try house.follow("alice", "person:1")
        let isQuiet = held == "quietHours"
        try set(isQuiet ? ["quietHours": ["from": "11:00", "to": "18:00"]] : ["digest": ["talk": "daily 18:00"]])
        let alice = try house.connect("alice")
        let position = house.head
        try house.put("talks/1", ["title": "at three"])
        try house.put("talks/1", ["title": "at four"])
        let reason: JSONValue = isQuiet ? "quiet-hours" : "digest"
        let told = alice.events.filter { $0["type"] == "notification" }
        #expect(told.map { $0["reason"] } == [reason, reason])
        #expect(try list().map { $0["reason"] } == [reason], "the list says what the device was told")
        try tick("2026-11-18T18:00:00Z")
        #expect(alice.events.last?["kind"] == "digest")
        #expect(alice.events.last?["body"] == "at four")
        try set(["quietHours": nil, "digest": nil])
        try house.put("talks/2", ["title": "rings"])
        try house.put("talks/2", ["title": "corrected"])
        #expect(try list().map { $0["reason"] } == ["updated", nil, reason])
        let user = try house.entry("alice")
        let page = try house.look {
            try LogPage(of: user, after: position, deviceLanguage: nil, limit: 100, in: $0)
        }
        #expect(try page.events.map { try JSONValue(parsing: $0.bytes) } == alice.events, "live equals resumed")
    }

    @Test func `a digest of one's own inbox does not swallow itself`() throws {
        try set(["digest": ["topic:user:alice": "daily 18:00"]])
        let alice = try house.connect("alice")
        for day in 18...19 {
            try house.broadcast("user:alice", "on \(day)")
            try tick("2026-11-\(day)T18:00:00Z")
            let digest = try #require(alice.events.last)
            #expect(digest["kind"] == "digest")
            #expect(digest["reason"] == nil)
            #expect(digest["data"]?["count"] == 1)
        }
        try tick("2026-11-20T18:00:00Z")
        #expect(alice.events.count { $0["kind"] == "digest" } == 2)
    }

    @Test func `where the whole day is quiet, its summary interrupts, and other digests are in it`() throws {
        try set(["quietHours": ["from": "18:00", "to": "18:00"], "digest": ["broadcast": "daily 15:00"]])
        let alice = try house.connect("alice")
        try house.broadcast("user:alice", "one")
        try tick("2026-11-18T15:00:00Z")
        #expect(alice.events.last?["reason"] == "quiet-hours")
        try tick("2026-11-18T18:00:00Z")
        let summary = try #require(alice.events.last)
        #expect(summary["data"]?["of"] == "quietHours")
        #expect(summary["reason"] == nil)
        #expect(summary["body"] == "1 new notification")
        try tick("2026-11-19T18:00:00Z")
        #expect(alice.events.last == summary)
    }

    @Test func `a summary finds its notifications among many other unread ones`() throws {
        try set(["digest": ["topic:person:1": "daily 18:00"]])
        try house.follow("alice", "person:1")
        let alice = try house.connect("alice")
        try house.broadcast("person:1", "one")
        for _ in 1...PreferenceLimits.digestCountMax { try house.broadcast("user:alice") }
        try tick("2026-11-18T18:00:00Z")
        #expect(alice.events.last?["kind"] == "digest")
        #expect(alice.events.last?["body"] == "one")
    }

    @Test func `preferences that change while a daily digest is overdue do not put it off`() throws {
        try set(["digest": ["broadcast": "daily 18:00"]])
        let alice = try house.connect("alice")
        try house.broadcast("user:alice", "one")
        house.now = try #require(Timestamp("2026-11-18T18:00:05Z"))
        try set(["presence": "nobody"])
        try tick("2026-11-18T18:00:06Z")
        #expect(alice.events.last?["kind"] == "digest")
    }

    @Test func `where many wait and few follow, only followers begin a digest`() throws {
        for name in ["alice", "bob", "carol", "dave"] {
            try set(["digest": ["broadcast": ["every": 600]]], name)
        }
        try house.follow("alice", "person:1")
        let followed = try #require(try house.look { try $0.streams.find(try topic("person:1")) })
        let waiting = try house.look { try $0.digests.waiting(for: "broadcast", readersOf: followed.id) }
        let alice = try house.entry("alice")
        #expect(waiting.map(\.user) == [alice.id])
        try house.broadcast("person:1")
        #expect(try house.look { try $0.digests.waiting(for: "broadcast", readersOf: followed.id) }.isEmpty)
        #expect(try house.look { try $0.digests.waiting(for: "broadcast", readersOf: .everyone) }.count == 3)
    }

    @Test func `a user who wants no summary gets none`() throws {
        try set(["quietHours": ["from": "11:00", "to": "13:00", "summary": false]])
        let alice = try house.connect("alice")
        try house.broadcast("user:alice")
        try tick("2026-11-18T13:00:00Z")
        #expect(alice.types == ["notification"])
    }

    @Test func `a topic's notification stays one row, and asks only those who wait for a digest of it`() throws {
        for name in ["alice", "bob", "carol"] { try house.follow(name, "person:1") }
        try set(["digest": ["broadcast": ["every": 600]]])
        try set(["digest": ["broadcast": ["every": 600]]], "stranger")
        try set(["digest": ["topic:person:1": ["every": 600], "broadcast": ["every": 60]]], "bob")
        let sessions = try ["alice", "bob", "carol", "stranger"].map { try house.connect($0) }
        try house.broadcast("person:1", "one")
        try house.broadcast("person:1", "two")
        #expect(
            sessions.map { $0.events.map { $0["reason"] } } == [[nil, "digest"], [nil, "digest"], [nil, nil], []])
        try tick("2026-11-18T12:01:00Z")
        #expect(sessions.map(\.events.count) == [2, 2, 2, 0], "bob's is the topic's, not the kind's")
        try tick("2026-11-18T12:10:00Z")
        #expect(sessions.map(\.events.count) == [3, 3, 2, 0])
    }

    @Test func `a digest given up, or changed while it collects, tells what is still wanted`() throws {
        try set(["digest": ["broadcast": ["every": 600]]])
        let alice = try house.connect("alice")
        for _ in 1...2 { try house.broadcast("user:alice") }
        try set(["digest": ["broadcast": "daily 18:00"]])
        try tick("2026-11-18T12:10:00Z")
        #expect(!alice.events.contains { $0["kind"] == "digest" })
        try tick("2026-11-18T18:00:00Z")
        #expect(alice.events.last?["title"] == "1 new notification")
        try house.broadcast("user:alice")
        try set(["digest": nil])
        try tick("2026-11-19T18:00:00Z")
        #expect(alice.events.count { $0["kind"] == "digest" } == 1)
    }

    @Test(arguments: [
        ("en", 1, "1 new notification"), ("it", 2, "2 nuove notifiche"), ("it", 1, "1 nuova notifica"),
        ("el", 3, "3 νέες ειδοποιήσεις"), ("el", 1, "1 νέα ειδοποίηση"), ("pl", 1, "1 nowe powiadomienie"),
        ("pl", 3, "3 nowe powiadomienia"), ("pl", 12, "12 nowych powiadomień"), ("pl", 22, "22 nowe powiadomienia"),
        ("pl", 25, "25 nowych powiadomień"), ("de", 2, "2 neue Mitteilungen"), ("tr", 2, "2 yeni bildirim"),
        ("sv", 2, "2 new notifications"),
    ])
    func `a digest counts as its reader's language does`(language: String, count: Int, title: String) throws {
        try set(["locale": .string(language), "digest": ["broadcast": "daily 18:00"]])
        let alice = try house.connect("alice")
        for _ in 1...count { try house.broadcast("user:alice") }
        try tick("2026-11-18T18:00:00Z")
        #expect(alice.events.last?["title"] == .string(title))
    }
}
