import JSON
import TestSupport
import Testing

/// Two users with two devices each: their actions, and the events on all four devices.
struct ConversationTests {
    let server: TestServer

    init() throws { server = try TestServer.shared.get() }

    @Test func `every device gets the same bytes with strictly ascending positions`() throws {
        let pair = try server.pair()
        var last: Int64 = 0
        for number in 1...20 {
            let (sender, other) = number % 2 == 0 ? (pair.alicePhone, "laptop") : (pair.bobPhone, "phone")
            let ok = try sender.ok([
                "type": "send", "chat": .string(pair.chat), "text": .string("\(number) from beside the \(other) – ✓"),
                "key": .string("k\(number)"),
            ])
            #expect(ok["n"] == .integer(Int64(number + 1)))
            #expect(ok["chat"] == .string(pair.chat))
            #expect(ok["at"]?.stringValue?.count == 24)
            last = ok["seq"]?.integerValue ?? 0
        }
        for device in pair.all { try device.wait(forSeq: last) }
        let messages = pair.all.map { device in device.texts.filter { $0.contains(#""type":"message""#) } }
        #expect(messages[0].count == 21)
        #expect(Set(messages).count == 1)
        for device in pair.all {
            #expect(zip(device.seqs, device.seqs.dropFirst()).allSatisfy { $0 < $1 })
            let numbers = device.messages.filter { $0["type"] == "message" }.compactMap { $0["n"]?.integerValue }
            #expect(numbers == Array(1...21))
        }
    }

    @Test func `a message bears the fields of the contract and the key of its write`() throws {
        let pair = try server.pair()
        let recommended = try pair.bobLaptop.event("message")
        #expect(recommended["product"] == ["id": "movie/603"])
        #expect(recommended["key"] == "open")
        let ok = try pair.bobPhone.ok([
            "type": "send", "chat": .string(pair.chat), "text": "yes", "replyTo": 1, "key": "answer",
        ])
        let message = try pair.aliceLaptop.event("message") { $0["n"] == 2 }
        #expect(
            message == [
                "seq": ok["seq"] ?? .null, "type": "message", "chat": .string(pair.chat), "n": 2,
                "from": .string(pair.bob), "at": ok["at"] ?? .null, "key": "answer", "text": "yes", "replyTo": 1,
            ]
        )
    }

    @Test func `a reply comes after the event of its own write`() throws {
        let pair = try server.pair()
        let id = try pair.alicePhone.post([
            "type": "send", "chat": .string(pair.chat), "text": "x", "key": "order",
        ])
        let reply = try pair.alicePhone.reply(to: id)
        let all = pair.alicePhone.messages
        let event = all.firstIndex { $0["key"] == "order" }
        #expect(event != nil)
        #expect((event ?? 0) < (all.firstIndex(of: reply) ?? 0))
    }

    @Test func `a write repeated with its key gets the first reply again and changes nothing`() throws {
        let pair = try server.pair()
        let send: JSONValue = ["type": "send", "chat": .string(pair.chat), "text": "once", "key": "once"]
        let first = try pair.alicePhone.ok(send)
        #expect(try pair.alicePhone.ok(send) == first)
        #expect(try pair.aliceLaptop.ok(send) == first)
        let history = try pair.bobPhone.ok(["type": "history", "chat": .string(pair.chat)])
        #expect(history["messages"]?.arrayValue?.count == 2)
    }

    @Test func `everybody sees how far somebody has read, which never moves back and marks the recommendation as seen`()
        throws
    {
        let pair = try server.pair()
        let ok = try pair.bobPhone.ok(["type": "read", "chat": .string(pair.chat), "n": 1])
        for device in pair.all {
            let read = try device.event("read")
            #expect(
                read == [
                    "seq": ok["seq"] ?? .null, "type": "read", "chat": .string(pair.chat), "user": .string(pair.bob),
                    "n": 1,
                ]
            )
        }
        let again = try pair.bobPhone.ok(["type": "read", "chat": .string(pair.chat), "n": 1])
        #expect((again["seq"]?.integerValue ?? 0) >= (ok["seq"]?.integerValue ?? 0))
        try pair.alicePhone.settle()
        #expect(pair.alicePhone.messages.filter { $0["type"] == "read" }.count == 1)
        let history = try pair.alicePhone.ok(["type": "history", "chat": .string(pair.chat)])
        #expect(history["messages"]?.arrayValue?.first?["seen"] == true)
    }

    @Test func `unread counts are absolute and reach every device of the reader alone`() throws {
        let pair = try server.pair()
        let first = try pair.bobPhone.event("unread") { $0["chats"] == 1 }
        #expect(first["seq"] == nil)
        try pair.bobLaptop.event("unread") { $0["chats"] == 1 }
        try pair.bobLaptop.ok(["type": "read", "chat": .string(pair.chat), "n": 1])
        #expect(try pair.bobPhone.event("unread") { $0["chats"] == 0 }["chats"] == 0)
        #expect(try pair.bobLaptop.event("unread") { $0["chats"] == 0 }["chats"] == 0)
        try pair.alicePhone.settle()
        #expect(!pair.alicePhone.messages.contains { $0["type"] == "unread" && $0["chats"] != 0 })
    }

    @Test func `the list of chats shows the newest first, with read and unread messages`() throws {
        let pair = try server.pair()
        try pair.alicePhone.ok(["type": "send", "chat": .string(pair.chat), "text": "two", "key": "two"])
        let chats = try pair.bobPhone.ok(["type": "chats"])["chats"]?.arrayValue
        let line = try #require(chats?.first)
        #expect(chats?.count == 1)
        #expect(line["chat"] == .string(pair.chat))
        #expect(line["with"] == .string(pair.alice))
        #expect(line["unread"] == 2)
        #expect(line["read"] == 0)
        #expect(line["last"]?["text"] == "two")
        #expect(line["muted"] == false)
    }

    @Test func `history pages backwards and forwards without a gap`() throws {
        let pair = try server.pair()
        for number in 2...12 {
            try pair.alicePhone.ok([
                "type": "send", "chat": .string(pair.chat), "text": .string("m\(number)"), "key": .string("h\(number)"),
            ])
        }
        var seen: [Int64] = []
        var before: JSONValue?
        repeat {
            var command: JSONValue = ["type": "history", "chat": .string(pair.chat), "limit": 5]
            if let before, let number = Int64(before.stringValue ?? "") { command["before"] = .integer(number) }
            let page = try pair.bobPhone.ok(command)
            let numbers = page["messages"]?.arrayValue?.compactMap { $0["n"]?.integerValue } ?? []
            #expect(numbers == numbers.sorted())
            seen = numbers + seen
            before = page["next"]
        } while before != nil
        #expect(seen == Array(1...12))
        let forward = try pair.bobPhone.ok(["type": "history", "chat": .string(pair.chat), "after": 10])
        #expect(forward["messages"]?.arrayValue?.compactMap { $0["n"]?.integerValue } == [11, 12])
    }

    @Test func `a stranger can neither read, write nor hear the chat`() throws {
        let pair = try server.pair()
        let eve = try server.device(server.name("eve"))
        for command: JSONValue in [
            ["type": "history", "chat": .string(pair.chat)],
            ["type": "send", "chat": .string(pair.chat), "text": "x", "key": "e"],
            ["type": "read", "chat": .string(pair.chat), "n": 1],
            ["type": "typing", "chat": .string(pair.chat), "on": true],
        ] {
            let error = try eve.refused(command)
            #expect(error["code"] == "forbidden")
            #expect(error["class"] == "permanent")
            #expect(error["field"] == "chat")
        }
        try pair.alicePhone.ok(["type": "send", "chat": .string(pair.chat), "text": "secret", "key": "s"])
        try pair.bobPhone.event("message") { $0["text"] == "secret" }
        try eve.settle()
        #expect(eve.durable.isEmpty)
        #expect(try eve.ok(["type": "chats"])["chats"] == [])
    }

    @Test func `pipelined commands take effect in their order`() throws {
        let pair = try server.pair()
        let chat = JSONValue.string(pair.chat)
        var ids: [Int64] = []
        for round in 0..<40 {
            for command: JSONValue in [
                ["type": "history", "chat": chat, "limit": 1],
                ["type": "send", "chat": chat, "text": .string("\(round)"), "key": .string("p\(round)")],
                ["type": "history", "chat": chat, "limit": 1], ["type": "following"],
                ["type": "read", "chat": chat, "n": .integer(Int64(round + 2))],
                ["type": "chats", "limit": 1],
            ] {
                ids.append(try pair.bobPhone.post(command))
            }
        }
        for round in 0..<40 {
            let replies = try ids[(round * 6)..<(round * 6 + 6)].map { try pair.bobPhone.reply(to: $0) }
            let n = Int64(round + 2)
            let newest = { (reply: JSONValue) in reply["ok"]?["messages"]?.arrayValue?.last?["n"] }
            #expect(newest(replies[0]) == .integer(n - 1))
            #expect(replies[1]["ok"]?["n"] == .integer(n))
            #expect(newest(replies[2]) == .integer(n))
            #expect(replies[5]["ok"]?["chats"]?.arrayValue?.first?["read"] == .integer(n))
        }
    }
}
