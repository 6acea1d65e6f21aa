import Configuration
import Foundation
import JSON
import Server
import TestSupport
import Testing

/// `edit`, `delete` and `react` on real sockets: replies, events on every device, what a device gets that was away, and
/// what is refused.
struct ChangedMessagesTests {
    let server: TestServer

    init() throws { server = try TestServer.shared.get() }

    private func send(_ text: String, in pair: Pair, key: String) throws -> JSONValue {
        try pair.alicePhone.ok([
            "type": "send", "chat": .string(pair.chat), "text": .string(text), "key": .string(key),
        ])
    }

    private func command(_ type: String, _ pair: Pair, n: Int64 = 2, _ more: JSONObject = [:]) -> JSONValue {
        var command: JSONObject = ["type": .string(type), "chat": .string(pair.chat), "n": .integer(n)]
        for (name, value) in more.members { command[name] = value }
        return .object(command)
    }

    @Test func `every device of both gets each change, the same bytes, with the key of its command`() throws {
        let pair = try server.pair()
        _ = try send("secret", in: pair, key: "s")
        let edit = try pair.aliceLaptop.ok(command("edit", pair, ["text": "better", "rev": 1, "key": "e"]))
        let react = try pair.bobLaptop.ok(command("react", pair, ["emoji": "👍", "on": true, "key": "r"]))
        let delete = try pair.alicePhone.ok(command("delete", pair, ["key": "d"]))
        #expect(edit["rev"] == 2)
        let last = try #require(delete["seq"]?.integerValue)
        for device in pair.all { try device.wait(forSeq: last) }
        for (type, key, ok) in [
            ("message.edited", "e", edit), ("reaction", "r", react), ("message.deleted", "d", delete),
        ] {
            let texts = pair.all.map { device in device.texts.filter { $0.contains(#""type":"\#(type)""#) } }
            #expect(texts[0].count == 1)
            #expect(Set(texts).count == 1, "\(type)")
            let event = try pair.bobPhone.event(type)
            #expect(event["key"] == .string(key) && event["seq"] == ok["seq"] && event["n"] == 2)
        }
        #expect(
            try pair.bobPhone.ok(["type": "history", "chat": .string(pair.chat)])["messages"]?.arrayValue?[1]["deleted"]
                == true)
    }

    @Test func `a device that was away never gets a deleted text, on a socket and on a stream`() throws {
        let pair = try server.pair()
        let hello = try server.connect().hello(token: server.token(pair.bob), device: "away")
        let epoch = try #require(hello["epoch"]?.stringValue)
        let since = try #require(hello["seq"]?.integerValue)
        for number in 2...4 { _ = try send("secret \(number)", in: pair, key: "s\(number)") }
        try pair.alicePhone.ok(command("edit", pair, n: 2, ["text": "public"]))
        try pair.alicePhone.ok(command("edit", pair, n: 3, ["text": "secret edit"]))
        try pair.alicePhone.ok(command("delete", pair, n: 3))
        try pair.bobPhone.ok(command("react", pair, n: 4, ["emoji": "🎬", "on": true]))
        let back = try server.connect()
        try back.hello(
            token: server.token(pair.bob), device: "away", since: ["epoch": .string(epoch), "seq": .integer(since)])
        try back.event("live")
        let messages = back.messages.filter { $0["type"] == "message" }
        #expect(messages.map { $0["text"]?.stringValue } == ["public", nil, "secret 4"])
        #expect(messages[1]["deleted"] == true && messages[1]["rev"] == 3)
        #expect(messages[2]["reactions"] == [["emoji": "🎬", "count": 1, "mine": true]])
        let all = back.texts.joined()
        #expect(!all.contains("secret 2") && !all.contains("secret 3") && !all.contains("secret edit"))
        let stream = try EventStreamPeer(
            server, "/v1/events", token: server.token(pair.bob), headers: [("Last-Event-ID", "\(epoch).\(since)")])
        var streamed = ""
        while let event = try stream.next(), event.type != "live" { streamed += event.data }
        #expect(streamed.contains("public") && streamed.contains("secret 4"))
        #expect(!streamed.contains("secret 2") && !streamed.contains("secret 3") && !streamed.contains("secret edit"))
    }

    @Test func `a slow session that reads on from the log gets messages as they are`() throws {
        let pair = try server.pair()
        let slow = try server.connect(receiveBufferBytes: 65_536)
        try slow.hello(token: server.token(pair.bob), device: "slow")
        try slow.event("live")
        // More bytes than the kernel's buffers and the bound of the queue together.
        let filler = String(repeating: "x", count: 3900)
        for number in 1...1400 {
            let id = try pair.alicePhone.post([
                "type": "send", "chat": .string(pair.chat), "text": .string(filler), "key": .string("f\(number)"),
            ])
            if number.isMultiple(of: 50) { _ = try pair.alicePhone.reply(to: id) }
        }
        let n = try #require(try send("secret", in: pair, key: "s")["n"]?.integerValue)
        let seq = try #require(try pair.alicePhone.ok(command("delete", pair, n: n))["seq"]?.integerValue)
        try slow.wait(forSeq: seq)
        #expect(!slow.texts.contains { $0.contains("secret") })
        #expect(slow.messages.last { $0["type"] == "message" }?["deleted"] == true)
        #expect(slow.messages.filter { $0["type"] == "message" }.count == 1401)
    }

    @Test func `a change that is not right is refused, naming the field`() throws {
        let pair = try server.pair()
        _ = try send("mine", in: pair, key: "s")
        let stranger = try server.device(server.name("carol"), "phone")
        for (type, more) in [
            ("edit", ["text": "x"]), ("delete", [:]), ("react", ["emoji": "👍", "on": true]),
        ] as [(String, JSONObject)] {
            #expect(try stranger.refused(command(type, pair, more))["code"] == "forbidden", "\(type)")
            let missing = try pair.alicePhone.refused(command(type, pair, n: 99, more))
            #expect(missing["code"] == "not-found" && missing["field"] == "n", "\(type)")
            let wrong = try pair.alicePhone.refused(command(type, pair, n: 0, more))
            #expect(wrong["code"] == "bad-request" && wrong["field"] == "n", "\(type)")
        }
        for type in ["edit", "delete"] {
            let refused = try pair.bobPhone.refused(command(type, pair, type == "edit" ? ["text": "x"] : [:]))
            #expect(refused["code"] == "forbidden" && refused["field"] == "n", "\(type)")
        }
        #expect(try pair.alicePhone.refused(command("edit", pair, ["text": ""]))["field"] == "text")
        let conflict = try pair.alicePhone.refused(command("edit", pair, ["text": "x", "rev": 5]))
        #expect(conflict["code"] == "conflict" && conflict["field"] == "rev")
        #expect(conflict["version"] == 1 && conflict["data"] == ["text": "mine"])
        #expect(try pair.alicePhone.refused(command("react", pair, ["emoji": "no", "on": true]))["field"] == "emoji")
        #expect(try pair.alicePhone.refused(command("react", pair, ["emoji": "👍"]))["field"] == "on")
        #expect(try pair.alicePhone.ok(command("edit", pair, ["text": "y", "key": "k"]))["rev"] == 2)
        #expect(try pair.alicePhone.ok(command("edit", pair, ["text": "y", "key": "k"]))["rev"] == 2)
        #expect(try pair.alicePhone.refused(command("edit", pair, ["text": "z", "key": "k"]))["code"] == "key-reused")
    }

    @Test func `changes outlast a restart`() throws {
        let folder = TemporaryFolder()
        let point: JSONValue
        let pair: Pair
        do {
            let first = try TestServer(in: folder) { $0.editMilliseconds = 3_600_000 }
            defer { first.application.stop() }
            pair = try first.pair()
            let hello = try first.connect().hello(token: first.token(pair.bob), device: "away")
            point = ["epoch": hello["epoch"] ?? .null, "seq": hello["seq"] ?? .null]
            _ = try send("secret one", in: pair, key: "s1")
            _ = try send("secret two", in: pair, key: "s2")
            try pair.alicePhone.ok(command("edit", pair, n: 2, ["text": "one"]))
            try pair.alicePhone.ok(command("delete", pair, n: 3))
            try pair.bobPhone.ok(command("react", pair, n: 2, ["emoji": "👍", "on": true]))
        }
        let second = try TestServer(in: folder) { $0.editMilliseconds = 1 }
        defer { second.application.stop() }
        let back = try second.connect()
        try back.hello(token: second.token(pair.bob), device: "away", since: point)
        try back.event("live")
        let messages = back.messages.filter { $0["type"] == "message" }
        #expect(messages.map { $0["text"]?.stringValue } == ["one", nil])
        #expect(messages[0]["reactions"]?.arrayValue?[0]["mine"] == true)
        #expect(!back.texts.joined().contains("secret"))
        let alice = try second.device(pair.alice, "phone")
        let late = try alice.refused(command("edit", pair, n: 2, ["text": "late"]))
        #expect(late["code"] == "forbidden" && late["field"] == "n", "the window is a setting")
    }

    @Test func `hello, bye and events tell the session and the key`() throws {
        let pair = try server.pair()
        let device = try server.connect()
        let hello = try device.hello(token: server.token(pair.bob), device: "named")
        let session = try #require(hello["session"]?.stringValue)
        #expect(hello["time"]?.stringValue?.count == 24)
        let other = try server.connect().hello(token: server.token(pair.bob), device: "other")
        #expect(other["session"] != .string(session))
        try device.ok(command("read", pair, n: 1, ["key": "read-1"]))
        #expect(try pair.alicePhone.event("read")["key"] == "read-1")
        try device.ok(["type": "preferences", "set": ["locale": "it"], "key": "p-1"])
        #expect(try pair.bobPhone.event("preferences")["key"] == "p-1")
    }

    @Test func `a chat that is put away is so on every device of its user alone, until somebody writes`() throws {
        let pair = try server.pair()
        func isArchived(_ device: Device) throws -> JSONValue? {
            try device.ok(["type": "chats"])["chats"]?.arrayValue?[0]["archived"]
        }
        let archive: JSONValue = ["type": "archive", "chat": .string(pair.chat), "on": true, "key": "a"]
        let ok = try pair.bobPhone.ok(archive)
        #expect(try pair.bobPhone.ok(archive) == ok)
        let event = try pair.bobLaptop.event("archived")
        #expect(event["key"] == "a" && event["on"] == true && event["seq"] == ok["seq"])
        #expect(try isArchived(pair.bobLaptop) == true)
        #expect(try isArchived(pair.alicePhone) == false)
        try pair.bobLaptop.ok(["type": "archive", "chat": .string(pair.chat), "on": false])
        #expect(try isArchived(pair.bobPhone) == false)
        try pair.bobPhone.ok(["type": "archive", "chat": .string(pair.chat), "on": true])
        #expect(try isArchived(pair.bobPhone) == true)
        _ = try send("back", in: pair, key: "back")
        #expect(try isArchived(pair.bobPhone) == false)
        #expect(!pair.alicePhone.texts.contains { $0.contains("archived\",\"chat") })
        let stranger = try server.device(server.name("carol"), "phone")
        #expect(try stranger.refused(archive)["code"] == "forbidden")
        #expect(try pair.bobPhone.refused(["type": "archive", "chat": "x", "on": true])["field"] == "chat")
        #expect(try pair.bobPhone.refused(["type": "archive", "chat": .string(pair.chat)])["field"] == "on")
    }
}
