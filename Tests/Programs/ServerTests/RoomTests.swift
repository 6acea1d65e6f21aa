import Foundation
import JSON
import Server
import TestSupport
import Testing

/// Rooms on real sockets: events on every device, counts, resumes, refusals by field, and what administrators see.
struct RoomTests {
    let server: TestServer

    init() throws { server = try TestServer.shared.get() }

    /// A room of three users, of whom the first owns it and has two devices.
    private struct Room {
        let names: [String]
        let chat: String
        let owner: Device
        let laptop: Device
        let bob: Device
        let carol: Device

        init(on server: TestServer, _ more: JSONObject = [:]) throws {
            let names = ["alice", "bob", "carol"].map(server.name)
            self.names = names
            owner = try server.device(names[0], "phone")
            laptop = try server.device(names[0], "laptop")
            bob = try server.device(names[1], "phone")
            carol = try server.device(names[2], "phone")
            for device in [bob, carol] { try device.ok(["type": "preferences", "set": ["invites": "all"]]) }
            var create: JSONObject = [
                "type": "room.create", "title": "Films", "key": "create",
                "members": .array(names.dropFirst().map { .string($0) }),
            ]
            for (name, value) in more.members { create[name] = value }
            chat = try #require(try owner.ok(.object(create))["chat"]?.stringValue)
        }

        var all: [Device] { [owner, laptop, bob, carol] }

        func command(_ type: String, _ more: JSONObject = [:]) -> JSONValue {
            var command: JSONObject = ["type": .string(type), "chat": .string(chat)]
            for (name, value) in more.members { command[name] = value }
            return .object(command)
        }

        @discardableResult
        func send(_ device: Device, _ text: String, key: String? = nil) throws -> JSONValue {
            try device.ok(command("send", ["text": .string(text), "key": .string(key ?? "m-\(text)")]))
        }
    }

