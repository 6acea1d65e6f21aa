import Configuration
import JSON
import Server
import TestSupport
import Testing

/// A client that does not read costs no memory and loses nothing durable.
struct SlowReaderTests {
    let server: TestServer

    init() throws { server = try TestServer.shared.get() }

    @Test func `a reader that stops reads on later and gets everything once`() throws {
        let pair = try server.pair()
        let admin = try server.admin()
        let slow = try server.connect(receiveBufferBytes: 65_536)
        try slow.hello(token: server.token(pair.bob))
        try slow.event("live")
        let slowBefore = try admin.statistic("slow_sessions_total") ?? 0
        // More bytes than the kernel's buffers and the bound of the queue together.
        let text = String(repeating: "x", count: 3900)
        let count = 1400
        var last: Int64 = 0
        for portion in 0..<(count / 100) {
            let sender = portion % 2 == 0 ? pair.alicePhone : pair.aliceLaptop
            let ids = try (0..<100).map { number in
                try sender.post([
                    "type": "send", "chat": .string(pair.chat), "text": .string(text),
                    "key": .string("s\(portion).\(number)"),
                ])
            }
            for id in ids { last = try sender.reply(to: id)["ok"]?["seq"]?.integerValue ?? last }
        }
        #expect((try admin.statistic("slow_sessions_total") ?? 0) > slowBefore)
        try pair.bobPhone.wait(forSeq: last)
        try slow.wait(forSeq: last)
        let numbers = slow.messages.filter { $0["type"] == "message" }.compactMap { $0["n"]?.integerValue }
        #expect(numbers == Array(2...Int64(count + 1)))
        #expect(zip(slow.seqs, slow.seqs.dropFirst()).allSatisfy { $0 < $1 })
        try pair.alicePhone.ok(["type": "send", "chat": .string(pair.chat), "text": "live again", "key": "again"])
        try slow.event("message") { $0["key"] == "again" }
    }

    @Test func `a client that asks without reading its replies is not read from`() throws {
        let pair = try server.pair()
        let text = JSONValue.string(String(repeating: "y", count: 4000))
        for number in 0..<200 {
            try pair.alicePhone.post([
                "type": "send", "chat": .string(pair.chat), "text": text, "key": .string("y\(number)"),
            ])
        }
        try pair.alicePhone.event("message") { $0["n"] == 201 }
        let greedy = try server.connect(receiveBufferBytes: 65_536)
        try greedy.hello(token: server.token(pair.bob))
        let command: JSONValue = ["type": "history", "chat": .string(pair.chat), "limit": 200]
        let ids = try (0..<40).map { _ in try greedy.post(command) }
        // Other sessions are served meanwhile.
        try pair.bobPhone.ok(["type": "read", "chat": .string(pair.chat), "n": 201])
        for id in ids {
            #expect(try greedy.reply(to: id)["ok"]?["messages"]?.arrayValue?.count == 200)
        }
        try greedy.event("read")
    }

    @Test func `requests are answered one after the other to a client that sends them all at once`() throws {
        let peer = try HTTPPeer(port: server.port)
        let count = 9000
        try peer.socket.send(String(repeating: "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", count: count))
        for _ in 0..<count { #expect(try peer.answer().text == "ok\n") }
    }
}

/// The heartbeat, on a server with a fast one.
struct HeartbeatTests {
    @Test func `beat counts the durable events that the client has counted itself`() throws {
        let server = try TestServer { $0.heartbeatMilliseconds = 50 }
        defer { server.application.stop() }
        let pair = try server.pair()
        for number in 0..<10 {
            try pair.alicePhone.ok([
                "type": "send", "chat": .string(pair.chat), "text": "x", "key": .string("b\(number)"),
            ])
        }
        for device in pair.all {
            let beat = try device.event("beat") { $0["events"] != 0 }
            let index = try #require(device.messages.firstIndex(of: beat))
            let before = device.messages[..<index].filter {
                $0["type"] != "live" && $0["type"] != "beat" && $0["seq"] != nil
            }
            #expect(beat["events"] == .integer(Int64(before.count)))
            #expect((beat["seq"]?.integerValue ?? 0) >= (before.last?["seq"]?.integerValue ?? 0))
            #expect(device.pings > 0)
        }
        let hello = try pair.alicePhone.hello(token: server.token(pair.alice), device: "phone")
        #expect(hello["heartbeat"] == 50)
    }

    @Test func `two unanswered pings close with 4510 after a bye`() throws {
        let server = try TestServer { $0.heartbeatMilliseconds = 50 }
        defer { server.application.stop() }
        let device = try server.device(server.name("alice"))
        device.peer.answersPings = false
        #expect(try device.waitForEnd() == .close(code: 4510, reason: "no pong"))
        let bye = try #require(device.messages.last)
        #expect(bye["type"] == "bye")
        #expect(bye["code"] == 4510)
        #expect((bye["reconnectInMs"]?.integerValue ?? 0) > 0)
    }
}

/// A stop: started writes are answered, and every client gets `bye`.
struct DrainTests {
    @Test func `every write begun is answered, then bye and 4501, and nothing acknowledged is lost`() throws {
        let folder = TemporaryFolder()
        let server = try TestServer(in: folder) { _ in }
        let pair = try server.pair()
        var ids: [Int64] = []
        for number in 0..<200 {
            ids.append(
                try pair.alicePhone.post([
                    "type": "send", "chat": .string(pair.chat), "text": "x", "key": .string("d\(number)"),
                ])
            )
        }
        // The first reply shows that the server has read from this connection; other commands are running, or not read
        // yet.
        _ = try pair.alicePhone.reply(to: ids[0])
        server.application.stop()
        #expect(try pair.alicePhone.waitForEnd() == .close(code: 4501, reason: "drain"))
        let replies = pair.alicePhone.messages.filter { $0["re"] != nil }
        #expect(replies.suffix(10).allSatisfy { $0["ok"] != nil || $0["error"]?["class"] == "retry" })
        let bye = try #require(pair.alicePhone.messages.last)
        #expect(bye["type"] == "bye")
        #expect(bye["code"] == 4501)
        #expect(bye["reason"] == "drain")
        #expect((bye["reconnectInMs"]?.integerValue ?? 0) > 0)
        #expect(try pair.bobPhone.waitForEnd() == .close(code: 4501, reason: "drain"))

        let again = try TestServer(in: folder) { _ in }
        defer { again.application.stop() }
        let device = try again.device(pair.alice)
        let history = try device.ok(["type": "history", "chat": .string(pair.chat), "limit": 200])
        // Every committed write was answered, and every answered write is committed.
        let acknowledged = replies.compactMap { $0["ok"]?["n"]?.integerValue }
        #expect(history["messages"]?.arrayValue?.last?["n"] == .integer(acknowledged.max() ?? 0))
    }

    @Test func `idle connections, HTTP ones too, do not hold a stop up`() throws {
        let server = try TestServer { _ in }
        let idle = try HTTPPeer(port: server.port)
        _ = try idle.request("GET", "/healthz")
        let partial = try TCPSocket(port: server.port)
        try partial.send("GET /healthz HT")
        let session = try server.device("alice")
        let clock = ContinuousClock()
        let took = clock.measure { server.application.stop() }
        #expect(took < .seconds(4.5))
        #expect(try idle.isEnded())
        #expect(try session.waitForEnd() == .close(code: 4501, reason: "drain"))
    }
}
