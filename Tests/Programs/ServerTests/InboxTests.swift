import JSON
import Model
import TestSupport
import Testing

/// Following, notifications, preferences: the events that a user gets from elsewhere.
struct InboxTests {
    let server: TestServer

    init() throws { server = try TestServer.shared.get() }

    @Test func `every device hears of follow and unfollow, and repeating is no error`() throws {
        let user = server.name("alice")
        let topic = JSONValue.string("station:\(server.name("s"))")
        let phone = try server.device(user)
        let laptop = try server.device(user)
        let ok = try phone.ok(["type": "follow", "topic": topic, "key": "f"])
        #expect(ok["followers"] == 1)
        let event = try laptop.event("followed")
        let at = event["at"] ?? .null
        #expect(event == ["seq": ok["seq"] ?? .null, "type": "followed", "topic": topic, "key": "f", "at": at])
        #expect(at.stringValue.flatMap { Timestamp($0) } != nil)
        #expect(try laptop.ok(["type": "follow", "topic": topic]) == ok)
        #expect(try phone.ok(["type": "following"])["topics"]?.arrayValue?.count == 1)
        let left = try laptop.ok(["type": "unfollow", "topic": topic])
        #expect(left["followers"] == 0)
        #expect(try phone.event("unfollowed")["topic"] == topic)
        #expect(try phone.ok(["type": "unfollow", "topic": topic])["followers"] == 0)
        #expect(try phone.ok(["type": "following"])["topics"] == [])
    }

    @Test func `a broadcast to a topic reaches its followers on every device, and nobody else`() throws {
        let user = server.name("alice")
        let topic = "station:\(server.name("s"))"
        let phone = try server.device(user)
        let laptop = try server.device(user)
        let stranger = try server.device(server.name("eve"))
        try phone.ok(["type": "follow", "topic": .string(topic)])
        let answer = try server.admin().call(
            "POST",
            "/v1/broadcasts",
            ["audience": .string(topic), "title": "Hello", "body": "there", "data": ["a": 1]]
        )
        #expect(answer.status == 202)
        let notification = try phone.event("notification")
        #expect(notification["title"] == "Hello")
        #expect(notification["body"] == "there")
        #expect(notification["topic"] == .string(topic))
        #expect(notification["level"] == "active")
        #expect(notification["data"] == ["a": 1])
        #expect(notification["id"] != nil)
        #expect(try laptop.event("notification") == notification)
        #expect(try phone.event("unread") { $0["notifications"] == 1 }["chats"] == 0)
        try stranger.settle()
        #expect(stranger.durable.isEmpty)
    }

    @Test func `notifications are listed newest first, and a seen one is seen on every device`() throws {
        let user = server.name("alice")
        let phone = try server.device(user)
        let laptop = try server.device(user)
        let admin = try server.admin()
        for number in 1...3 {
            _ = try admin.call(
                "POST",
                "/v1/broadcasts",
                ["audience": .string("user:\(user)"), "title": .string("N\(number)")]
            )
        }
        try phone.event("notification") { $0["title"] == "N3" }
        let list = try phone.ok(["type": "notifications"])
        let notifications = try #require(list["notifications"]?.arrayValue)
        #expect(notifications.compactMap { $0["title"]?.stringValue } == ["N3", "N2", "N1"])
        #expect(list["unread"] == 3)
        let seen = try phone.ok(["type": "seen", "ids": [notifications[0]["id"] ?? .null]])
        #expect(seen["unread"] == 2)
        #expect(try laptop.event("notification.seen")["ids"] == [notifications[0]["id"] ?? .null])
        #expect(try laptop.event("unread") { $0["notifications"] == 2 }["chats"] == 0)
        let upTo = try laptop.ok(["type": "seen", "upTo": seen["seq"] ?? .null])
        #expect(upTo["unread"] == 0)
        #expect(try phone.event("notification.seen") { $0["upTo"] != nil }["upTo"] == seen["seq"])
        #expect(try phone.ok(["type": "notifications", "unread": true])["notifications"] == [])
        #expect(try phone.ok(["type": "notifications", "limit": 1])["next"] != nil)
    }

    @Test func `hello tells what is unread`() throws {
        let pair = try server.pair()
        _ = try server.admin().call(
            "POST",
            "/v1/broadcasts",
            ["audience": .string("user:\(pair.bob)"), "title": "N"]
        )
        // Two notifications of the film network's triggers: of the follow and of the recommendation.
        try pair.bobPhone.event("unread") { $0["notifications"] == 3 }
        let ok = try server.connect().hello(token: server.token(pair.bob))
        #expect(ok["unread"] == ["chats": 1, "notifications": 3])
    }

    @Test func `every device gets the preferences, which choose the language`() throws {
        let user = server.name("alice")
        let phone = try server.device(user)
        let laptop = try server.device(user)
        #expect(try phone.ok(["type": "preferences"])["locale"] == .null)
        #expect(try phone.ok(["type": "preferences", "set": ["locale": "it"]])["locale"] == "it")
        #expect(try laptop.event("preferences")["preferences"]?["locale"] == "it")
        #expect(try laptop.ok(["type": "preferences"])["locale"] == "it")
        _ = try server.admin().call(
            "POST",
            "/v1/broadcasts",
            ["audience": .string("user:\(user)"), "title": ["en": "Hello", "it": "Ciao"]]
        )
        #expect(try laptop.event("notification")["title"] == "Ciao")
    }
}

