import ClientProtocol
import Configuration
import Execution
import Foundation
import JSON
import Server
import TestSupport
import Testing

/// The right use of every command over real connections: its answer, the events on the other devices, the same answer to the
/// same key, a device that comes back, and a server that starts again. Each answer and each event is held against its schema
/// (``ServedForms``).
struct EveryCommandTests {
    /// A server with three people; alice has two devices.
    private final class Story {
        let folder = TemporaryFolder()
        private(set) var server: TestServer
        let (alice, laptop, bob, carol): (Device, Device, Device, Device)
        /// The commands that were answered with ok.
        private(set) var used: Set<String> = []
        let start: JSONValue

        init() throws {
            server = try Self.server(in: folder)
            alice = try server.connect()
            let hello = try alice.hello(token: server.token("alice"), device: "phone")
            start = ["epoch": hello["epoch"] ?? .null, "seq": hello["seq"] ?? .null]
            _ = try alice.event("live")
            laptop = try server.device("alice", "laptop")
            bob = try server.device("bob", "phone")
            carol = try server.device("carol", "phone")
            used = ["hello"]
        }

        private static func server(in folder: TemporaryFolder) throws -> TestServer {
            try TestServer(in: folder) {
                $0.push.contact = "mailto:admin@example.org"
                $0.rules = (try? AccessRules(["users/{user}/tasks/{task}": "owner"])) ?? AccessRules()
            }
        }

        func restart() throws {
            server.application.stop()
            server = try Self.server(in: folder)
        }

        func stop() { server.application.stop() }

        /// Sends a command, waits for its events on other devices, and repeats it when it has a key.
        @discardableResult
        func use(
            _ device: Device, _ command: JSONValue, _ events: [(device: Device, type: String)] = []
        ) throws -> JSONValue {
            let ok = try device.ok(command)
            used.insert(command["type"]?.stringValue ?? "")
            for (other, type) in events {
                try other.event(type) { ok["seq"] == nil || $0["seq"] == ok["seq"] }
            }
            if command["key"] != nil {
                // Of a document, the answer to a repetition does not have the data.
                var again = try device.ok(command)
                if command["type"] == "patch" { again["data"] = ok["data"] }
                #expect(again == ok, "\(command.text)")
            }
            return ok
        }
    }

    @Test func `every command is answered, heard of on every device, and done once however often it comes`() throws {
        let story = try Story()
        defer { story.stop() }
        try talk(story)
        let room = try gather(story)
        try followAndBlock(story)
        try notify(story)
        try keepDocuments(story)
        try rest(story)
        #expect(story.used == Set(CommandTable.types.map { $0.name }))
        try story.alice.settle()

        // After a restart all of it is there, and a device that was away gets it in the same order.
        let asked: [JSONValue] = [
            ["type": "chats"], ["type": "history", "chat": "alice:bob"], ["type": "rooms"], ["type": "following"],
            ["type": "blocks"], ["type": "preferences"], ["type": "devices"], ["type": "notifications"],
            ["type": "room.members", "chat": .string(room)], ["type": "get", "path": "users/alice/tasks/2"],
        ]
        let before = try asked.map { try story.alice.ok($0) }
        let events = story.alice.durable.filter { $0["type"] != "document" }.compactMap { $0["seq"]?.integerValue }
        try story.restart()
        let back = try story.server.device("alice", "tv", since: story.start)
        #expect(try asked.map { try back.ok($0) } == before)
        #expect(back.seqs == events)
        #expect(!back.messages.contains { $0["type"] == "reset" })
    }

    private func talk(_ story: Story) throws {
        let (alice, laptop, bob) = (story.alice, story.laptop, story.bob)
        try story.use(
            alice, ["type": "follow", "topic": "user:bob", "key": "a1"], [(alice, "followed"), (laptop, "followed")])
        let product: JSONValue = ["id": "movie/603", "title": "The Matrix", "year": 1999, "poster": "/m.jpg"]
        try story.use(
            alice, ["type": "recommend", "to": "bob", "product": product, "note": "See it", "key": "a2"],
            [(alice, "message"), (laptop, "message"), (bob, "message")])
        let sent = try story.use(
            bob, ["type": "send", "chat": "alice:bob", "text": "Gladly", "replyTo": 1, "key": "b1"],
            [(bob, "message"), (alice, "message"), (laptop, "message")])
        #expect(sent["n"] == 2)
        try story.use(
            bob, ["type": "edit", "chat": "alice:bob", "n": 2, "text": "With pleasure", "rev": 1, "key": "b2"],
            [(alice, "message.edited"), (laptop, "message.edited")])
        try story.use(
            alice, ["type": "react", "chat": "alice:bob", "n": 2, "emoji": "👍", "on": true, "key": "a3"],
            [(laptop, "reaction"), (bob, "reaction")])
        try story.use(
            alice, ["type": "read", "chat": "alice:bob", "n": 2, "key": "a4"], [(laptop, "read"), (bob, "read")])
        try story.use(alice, ["type": "archive", "chat": "alice:bob", "on": true, "key": "a5"], [(laptop, "archived")])
        try story.use(alice, ["type": "typing", "chat": "alice:bob", "on": true], [(bob, "typing")])
        let head = try story.use(alice, ["type": "history", "chat": "alice:bob", "limit": 1])["messages"]?.arrayValue?
            .last
        try story.use(alice, ["type": "ack", "seq": head?["seq"] ?? .null])
        #expect(try bob.event("delivered")["user"] == "alice")
        let found = try story.use(bob, ["type": "send", "to": "alice", "text": "To go", "key": "b3"])
        try story.use(
            bob, ["type": "delete", "chat": "alice:bob", "n": found["n"] ?? .null, "key": "b4"],
            [(alice, "message.deleted"), (laptop, "message.deleted")])
        #expect(try story.use(alice, ["type": "chats"])["chats"]?.arrayValue?.count == 1)
        // The index follows within a second.
        for _ in 0..<50 {
            let answer = try story.use(alice, ["type": "search", "q": "pleas", "chat": "alice:bob", "from": "bob"])
            if answer["messages"]?.arrayValue?.count == 1 { return }
            Thread.pause(milliseconds: 100)
        }
        Issue.record("the message is not found")
    }

