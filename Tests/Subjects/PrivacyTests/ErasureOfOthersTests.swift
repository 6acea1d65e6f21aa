import Execution
import JSON
import Model
import Notifying
import Privacy
import Services
import ServicesTestSupport
import Store
import Testing
import TriggerExecution

@testable import ClientProtocol

/// An erasure takes nothing of others, however the name of the person looks: every other row of the world has it as a word, an
/// id, a number or a part of a time.
struct ErasureOfOthersTests {
    /// People who follow, chat, recommend, and wait for reminders, digests, snoozed notifications and webhooks.
    private struct World {
        let house: House
        let name: String
        let others = ["bob", "carol"]
        let room: String

        init(_ name: String) throws {
            self.name = name
            house = try House(triggers: House.rowsOfErasure)
            house.now = try #require(Timestamp("2026-11-28T14:37:42.400Z"))
            for other in others { _ = try house.actor(other) }
            try house.write(OpenWatchedStream(.collection("boards")), by: "server")
            room = try house.room("bob", ["carol"])
            try follow()
            try write()
            try wait()
            // The person comes once, and does nothing.
            _ = try house.actor(name)
        }

        private func follow() throws {
            for other in others {
                for topic in ["station:\(name)", "film:\(name)", "person:movie/\(name)"] {
                    try house.follow(other, topic)
                }
            }
            try house.follow("bob", "user:carol")
            try house.follow("carol", "user:bob")
            let digest: JSONObject = ["digest": ["topic:station:\(name)": ["every": 3600]]]
            try house.write(ChangePreferences(digest), by: "carol")
        }

        private func write() throws {
            let chat = try #require(
                try house.send("bob", "carol", "\(name) at \(name) Elm Street")["chat"]?.stringValue)
            try house.recommend("carol", "bob", "movie/\(name)", title: name, note: name)
            try house.send("carol", chat, name)
            try house.react("bob", chat, 3, "👍")
            try house.edit("carol", chat, 3, "not \(name)")
            try house.send("bob", room, "the room hears of \(name)")
            try house.update("bob", room, title: name)
            try house.put("boards/7", ["column": .string(name), "user": .string(name), "text": "moved"])
            try house.put("boards/\(name)", ["column": "a"])
            for index in [1, 5] { try house.put("stations/\(name)", ["index": .integer(Int64(index))]) }
            try house.put("stations/2", ["index": 5, "region": .string(name)])
            try house.put("orders/\(name)", ["who": "bob"])
            try house.put("things/\(name)", ["n": 1])
        }

        /// Reminders, snoozed notifications and digests that are still to come.
        private func wait() throws {
            let due = house.now.adding(milliseconds: 3_600_000)
            try house.put("tasks/\(name)", ["who": "bob", "name": .string(name), "due": .string(due.text)])
            let air = try house.notifications("bob")["notifications"]?.arrayValue?.first { $0["kind"] == "air" }
            let id = try #require(air?["id"]?.stringValue)
            let until = house.now.adding(milliseconds: 1_800_000)
            try house.write(SnoozeNotifications(SnoozeCommand(ids: [id], until: until)), by: "bob")
            // The first one has interrupted; the digest collects this one.
            try house.put("stations/\(name)", ["index": 1])
            try house.put("stations/\(name)", ["index": 6])
        }

        /// Erases the person, to the end.
        func erase() throws -> JSONObject { try house.erase(name) }

        /// All that others have, and all that waits for them.
        func picture() throws -> [String: JSONValue] {
            var picture = try house.picture(of: others)
            picture["room"] = try house.history("carol", room)
            picture["entries"] = .array(
                try house.look { try $0.log.events(in: 1...house.head.value) }
                    .map { .string($0.json ?? "message \($0.number ?? 0)") })
            picture["armed"] = .bool(try house.look { try $0.triggerStates.isArmed("alarm", path: "stations/\(name)") })
            picture["versions"] = .array(
                try ["boards/7", "boards/\(name)", "stations/\(name)", "tasks/\(name)"].map { path in
                    .string("\(try house.look { try $0.history.positions(of: path, after: .zero, limit: 99) })")
                })
            return picture
        }