/// Events outside of the log: typing and presence.
struct PresenceTests {
    let server: TestServer

    init() throws { server = try TestServer.shared.get() }

    @Test func `typing reaches the other's devices, without a position, and no stranger`() throws {
        let pair = try server.pair()
        let eve = try server.device(server.name("eve"))
        try pair.alicePhone.ok(["type": "typing", "chat": .string(pair.chat), "on": true])
        for device in [pair.bobPhone, pair.bobLaptop] {
            #expect(
                try device.event("typing") == [
                    "type": "typing", "chat": .string(pair.chat), "user": .string(pair.alice), "on": true,
                ]
            )
        }
        try pair.alicePhone.ok(["type": "send", "chat": .string(pair.chat), "text": "x", "key": "x"])
        try pair.aliceLaptop.event("message") { $0["key"] == "x" }
        try eve.settle()
        #expect(!pair.aliceLaptop.messages.contains { $0["type"] == "typing" })
        #expect(!eve.messages.contains { $0["type"] == "typing" })
    }

    @Test func `users who share a chat see each other's presence, and hear of changes`() throws {
        let pair = try server.pair()
        let watching = try pair.alicePhone.ok(["type": "presence", "watch": [.string(pair.bob)]])
        #expect(watching == ["online": [.string(pair.bob)]])
        pair.bobPhone.peer.socket.close()
        pair.bobLaptop.peer.socket.close()
        let gone = try pair.alicePhone.event("presence")
        #expect(gone["user"] == .string(pair.bob))
        #expect(gone["online"] == false)
        #expect(gone["lastSeen"]?.stringValue?.hasSuffix("Z") == true)
        #expect(gone["seq"] == nil)
        _ = try server.device(pair.bob)
        let back = try pair.alicePhone.event("presence")
        #expect(back == ["type": "presence", "user": .string(pair.bob), "online": true])
        #expect(!pair.aliceLaptop.messages.contains { $0["type"] == "presence" })
    }

    @Test func `a user who hides goes offline for all watchers, and nobody sees the user`() throws {
        let pair = try server.pair()
        let watch: JSONValue = ["type": "presence", "watch": [.string(pair.bob)]]
        #expect(try pair.alicePhone.ok(watch) == ["online": [.string(pair.bob)]])
        try pair.bobPhone.ok(["type": "preferences", "set": ["presence": "nobody"]])
        #expect(
            try pair.alicePhone.event("presence")
                == ["type": "presence", "user": .string(pair.bob), "online": false])
        #expect(try pair.alicePhone.ok(watch) == ["online": []])
        pair.bobPhone.peer.socket.close()
        pair.bobLaptop.peer.socket.close()
        let again = try server.device(pair.bob)
        try again.ok(["type": "preferences", "set": ["presence": "contacts"]])
        #expect(pair.alicePhone.messages.count { $0["type"] == "presence" } == 1)
        #expect(try pair.alicePhone.ok(watch) == ["online": [.string(pair.bob)]])
    }

    @Test func `one device of several going changes no presence`() throws {
        let pair = try server.pair()
        try pair.alicePhone.ok(["type": "presence", "watch": [.string(pair.bob)]])
        pair.bobPhone.peer.socket.close()
        try pair.bobLaptop.ok(["type": "send", "chat": .string(pair.chat), "text": "x", "key": "x"])
        try pair.alicePhone.event("message") { $0["key"] == "x" }
        #expect(try pair.alicePhone.ok(["type": "presence", "watch": [.string(pair.bob)]])["online"] != [])
        #expect(!pair.alicePhone.messages.contains { $0["type"] == "presence" })
    }

    @Test func `a stranger is not shown, nor a followed user who does not follow back`() throws {
        let alice = try server.device(server.name("alice"))
        let bobName = server.name("bob")
        let bob = try server.device(bobName)
        #expect(try alice.ok(["type": "presence", "watch": [.string(bobName)]])["online"] == [])
        try alice.ok(["type": "follow", "topic": .string("user:\(bobName)")])
        #expect(try alice.ok(["type": "presence", "watch": [.string(bobName)]])["online"] == [])
        bob.peer.socket.close()
        _ = try server.device(bobName)
        try alice.settle()
        #expect(!alice.messages.contains { $0["type"] == "presence" })
    }

    @Test func `two who follow each other see each other`() throws {
        let names = [server.name("alice"), server.name("bob")]
        let devices = try names.map { try server.device($0) }
        try devices[0].ok(["type": "follow", "topic": .string("user:\(names[1])")])
        try devices[1].ok(["type": "follow", "topic": .string("user:\(names[0])")])
        #expect(try devices[0].ok(["type": "presence", "watch": [.string(names[1])]])["online"] == [.string(names[1])])
    }
}
