import JSON
import Model
import Notifying
import Services
import ServicesTestSupport
import Store
import TestSupport
import Testing
import TriggerExecution

@testable import ClientProtocol

/// People whose actions cause events, each with a device connected from the first moment on; and other devices that
/// resume.
struct ResumeRun {
    let names = ["alice", "bob", "carol"]
    let house: House
    var random: SeededRandom

    init(seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        house = try House.filmNetwork()
        try house.put(trigger: [
            "name": "pair", "event": "create", "path": "pairs/{pair}", "collapse": "pair", "title": "{{pair}}",
            "audience": ["followers:person:1", "followers:user:{after.one}", "user:{after.other}"],
        ])
        for name in names { _ = try house.connect(name) }
    }

    private mutating func one<Element>(of list: [Element]) -> Element {
        list[Int.random(in: 0..<list.count, using: &random)]
    }

    mutating func step() throws {
        let name = one(of: names)
        let other = one(of: names.filter { $0 != name })
        let chat = min(name, other) + ":" + max(name, other)
        switch Int.random(in: 0..<15, using: &random) {
        case 14: try house.put("pairs/\(house.head.value)", ["one": .string(name), "other": .string(other)])
        case 0, 1: _ = try? house.send(name, other)
        case 2, 3: _ = try? house.recommend(name, other)
        case 4: _ = try? house.markRead(name, chat, Int64.random(in: 1...6, using: &random))
        case 5, 6: try follow(name, other)
        case 7:
            let expires = one(of: [house.now.adding(milliseconds: 1500), nil])
            let audience = one(of: ["everyone", "person:1", "user:bob"])
            try house.broadcast(audience, collapse: one(of: ["a", "b", nil]), expires: expires)
        case 8 where Bool.random(using: &random):
            house.now = house.now.adding(milliseconds: 1000)
            try house.write(FireDueTriggers(), by: "server")
            _ = try? house.write(CancelBroadcast(id: Int64.random(in: 1...20, using: &random)), by: "admin")
            try house.seen(name, upTo: Int64.random(in: 0...house.head.value, using: &random))
        case 8:
            try house.put(
                "reviews/\(house.head.value)",
                ["author": .string(name), "text": .string("by \(name)")]
            )
        case 9: try house.write(AcknowledgePosition(house.head), by: name)
        case 10, 11: try house.write(ChangePreferences(one(of: Self.choices)), by: name)
        case 12:
            house.now = house.now.adding(milliseconds: one(of: [1000, 70_000, 3_600_000]))
            try house.write(DeliverDue(), by: "server")
        case 13: _ = try? Bool.random(using: &random) ? snooze(name) : archive(name)
        default: try house.write(ChangePreferences(["locale": one(of: ["it", "en", nil])]), by: name)
        }
    }

    /// The preferences that people choose and reset.
    private static let choices: [JSONObject] = [
        ["mute": ["topics": ["person:1": true, "user:bob": "2026-11-18T12:00:00Z"]]], ["mute": nil],
        ["mute": ["kinds": ["review": true]]], ["mute": ["all": "2026-11-18T20:00:00Z"]],
        ["mute": ["chats": ["alice:bob": true]]], ["levels": ["time-sensitive"]], ["levels": nil],
        ["quietHours": ["from": "12:00", "to": "15:00"], "timeZone": "Europe/Rome"], ["quietHours": nil],
        ["digest": ["broadcast": ["every": 60]]], ["digest": ["topic:person:1": "daily 13:00"]], ["digest": nil],
        ["kinds": ["broadcast": ["deliver": "silent"]]], ["kinds": nil],
    ]

    private mutating func snooze(_ name: String) throws {
        let ids = try house.notifications(name).texts("notifications", "id")
        guard !ids.isEmpty else { return }
        let until = house.now.adding(milliseconds: one(of: [1000, 60_000]))
        try house.write(SnoozeNotifications(SnoozeCommand(ids: [one(of: ids)], until: until)), by: name)
    }

    private mutating func archive(_ name: String) throws {
        let ids = try house.notifications(name).texts("notifications", "id")
        guard !ids.isEmpty else { return }
        try house.write(ArchiveNotifications([one(of: ids), one(of: ids)], key: nil), by: name)
    }

    private mutating func follow(_ name: String, _ other: String) throws {
        let topic = one(of: ["person:1", "user:\(other)"])
        try house.follow(name, topic, isOn: Int.random(in: 0..<3, using: &random) > 0)
    }

    /// The events of a device that was connected all the time, after `position`, byte by byte.
    func missed(_ name: String, behind position: Int64) throws -> [String] {
        let session = try #require(house.sessions[name])
        return session.received.filter { $0.position.value > position }
            .map { String(decoding: $0.payload[session.language], as: UTF8.self) }
    }

    /// The log's pages after `position`, each of another length.
    mutating func resumed(_ name: String, behind position: Int64) throws -> [String] {
        let user = try house.entry(name)
        var events: [String] = []
        var position = Position(position)
        while true {
            let limit = Int.random(in: 1...7, using: &random)
            let page = try house.look { transaction in
                try LogPage(of: user, after: position, deviceLanguage: nil, limit: limit, in: transaction)
            }
            for (position, bytes) in page.events {
                let event = try JSONValue(parsing: bytes)
                #expect(event.seq == position.value)
                events.append(String(decoding: bytes, as: UTF8.self))
            }
            #expect(page.upTo >= position)
            position = page.upTo
            guard page.hasMore else { break }
        }
        #expect(position == house.head)
        return events
    }
}

struct ResumeTests {
    @Test(arguments: Seeds.first(3, of: 8))
    func `a resumed session gets exactly the events that a connected device got`(seed: UInt64) throws {
        var run = try ResumeRun(seed: seed)
        for step in 1...240 {
            try run.step()
            guard step.isMultiple(of: 4) else { continue }
            for name in run.names {
                let position = Int64.random(in: 0...run.house.head.value, using: &run.random)
                let resumed = try run.resumed(name, behind: position)
                guard resumed == (try run.missed(name, behind: position)) else {
                    Issue.record("seed \(seed), step \(step): \(name) behind \(position)")
                    return
                }
            }
        }
        // This is only meaningful if the preferences had an effect.
        var silent = 0
        for name in run.names { silent += try run.missed(name, behind: 0).count { $0.contains(#""alert":false"#) } }
        #expect(silent > 10)
    }

    @Test func `a removed notification is resumed as it was, and its removal comes after it`() throws {
        let house = try House()
        _ = try house.actor("alice")
        try house.broadcast("everyone", "one", collapse: "c")
        try house.broadcast("everyone", "two", collapse: "c")
        let alice = try house.entry("alice")
        let page = try house.look {
            try LogPage(of: alice, after: .zero, deviceLanguage: nil, limit: 9, in: $0)
        }
        let types = try page.events.map { try JSONValue(parsing: $0.bytes)["type"] }
        #expect(types == ["notification", "notification.removed", "notification"])
        #expect(page.upTo == house.head)
        #expect(!page.hasMore)
    }
}