        /// The titles that come to people when the time of everything has come, and when the station tells of bad air again.
        func future() throws -> [String: [String]] {
            let sessions = try others.map { ($0, try house.connect($0)) }
            for _ in 0..<4 {
                house.now = house.now.adding(milliseconds: 1_800_000)
                try house.write(FireDueTriggers(), by: "server")
                try house.write(DeliverDue(), by: "server")
            }
            try house.put("stations/\(name)", ["index": 2])
            try house.put("stations/\(name)", ["index": 9])
            return Dictionary(sessions.map { ($0.0, $0.1.titles) }, uniquingKeysWith: { $1 })
        }
    }

    @Test(arguments: [
        // Numbers, also of a second and a minute; words of collections, kinds, members, languages; beginnings of others.
        "400", "42", "37", "7", "movie", "stations", "users", "tasks", "data", "new", "station", "air", "user",
        "followers",
        "boards", "en", "a", "bob2", "x.y", "2026-11-28T14", "everyone",
    ])
    func `everything of others is as before, and comes as it would have come`(name: String) throws {
        let world = try World(name)
        let before = try world.picture()
        let rows = try world.erase()
        // The person did nothing but come.
        #expect(rows.members.map(\.name) == ["profile"], "\(JSONValue.object(rows).text)")
        let after = try world.picture()
        for (part, value) in before { #expect(after[part] == value, "\(part)") }
        let control = try World(name)
        let expected = try control.future()
        #expect(try world.future() == expected)
        #expect(expected["bob"]?.contains("Due: \(name)") == true, "\(expected)")
        #expect(expected["bob"]?.contains("\(name): bad air 9") == true, "\(expected)")
        #expect(expected["carol"]?.isEmpty == false, "\(expected)")
    }

    @Test func `the mutes and digests of others name the person no more, and hold for the pseudonym`() throws {
        let house = try House.filmNetwork()
        for name in ["alice", "bob"] { _ = try house.actor(name) }
        try house.follow("bob", "user:alice")
        try house.follow("alice", "user:bob")
        try house.send("alice", "bob", "hello")
        let choices: JSONObject = [
            "mute": [
                "topics": ["user:alice": true, "film:alice": true], "chats": ["alice:bob": true],
                "kinds": ["alice": true],
            ],
            "digest": ["topic:user:alice": ["every": 3600], "topic:film:alice": ["every": 3600]],
        ]
        try house.write(ChangePreferences(choices), by: "bob")
        try house.write(ChangePreferences(["levels": ["critical"]]), by: "bob")
        let changed = house.head
        let chance = ErasureChance(String(repeating: "4f2c", count: 24))
        try house.write(EraseUser(try user("alice"), .redact, documents: [], chance: chance, key: nil), by: "admin")
        while try house.look({ try $0.erasures.running()?.phase }) != ErasurePhase.files.rawValue {
            _ = try house.fact(of: EraseSlice(), by: "server")
        }
        let bob = try house.entry("bob")
        let past = try house.look { try $0.preferences.past(of: bob.id, at: Position(changed.value - 1))?.preferences }
        for text in [bob.preferences, past] {
            let stored = try JSONValue(parsing: Array(try #require(text).utf8))
            #expect(
                stored["mute"] == [
                    "topics": ["user:~4f2c": true, "film:alice": true], "chats": ["bob:~4f2c": true],
                    "kinds": ["alice": true],
                ])
            #expect(
                stored["digest"] == ["topic:user:~4f2c": ["every": 3600], "topic:film:alice": ["every": 3600]])
        }
        let entries = try house.look { try $0.log.events(in: 1...house.head.value).compactMap(\.json) }
            .filter { $0.contains(#""type":"preferences""#) }
        #expect(entries.count == 2)
        for entry in entries { #expect(!entry.contains("user:alice") && !entry.contains("alice:bob"), "\(entry)") }
    }

    @Test func `two people are erased one after the other, and the name of the one is a word of the other`() throws {
        let house = try House.filmNetwork()
        for name in ["alice", "bob", "carol", "new", "new.1"] { _ = try house.actor(name) }
        for name in ["new", "new.1"] {
            try house.follow("bob", "user:\(name)")
            try house.follow(name, "user:bob")
            try house.recommend("bob", name, title: "new.1 new")
            try house.send(name, "bob", "of \(name)")
        }
        func erase(_ name: String, _ number: Int64, _ digits: String) throws {
            let chance = ErasureChance(String(repeating: digits, count: 24))
            try house.write(EraseUser(try user(name), .redact, documents: [], chance: chance, key: nil), by: "admin")
            while try house.look({ try $0.erasures.running()?.phase }) != ErasurePhase.files.rawValue {
                _ = try house.fact(of: EraseSlice(), by: "server")
            }
            _ = try house.fact(of: FinishErasure(number), by: "server")
        }
        try erase("new", 1, "4f2c")
        let chats = try house.chats("bob").texts("chats", "chat")
        #expect(Set(chats) == ["bob:new.1", "bob:~4f2c"])
        #expect(try house.history("bob", "bob:new.1").texts("messages", "text") == ["of new.1"])
        #expect(try house.read(ListFollowing(FollowingCommand()), by: "bob")["topics"] == ["user:new.1"])
        try erase("new.1", 2, "7a1b")
        #expect(Set(try house.chats("bob").texts("chats", "chat")) == ["bob:~7a1b", "bob:~4f2c"])
        #expect(try house.history("bob", "bob:~7a1b").texts("messages", "text") == [])
    }
}
