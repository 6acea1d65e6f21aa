import JSON
import Model
import Services
import ServicesTestSupport
import Store
import Testing

@testable import ClientProtocol

/// Rooms: who may do what, what each member sees of them, and who gets nothing.
struct RoomTests {
    private func refused(_ house: House, _ body: () throws -> JSONValue) throws -> Refusal {
        try house.refusal(of: ["alice", "bob", "carol", "dave", "eve"], body)
    }

    /// Alice owns, Bob moderates, Carol and Dave are members.
    private func house(isOpen: Bool = false) throws -> (House, String) {
        let house = try House()
        let room = try house.room("alice", ["bob", "carol", "dave"], isOpen: isOpen)
        try house.setRole("alice", room, "bob", .moderator)
        return (house, room)
    }

    private func resumed(_ house: House, _ name: String, after position: Int64 = 0) throws -> [JSONValue] {
        let user = try house.entry(name)
        let page = try house.look {
            try LogPage(of: user, after: Position(position), deviceLanguage: nil, limit: 1000, in: $0)
        }
        return try page.events.map { try JSONValue(parsing: $0.bytes) }
    }

    // MARK: Messages

    @Test func `a message reaches every member once, as one entry of the log and one publication`() throws {
        let (house, room) = try house()
        let sessions = try ["alice", "bob", "carol", "dave"].map { try house.connect($0) }
        let stranger = try house.connect("eve")
        let entries = try house.look { try $0.log.count() }
        let ok = try house.send("carol", room, "hello", key: "m1")
        #expect(ok["n"] == 1 && ok["chat"] == .string(room))
        #expect(try house.look { try $0.log.count() } == entries + 1)
        let published = try #require(house.commits.last).count {
            if case .publication = $0 { true } else { false }
        }
        #expect(published == 1)
        for session in sessions {
            let event = try #require(session.events.last)
            #expect(event["type"] == "message" && event["text"] == "hello" && event["from"] == "carol")
            #expect(event["key"] == "m1" && event["seq"] == ok["seq"] && session.types.count { $0 == "message" } == 1)
        }
        #expect(stranger.events.isEmpty)
        #expect(sessions.map(\.counts.chats) == [1, 1, 0, 1])
        #expect(try house.chatLine("bob", room)?["unread"] == 1 && house.chatLine("carol", room)?["unread"] == 0)
    }

    @Test func `a resume gives the same entries as a session that was there`() throws {
        let (house, room) = try house()
        let dave = try house.connect("dave")
        let start = house.head.value
        try house.send("alice", room, "one")
        try house.markRead("dave", room, 1)
        try house.send("bob", room, "two")
        try house.react("carol", room, 2, "👍")
        try house.edit("bob", room, 2, "two!")
        try house.update("bob", room, title: "Series")
        let live = dave.events.compactMap { $0["seq"] }
        #expect(live == (try resumed(house, "dave", after: start)).compactMap { $0["seq"] } && live.count == 6)
    }

    @Test func `edit, delete, react, read and archive work as in a pair`() throws {
        let (house, room) = try house()
        try house.send("carol", room, "one")
        #expect(try refused(house) { try house.edit("alice", room, 1, "x") }.field == "n")
        #expect(try house.edit("carol", room, 1, "1")["rev"] == 2)
        try house.react("dave", room, 1, "🎬")
        #expect(try house.history("alice", room)["messages"]?.arrayValue?[0]["reactions"]?.arrayValue?.count == 1)
        #expect(try refused(house) { try house.delete("dave", room, 1) }.code == .forbidden)
        try house.delete("bob", room, 1)
        #expect(try house.history("dave", room)["messages"]?.arrayValue?[0]["deleted"] == true)
        try house.markRead("dave", room, 1)
        #expect(try house.chatLine("alice", room)?["peerRead"] == 1)
        try house.write(ArchiveChat(try chat(room), isOn: true, key: nil), by: "dave")
        #expect(try house.chatLine("dave", room)?["archived"] == true)
        try house.send("alice", room, "two")
        #expect(try house.chatLine("dave", room)?["archived"] == false)
        let line = try #require(try house.chatLine("dave", room))
        #expect(line["title"] == "Films" && line["role"] == "member" && line["members"] == 4 && line["with"] == nil)
    }

    @Test func `acknowledging a position tells the room, and a large room nothing`() throws {
        let (house, room) = try house()
        try house.send("carol", room, "one")
        let alice = try house.connect("alice")
        try house.write(AcknowledgePosition(house.head), by: "dave")
        #expect(alice.types == ["delivered"])
        try house.invite("alice", room, (0..<100).map { "u\($0)" })
        alice.forget()
        let dave = try house.connect("dave")
        try house.send("carol", room, "two")
        try house.write(AcknowledgePosition(house.head), by: "dave")
        try house.markRead("dave", room, 2)
        #expect(alice.types == ["message"])
        #expect(dave.types == ["message", "read"] && dave.counts.chats == 0)
        #expect(try house.chatLine("alice", room)?["peerRead"] == nil)
    }

    // MARK: History

    @Test func `messages before one's joining do not exist in a closed room`() throws {
        let (house, room) = try house()
        try house.send("alice", room, "one")
        try house.send("alice", room, "two")
        let before = house.head.value
        try house.invite("bob", room, ["eve"])
        let eve = try house.connect("eve")
        #expect(eve.counts.chats == 0)
        try house.send("carol", room, "three")
        #expect(try house.numbers("eve", room) == [3] && house.numbers("dave", room) == [1, 2, 3])
        #expect(try house.history("eve", room, after: 0)["messages"]?.arrayValue?.count == 1)
        #expect(try house.history("eve", room, before: 3)["messages"]?.arrayValue?.isEmpty == true)
        let events = try resumed(house, "eve")
        #expect(events.compactMap { $0["n"]?.integerValue } == [3] && events[0]["change"] == "joined")
        #expect(events.allSatisfy { ($0["seq"]?.integerValue ?? 0) > before })
        // Changes of them reach those members alone that have them.
        eve.forget()
        let dave = try house.connect("dave")
        try house.edit("alice", room, 1, "secret")
        try house.react("carol", room, 2, "👍")
        try house.delete("alice", room, 2)
        #expect(eve.events.isEmpty && dave.types == ["message.edited", "reaction", "message.deleted"])
        #expect(try resumed(house, "eve").count == 2)
        for body in [
            { try house.react("eve", room, 1, "👍") }, { try house.delete("eve", room, 1) },
            { try house.edit("eve", room, 1, "x") },
        ] { #expect(try refused(house, body).code == .notFound) }
        #expect(try refused(house) { try house.send("eve", room, "re", replyTo: 1) }.field == "replyTo")
        let path = try DocumentPath("chats/\(room)/messages/1")
        #expect(throws: Refusal.self) { try house.read(ReadDocument(path), by: "eve") }
        #expect(try house.read(ReadDocument(path), by: "dave")["data"]?["text"] == "secret")
    }

    @Test func `in an open room everything can be read, but nothing before is unread`() throws {
        let (house, room) = try house(isOpen: true)
        try house.send("alice", room, "one")
        try house.join("eve", room)
        #expect(try house.numbers("eve", room) == [1] && house.counts("eve").chats == 0)
        try house.update("alice", room, history: .joined)
        #expect(try house.numbers("eve", room).isEmpty)
        #expect(try house.chatLine("eve", room)?["last"] == nil)
    }

    @Test func `a user who has left or was removed gets nothing later, and the earlier messages once more`() throws {
        let (house, room) = try house()
        try house.send("alice", room, "one")
        let carol = try house.connect("carol")
        let dave = try house.connect("dave")
        #expect(carol.counts.chats == 1)
        try house.leave("carol", room)
        try house.remove("bob", room, "dave")
        #expect(carol.counts.chats == 0 && dave.counts.chats == 0)
        #expect(carol.types == ["room"] && dave.types == ["room", "room"])
        let seen = try resumed(house, "dave").compactMap { $0["seq"] }
        try house.send("alice", room, "two")
        try house.edit("alice", room, 1, "later")
        #expect(carol.types == ["room"] && dave.types == ["room", "room"])
        let events = try resumed(house, "dave")
        // The message was changed after it: as it is now, it is for others.
        #expect(
            events.compactMap { $0["seq"] }
                == seen.filter { $0 != events.first { $0["n"] == 1 }?["seq"] }.filter { seq in
                    events.contains { $0["seq"] == seq }
                })
        #expect(!JSONValue.array(events).text.contains("later") && !JSONValue.array(events).text.contains("two"))
        #expect(try refused(house) { try house.history("dave", room) }.code == .forbidden)
        #expect(try refused(house) { try house.send("dave", room) }.code == .forbidden)
        #expect(try house.chatLine("dave", room) == nil)
        try house.invite("bob", room, ["dave"])
        try house.send("alice", room, "three")
        #expect(try house.numbers("dave", room) == [3])
        #expect(try resumed(house, "dave").compactMap { $0["n"]?.integerValue } == [3])
    }

    // MARK: Roles

    @Test func `each role may do what it may, and no more`() throws {
        let (house, room) = try house()
        #expect(
            try house.roles("dave", room) == [
                "alice": "owner", "bob": "moderator", "carol": "member", "dave": "member",
            ])
        for body in [
            { try house.invite("carol", room, ["eve"]) }, { try house.remove("carol", room, "dave") },
            { try house.update("carol", room, title: "x") }, { try house.mute("carol", room, "dave", until: nil) },
            { try house.setRole("bob", room, "dave", .moderator) }, { try house.update("bob", room, isOpen: true) },
            { try house.update("bob", room, posting: .moderators) }, { try house.remove("bob", room, "alice") },
            { try house.update("bob", room, history: .all) }, { try house.setRole("carol", room, "dave", .owner) },
            { try house.join("eve", room) }, { try house.leave("eve", room) }, { try house.send("eve", room) },
            { try house.roles("eve", room).isEmpty ? .null : .null },
        ] as [() throws -> JSONValue] { #expect(try refused(house, body).code == .forbidden) }
        try house.setRole("alice", room, "carol", .moderator)
        #expect(try refused(house) { try house.remove("bob", room, "carol") }.field == "user")
        #expect(
            try refused(house) { try house.mute("bob", room, "carol", until: house.now.adding(milliseconds: 1)) }.field
                == "user")
        #expect(try refused(house) { try house.setRole("alice", room, "alice", .member) }.code == .conflict)
        #expect(try refused(house) { try house.setRole("alice", room, "eve", .member) }.code == .notFound)
        #expect(try refused(house) { try house.remove("alice", room, "eve") }.code == .notFound)
        #expect(try refused(house) { try house.remove("alice", room, "alice") }.code == .badRequest)
        try house.update("bob", room, title: "Series", pace: 3)
        try house.setRole("alice", room, "carol", .owner)
        #expect(try refused(house) { try house.setRole("carol", room, "alice", .member) }.code == .forbidden)
        try house.setRole("alice", room, "alice", .member)
        #expect(try house.roles("dave", room)["alice"] == "member")
    }

    @Test func `when the last owner goes, the longest-serving moderator, else member, owns; an empty room is closed`()
        throws
    {
        let (house, room) = try house()
        try house.setRole("alice", room, "dave", .moderator)
        try house.setRole("alice", room, "bob", .member)
        for name in ["bob", "carol", "dave"] { try house.send(name, room, "I am here") }
        let carol = try house.connect("carol")
        try house.leave("alice", room)
        #expect(try house.roles("carol", room) == ["bob": "member", "carol": "member", "dave": "owner"])
        #expect(carol.events.map { $0["change"]?.stringValue } == ["left", "role"])
        #expect(carol.events[1]["user"] == "dave" && carol.events[1]["room"]?["role"] == "owner")
        #expect(carol.events[1]["room"]?["members"] == 3)
        try house.leave("dave", room)
        #expect(try house.roles("carol", room)["bob"] == "owner")
        try house.leave("bob", room)
        try house.leave("carol", room)
        #expect(try refused(house) { try house.join("carol", room) }.code == .forbidden)
        #expect(try house.look { try $0.rooms.count() } == 0)
    }

    @Test func `the event of a room is absolute, and names the user who acted and the user who was meant`() throws {
        let (house, room) = try house()
        let bob = try house.connect("bob")
        try house.update("bob", room, title: "Series", pace: 3)
        var event = try #require(bob.events.last)
        #expect(event["change"] == "updated" && event["by"] == "bob" && event["user"] == nil)
        #expect(
            event["room"] == [
                "title": "Series", "open": false, "posting": "all", "history": "joined", "pace": 3, "members": 4,
            ])
        try house.invite("bob", room, ["eve", "frank", "carol"])
        event = try #require(bob.events.last)
        #expect(
            event["users"] == ["eve", "frank"] && event["room"]?["members"] == 6 && event["room"]?["role"] == "member")
        let until = house.now.adding(milliseconds: 1000)
        try house.mute("bob", room, "eve", until: until)
        event = try #require(bob.events.last)
        #expect(event["change"] == "muted" && event["user"] == "eve" && event["until"] == .string(until.text))
        let count = bob.events.count
        try house.update("bob", room, title: "Series")
        try house.invite("bob", room, ["eve"])
        try house.mute("bob", room, "eve", until: until)
        #expect(bob.events.count == count)
        let created = try resumed(house, "alice").filter { $0["type"] == "room" }
        #expect(created[0]["change"] == "created" && created[0]["room"]?["role"] == "owner")
        #expect(created[1]["change"] == "joined" && created[1]["users"] == ["bob", "carol", "dave"])
    }

    // MARK: Restraint

    @Test func `a muted member writes nothing for a while`() throws {
        let (house, room) = try house()
        try house.send("dave", room, "one")
        #expect(try refused(house) { try house.mute("bob", room, "dave", until: house.now) }.field == "until")
        try house.mute("bob", room, "dave", until: house.now.adding(milliseconds: 60_000))
        for body in [
            { try house.send("dave", room) }, { try house.edit("dave", room, 1, "x") },
            { try house.react("dave", room, 1, "👍") },
        ] {
            let refusal = try refused(house, body)
            #expect(refusal.code == .forbidden && refusal.retryAfterMilliseconds == 60_000)
        }
        try house.markRead("dave", room, 1)
        house.now = house.now.adding(milliseconds: 60_000)
        try house.send("dave", room, "two")
        try house.mute("bob", room, "dave", until: house.now.adding(milliseconds: 60_000))
        try house.mute("bob", room, "dave", until: nil)
        try house.send("dave", room, "three")
    }

    @Test func `a pace and a posting of moderators hold members, not moderators`() throws {
        let (house, room) = try house()
        try house.update("alice", room, pace: 10)
        try house.send("dave", room, "one")
        let refusal = try refused(house) { try house.send("dave", room, "two") }
        #expect(refusal.code == .rateLimited && refusal.retryAfterMilliseconds == 10_000)
        try house.send("bob", room)
        try house.send("bob", room)
        house.now = house.now.adding(milliseconds: 10_000)
        try house.send("dave", room, "two")
        try house.update("alice", room, posting: .moderators, pace: 0)
        #expect(try refused(house) { try house.send("dave", room) }.code == .forbidden)
        try house.send("bob", room)
        try house.react("dave", room, 1, "👍")
    }

    @Test func `a ban keeps somebody from joining and from being invited, until it ends`() throws {
        let (house, room) = try house(isOpen: true)
        let until = house.now.adding(milliseconds: 60_000)
        try house.remove("bob", room, "dave", ban: true, until: until)
        #expect(try refused(house) { try house.join("dave", room) }.code == .forbidden)
        #expect(try refused(house) { try house.invite("carol", room, ["dave"]) }.field == "members")
        house.now = until.adding(milliseconds: 1)
        try house.join("dave", room)
        try house.remove("bob", room, "eve", ban: true)
        #expect(try refused(house) { try house.join("eve", room) }.code == .forbidden)
        try house.remove("bob", room, "eve", ban: false)
        try house.join("eve", room)
    }

    @Test func `a room has a thousand members at most`() throws {
        let house = try House()
        let room = try house.room("alice", (1..<1000).map { "u\($0)" }, isOpen: true)
        #expect(try refused(house) { try house.join("eve", room) }.code == .tooMany)
        #expect(try refused(house) { try house.invite("alice", room, ["eve"]) }.field == "members")
        try house.leave("u1", room)
        try house.join("eve", room)
    }

    @Test func `the list of rooms, of open ones, and of an administrator`() throws {
        let (house, room) = try house()
        let open = try house.room("bob", isOpen: true)
        func rooms(_ name: String, isOpen: Bool = false) throws -> [JSONValue] {
            try house.read(ListRooms(RoomsCommand(isOpen: isOpen)), by: name)["rooms"]?.arrayValue ?? []
        }
        #expect(try rooms("bob").map { $0["chat"] } == [.string(room), .string(open)])
        #expect(try rooms("bob").map { $0["role"] } == ["moderator", "owner"])
        #expect(try rooms("eve").isEmpty && rooms("eve", isOpen: true).map { $0["chat"] } == [.string(open)])
        #expect(try rooms("eve", isOpen: true)[0]["role"] == nil)
        let first = try house.read(ListRooms(RoomsCommand(limit: 1)), by: "bob")
        let next = try house.read(ListRooms(RoomsCommand(after: first["next"]?.stringValue, limit: 1)), by: "bob")
        #expect(next["rooms"]?.arrayValue?.map { $0["chat"] } == [.string(open)] && next["next"] == nil)
        #expect(try house.roles("eve", open) == ["bob": "owner"])
        let all = try house.read(ReadRooms(after: nil, limit: 10), by: "admin")
        #expect(all["rooms"]?.arrayValue?.count == 2)
        let one = try house.read(ReadRoom(try chat(room), after: nil, limit: 2), by: "admin")
        #expect(one["people"]?.arrayValue?.count == 2 && one["next"] != nil && one["members"] == 4)
    }

    @Test func `a repeated key makes no second room`() throws {
        let house = try House()
        let room = try house.room("alice", ["bob"], key: "c1")
        #expect(try house.room("alice", ["bob"], key: "c1") == room)
        #expect(try refused(house) { try .string(house.room("alice", ["carol"], key: "c1")) }.code == .keyReused)
        #expect(try house.look { try $0.rooms.count() } == 1)
    }

    @Test func `members of a room may see each other's presence, and the triggers' audience is all but the writer`()
        throws
    {
        let house = try House()
        try house.put(trigger: house.messageRow)
        let room = try house.room("alice", ["bob", "carol"])
        _ = try house.actor("eve")
        let member = try house.entry("bob")
        let visible = try house.look {
            try VisiblePeople.visible([try user("alice"), try user("eve")], to: member, in: $0)
        }
        #expect(visible.map(\.1.text) == ["alice"])
        let bob = try house.connect("bob")
        try house.send("carol", room, "hello")
        #expect(bob.types == ["message", "notification"] && bob.counts == UnreadCounts(chats: 1, notifications: 1))
        #expect(try house.counts("alice").notifications == 1 && house.counts("carol").notifications == 0)
        try house.markRead("bob", room, 1)
        #expect(bob.counts == UnreadCounts(chats: 0, notifications: 0))
        try house.delete("carol", room, 1)
        #expect(try house.counts("alice") == UnreadCounts(chats: 0, notifications: 0))
    }
}