    /// - Returns: a room that stays.
    private func gather(_ story: Story) throws -> String {
        let (alice, laptop, bob, carol) = (story.alice, story.laptop, story.bob, story.carol)
        let made = try story.use(
            alice, ["type": "room.create", "title": "Films", "members": ["bob"], "open": true, "key": "a10"],
            [(laptop, "room"), (bob, "room")])
        let chat = try #require(made["chat"])
        try story.use(
            alice, ["type": "room.update", "chat": chat, "title": "All films", "pace": 0, "key": "a11"],
            [(laptop, "room"), (bob, "room")])
        try story.use(
            carol, ["type": "room.join", "chat": chat, "key": "c1"], [(carol, "room"), (alice, "room"), (bob, "room")])
        let (dave, erin) = (try story.server.device("dave", "phone"), try story.server.device("erin", "phone"))
        for device in [dave, erin] { try device.ok(["type": "follow", "topic": "user:alice"]) }
        try story.use(
            alice, ["type": "room.invite", "chat": chat, "members": ["dave", "erin"], "key": "a12"],
            [(laptop, "room"), (bob, "room"), (carol, "room")])
        try answerInvitations(story, chat)
        try story.use(
            alice, ["type": "room.role", "chat": chat, "user": "bob", "role": "moderator", "key": "a13"],
            [(laptop, "room"), (bob, "room"), (carol, "room")])
        try story.use(
            bob, ["type": "room.mute", "chat": chat, "user": "carol", "until": "2056-01-01T00:00:00Z", "key": "b10"],
            [(laptop, "room"), (alice, "room"), (carol, "room")])
        try story.use(
            bob,
            [
                "type": "room.remove", "chat": chat, "user": "dave", "ban": true, "until": "2056-01-01T00:00:00Z",
                "reason": "spam", "key": "b11",
            ], [(laptop, "room"), (alice, "room")])
        let members = try story.use(carol, ["type": "room.members", "chat": chat, "limit": 2])
        #expect(members["members"]?.arrayValue?.count == 2 && members["count"] == 4 && members["next"] != nil)
        #expect(try story.use(carol, ["type": "rooms", "open": true])["rooms"]?.arrayValue?.count == 1)
        try story.use(carol, ["type": "room.leave", "chat": chat, "key": "c2"], [(laptop, "room"), (alice, "room")])
        return chat.stringValue ?? ""
    }

    /// Alice asks two people whom she does not know.
    private func answerInvitations(_ story: Story, _ chat: JSONValue) throws {
        let (frank, tablet, gina) = (
            try story.server.device("frank", "phone"), try story.server.device("frank", "tablet"),
            try story.server.device("gina", "phone")
        )
        let asked = try story.use(
            story.alice, ["type": "room.invite", "chat": chat, "members": ["frank", "gina"], "key": "a14"])
        #expect(asked["invited"] == ["frank", "gina"] && asked["members"] == nil)
        for device in [frank, tablet, gina] { #expect(try device.event("room.invited")["by"] == "alice") }
        #expect(
            try story.use(frank, ["type": "room.invitations"])["invitations"]?.arrayValue?.first?["chat"] == chat)
        let accepted = try story.use(
            frank, ["type": "room.accept", "chat": chat, "key": "f1"], [(story.alice, "room")])
        // First the invitation ends, then the person is in the room.
        #expect(try tablet.event("room.uninvited")["reason"] == "accepted")
        try tablet.event("room") { $0["seq"] == accepted["seq"] }
        try story.use(gina, ["type": "room.decline", "chat": chat, "key": "g1"], [(gina, "room.uninvited")])
        try story.use(frank, ["type": "room.leave", "chat": chat, "key": "f2"], [(story.alice, "room")])
    }