    @Test func `every device of every member gets the same bytes, and true counts`() throws {
        let room = try Room(on: server)
        let ok = try room.send(room.bob, "hello")
        let seq = try #require(ok["seq"]?.integerValue)
        for device in room.all { try device.wait(forSeq: seq) }
        let texts = room.all.map { device in device.texts.filter { $0.contains(#""type":"message""#) } }
        #expect(texts[0].count == 1 && Set(texts).count == 1)
        for device in [room.owner, room.laptop, room.carol] {
            #expect(try device.event("unread")["chats"] == 1)
        }
        try room.bob.settle()
        #expect(!room.bob.messages.contains { $0["type"] == "unread" })
        try room.laptop.ok(room.command("read", ["n": 1]))
        #expect(try room.owner.event("unread")["chats"] == 0)
        #expect(try room.carol.event("read")["user"] == .string(room.names[0]))
        // The next message makes it unread again; a second one sends no counts.
        try room.send(room.bob, "two")
        try room.send(room.carol, "three")
        #expect(try room.owner.event("unread")["chats"] == 1)
        try room.owner.settle()
        #expect(room.owner.messages.count { $0["type"] == "unread" } == 3)
        #expect(try server.connect().hello(token: server.token(room.names[0]))["unread"]?["chats"] == 1)
        let repeated = try room.bob.ok(room.command("send", ["text": "hello", "key": "m-hello"]))
        #expect(repeated == ok)
    }

    @Test func `a device that was away gets what a connected one got, up to its leaving`() throws {
        let room = try Room(on: server)
        let hello = try server.connect().hello(token: server.token(room.names[2]), device: "away")
        let since: JSONValue = ["epoch": try #require(hello["epoch"]), "seq": try #require(hello["seq"])]
        let start = try #require(hello["seq"]?.integerValue)
        for number in 1...3 { try room.send(room.bob, "m\(number)") }
        try room.bob.ok(room.command("edit", ["n": 2, "text": "edited"]))
        try room.owner.ok(room.command("react", ["n": 3, "emoji": "👍", "on": true]))
        try room.owner.ok(room.command("room.update", ["title": "Series"]))
        let gone = try #require(try room.carol.ok(room.command("room.leave"))["seq"]?.integerValue)
        try room.send(room.bob, "late")
        try room.carol.settle()
        let seqs = room.carol.seqs.filter { $0 > start }
        #expect(seqs.last == gone && seqs.count == 7)
        let back = try server.connect()
        try back.hello(token: server.token(room.names[2]), device: "away", since: since)
        try back.event("live")
        #expect(back.seqs == seqs)
        #expect(!back.texts.joined().contains("late") && !room.carol.texts.joined().contains("late"))
        #expect(try room.carol.refused(room.command("history"))["code"] == "forbidden")
    }

    @Test func `somebody who joins gets what comes, on devices that are connected already`() throws {
        let room = try Room(on: server, ["open": true, "history": "joined"])
        try room.send(room.bob, "before")
        let dave = server.name("dave")
        let phone = try server.device(dave, "phone")
        let laptop = try server.device(dave, "laptop")
        let list = try phone.ok(["type": "rooms", "open": true, "limit": 200])["rooms"]?.arrayValue ?? []
        #expect(list.contains { $0["chat"] == .string(room.chat) && $0["role"] == nil })
        try phone.ok(room.command("room.join"))
        try room.send(room.bob, "after")
        for device in [phone, laptop] {
            #expect(try device.event("room")["change"] == "joined")
            #expect(try device.event("message")["text"] == "after")
            #expect(try device.event("unread")["chats"] == 1)
        }
        try room.bob.ok(room.command("edit", ["n": 1, "text": "secret"]))
        try room.send(room.bob, "last")
        #expect(try laptop.event("message")["text"] == "last")
        #expect(!laptop.texts.joined().contains("secret") && room.carol.messages.contains { $0["text"] != "secret" })
        #expect(try phone.ok(room.command("history"))["messages"]?.arrayValue?.map { $0["text"] } == ["after", "last"])
        try room.owner.ok(room.command("room.remove", ["user": .string(dave), "ban": true]))
        #expect(try laptop.event("room")["change"] == "removed")
        #expect(try laptop.event("unread")["chats"] == 0)
        #expect(try phone.refused(room.command("room.join"))["code"] == "forbidden")
    }

    @Test func `typing reaches the other members, and not the writer's devices`() throws {
        let room = try Room(on: server)
        try room.owner.ok(room.command("typing", ["on": true]))
        for device in [room.bob, room.carol] { #expect(try device.event("typing")["user"] == .string(room.names[0])) }
        for device in [room.owner, room.laptop] { try device.settle() }
        #expect(!room.laptop.messages.contains { $0["type"] == "typing" })
        #expect(!room.owner.messages.contains { $0["type"] == "typing" })
        let presence: JSONValue = ["type": "presence", "watch": [.string(room.names[2])]]
        #expect(try room.bob.ok(presence)["online"] == [], "she was only brought in")
        try room.send(room.carol, "hello")
        #expect(try room.bob.ok(presence)["online"] == [.string(room.names[2])])
    }

    @Test func `a wrong command is refused, and the error names the field`() throws {
        let room = try Room(on: server)
        let bob: JSONValue = .string(room.names[1])
        for (type, more, field) in [
            ("room.create", ["title": ""], "title"), ("room.create", ["title": "x"], "members"),
            ("room.create", ["title": "x", "members": ["a b"]], "members.0"),
            ("room.create", ["title": "x", "members": [], "open": 1], "open"),
            ("room.create", ["title": "x", "members": [], "posting": "x"], "posting"),
            ("room.create", ["title": "x", "members": [], "history": "x"], "history"),
            ("room.update", ["pace": -1], "pace"), ("room.invite", ["members": []], "members"),
            ("room.remove", [:], "user"), ("room.remove", ["user": bob, "until": "2090-01-01T00:00:00Z"], "until"),
            ("room.remove", ["user": bob, "ban": true, "until": "2020-01-01T00:00:00Z"], "until"),
            ("room.role", ["user": bob], "role"), ("room.role", ["user": bob, "role": "x"], "role"),
            ("room.mute", ["user": bob, "until": "2020-01-01T00:00:00Z"], "until"),
            ("room.members", ["limit": 0], "limit"), ("rooms", ["open": "x"], "open"),
            ("room.update", ["chat": "a:b"], "chat"), ("room.join", ["chat": "x"], "chat"),
        ] as [(String, JSONObject, String)] {
            let error = try room.owner.refused(room.command(type, more))
            #expect(error["code"] == "bad-request" && error["field"] == .string(field), "\(type) \(more)")
        }
        for (type, more) in [
            ("room.update", ["title": "x"]), ("room.invite", ["members": [.string(server.name("x"))]]),
            ("room.remove", ["user": .string(room.names[2])]), ("room.role", ["user": bob, "role": "owner"]),
            ("room.mute", ["user": .string(room.names[2])]),
        ] as [(String, JSONObject)] {
            #expect(try room.bob.refused(room.command(type, more))["code"] == "forbidden", "\(type)")
        }
        let eve = try server.device(server.name("eve"), "phone")
        for (type, more) in [
            ("send", ["text": "x", "key": "k"]), ("history", [:]), ("room.join", [:]), ("room.members", [:]),
            ("room.leave", [:]), ("typing", ["on": true]), ("read", ["n": 1]),
        ] as [(String, JSONObject)] {
            #expect(try eve.refused(room.command(type, more))["code"] == "forbidden", "\(type)")
        }
    }

    @Test func `an administrator sees rooms and their members, and nobody else does`() throws {
        let room = try Room(on: server)
        let admin = try server.admin()
        let shown = try admin.call("GET", "/v1/rooms/\(room.chat)").json()
        #expect(shown["members"] == 3 && shown["title"] == "Films" && shown["people"]?.arrayValue?.count == 3)
        var found = false
        var after = ""
        repeat {
            let page = try admin.call("GET", "/v1/rooms?limit=200&after=\(after.isEmpty ? "0" : after)").json()
            found = found || page["rooms"]?.arrayValue?.contains { $0["chat"] == .string(room.chat) } == true
            after = page["next"]?.stringValue ?? ""
        } while !found && !after.isEmpty
        #expect(found)
    }

    @Test func `rooms, roles, bans and counts outlast a restart`() throws {
        let folder = TemporaryFolder()
        var server = try TestServer(in: folder) { _ in }
        let (alice, bob, carol) = (server.name("alice"), server.name("bob"), server.name("carol"))
        let owner = try server.device(alice, "phone")
        for name in [bob, carol] {
            try server.device(name, "tablet").ok(["type": "follow", "topic": .string("user:" + alice)])
        }
        let create: JSONValue = [
            "type": "room.create", "title": "Films", "members": [.string(bob), .string(carol)], "open": true,
            "key": "c",
        ]
        let made = try owner.ok(create)
        let chat = try #require(made["chat"])
        let send: JSONValue = ["type": "send", "chat": chat, "text": "hello", "key": "m"]
        let sent = try owner.ok(send)
        try owner.ok(["type": "room.role", "chat": chat, "user": .string(bob), "role": "moderator"])
        try owner.ok(["type": "room.remove", "chat": chat, "user": .string(carol), "ban": true])
        server.application.stop()
        server = try TestServer(in: folder) { _ in }
        let hello = try server.connect().hello(token: server.token(bob))
        #expect(hello["unread"]?["chats"] == 1)
        let (again, member) = (try server.device(alice, "phone"), try server.device(bob, "phone"))
        #expect(try again.ok(create) == made && again.ok(send) == sent)
        #expect(try server.device(carol, "phone").refused(["type": "room.join", "chat": chat])["code"] == "forbidden")
        try again.ok(["type": "send", "chat": chat, "text": "two", "key": "m2"])
        #expect(try member.event("message")["n"] == 2)
        try member.ok(["type": "room.update", "chat": chat, "title": "Series"])
        #expect(try again.event("room")["room"]?["title"] == "Series")
        try member.ok(["type": "read", "chat": chat, "n": 2])
        #expect(try member.event("unread")["chats"] == 0)
        server.application.stop()
    }

    @Test func `five hundred members get each message, once`() throws {
        let owner = try server.device(server.name("owner"), "phone")
        let names = (0..<500).map { _ in server.name("m") }
        let admin = try server.admin()
        for name in names {
            let answer = try admin.call("PATCH", "/v1/users/\(name)/preferences", ["invites": "all"])
            try #require(answer.status == 200)
        }
        let create: JSONValue = [
            "type": "room.create", "title": "Many", "members": .array(names.map { .string($0) }), "key": "c",
        ]
        let chat = try #require(try owner.ok(create)["chat"])
        let devices = try names.prefix(40).map { try server.device($0, "phone") }
        var last: Int64 = 0
        for number in 1...20 {
            let ok = try owner.ok([
                "type": "send", "chat": chat, "text": .string("m\(number)"), "key": .string("k\(number)"),
            ])
            last = ok["seq"]?.integerValue ?? 0
        }
        for device in devices {
            try device.wait(forSeq: last)
            try device.settle()
            let got = device.messages.filter { $0["type"] == "message" }.compactMap { $0["n"]?.integerValue }
            #expect(got == Array(1...20))
            #expect(device.messages.filter { $0["type"] == "unread" }.map { $0["chats"] } == [1])
        }
    }
}