    private func followAndBlock(_ story: Story) throws {
        let (alice, laptop) = (story.alice, story.laptop)
        try story.use(alice, ["type": "follow", "topic": "movie:603", "key": "a20"], [(laptop, "followed")])
        #expect(try story.use(alice, ["type": "following"])["topics"] == ["movie:603", "user:bob"])
        #expect(try story.use(story.bob, ["type": "followers", "topic": "movie:603"])["users"] == ["alice"])
        try story.use(alice, ["type": "unfollow", "topic": "movie:603", "key": "a21"], [(laptop, "unfollowed")])
        try story.use(alice, ["type": "block", "user": "carol", "key": "a22"], [(laptop, "blocked")])
        #expect(try story.use(alice, ["type": "blocks"])["users"] == ["carol"])
        try story.use(alice, ["type": "unblock", "user": "carol", "key": "a23"], [(laptop, "unblocked")])
        try story.use(
            alice,
            [
                "type": "report", "user": "bob", "chat": "alice:bob", "n": 2, "category": "spam", "reason": "Again",
                "key": "a24",
            ])
    }

    private func notify(_ story: Story) throws {
        let (alice, laptop) = (story.alice, story.laptop)
        let admin = try story.server.admin()
        for title in ["One", "Two"] {
            let sent = try admin.call("POST", "/v1/broadcasts", ["audience": "user:alice", "title": .string(title)])
            #expect(sent.status == 202)
        }
        let two = try laptop.event("notification") { $0["title"] == "Two" }
        let listed = try story.use(alice, ["type": "notifications", "limit": 2, "unread": true])
        #expect(listed["notifications"]?.arrayValue?.map { $0["title"] } == ["Two", "One"])
        let id = try #require(two["id"])
        #expect(try story.use(alice, ["type": "notification", "notification": id])["title"] == "Two")
        let one = try #require(listed["notifications"]?.arrayValue?.last?["id"])
        try story.use(alice, ["type": "seen", "ids": [one]], [(laptop, "notification.seen")])
        let until = Date(timeIntervalSinceNow: 86_400).ISO8601Format()
        try story.use(alice, ["type": "snooze", "ids": [id], "until": .string(until)])
        #expect(try laptop.event("notification.removed") { $0["reason"] == "snoozed" }["id"] == id)
        try story.use(alice, ["type": "archive", "ids": [one, id], "key": "a31"])
        for id in [one, id] {
            try laptop.event("notification.removed") { $0["reason"] == "archived" && $0["id"] == id }
        }
        try story.use(
            alice,
            [
                "type": "preferences",
                "set": [
                    "locale": "it-IT", "timeZone": "Europe/Rome",
                    "quietHours": ["from": "22:00", "to": "07:00", "days": ["mon"]],
                    "mute": ["chats": ["alice:bob": true]], "kinds": ["release": ["deliver": "silent"]],
                    "digest": ["review": "daily 18:00", "topic:movie:603": ["every": 3600]], "presence": "contacts",
                ], "key": "a30",
            ])
        #expect(try laptop.event("preferences")["preferences"]?["locale"] == "it-IT")
    }

    private func keepDocuments(_ story: Story) throws {
        let (alice, laptop) = (story.alice, story.laptop)
        let path: JSONValue = "users/alice/tasks/1"
        #expect(try story.use(laptop, ["type": "watch", "path": "users/alice/tasks"])["documents"] == [])
        try story.use(
            alice, ["type": "put", "path": path, "data": ["title": "Popcorn"], "ifVersion": 0, "key": "a40"],
            [(laptop, "document")])
        let patched = try story.use(
            alice, ["type": "patch", "path": path, "data": ["done": true], "ifVersion": 1, "key": "a41"],
            [(laptop, "document")])
        #expect(patched["data"] == ["title": "Popcorn", "done": true])
        #expect(try story.use(laptop, ["type": "get", "path": path])["version"] == 2)
        try story.use(
            alice, ["type": "remove", "path": path, "ifVersion": 2, "key": "a42"], [(laptop, "document")])
        #expect(try story.use(laptop, ["type": "unwatch", "path": "users/alice/tasks"])["path"] == "users/alice/tasks")
        try story.use(
            alice, ["type": "put", "path": "users/alice/tasks/2", "data": ["title": "Tickets"], "key": "a43"])
    }

    private func rest(_ story: Story) throws {
        let alice = story.alice
        #expect(try story.use(alice, ["type": "presence", "watch": ["bob"]])["online"] == ["bob"])
        try story.use(alice, ["type": "focus", "on": true, "chat": "alice:bob"])
        #expect(try story.use(alice, ["type": "ping"])["time"] != nil)
        try story.use(alice, try Device.helloCommand(token: story.server.token("alice")))
        let subscription: JSONValue = [
            "endpoint": "https://push.example.org/1",
            "keys": [
                "p256dh": "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
                "auth": "tBHItJI5svbpez7KI4CCXg",
            ],
        ]
        try story.use(
            alice, ["type": "device", "platform": "webpush", "subscription": subscription, "privacy": "hidden"])
        #expect(try story.use(alice, ["type": "devices"])["devices"]?.arrayValue?.count == 1)
    }
}
