import ClientProtocol
import JSON
import Model
import TestSupport
import Testing

/// `hello` with `since`: the missed events, in order, once, then live.
struct ResumeTests {
    let server: TestServer

    init() throws { server = try TestServer.shared.get() }

    private func point(_ hello: JSONValue, seq: Int64) -> JSONValue {
        ["epoch": hello["epoch"] ?? .null, "seq": .integer(seq)]
    }

    @Test func `exactly the missed events come in order, then live, then what is new`() throws {
        let pair = try server.pair()
        let hello = try pair.bobPhone.hello(token: server.token(pair.bob), device: "phone")
        try pair.bobPhone.settle()
        let since = try #require(pair.bobPhone.seqs.last)
        pair.bobPhone.peer.socket.close()
        var last: Int64 = 0
        for number in 1...450 {
            let id = try pair.alicePhone.post([
                "type": "send", "chat": .string(pair.chat), "text": .string("m\(number)"), "key": .string("r\(number)"),
            ])
            if number % 100 == 0 || number == 450 {
                last = try pair.alicePhone.reply(to: id)["ok"]?["seq"]?.integerValue ?? 0
            }
        }
        let back = try server.connect()
        try back.hello(token: server.token(pair.bob), device: "phone", since: point(hello, seq: since))
        let live = try back.event("live")
        let missed = back.messages.filter { $0["type"] == "message" }
        #expect(missed.compactMap { $0["n"]?.integerValue } == Array(2...451))
        #expect(back.messages.first?["re"] != nil)
        #expect((live["seq"]?.integerValue ?? 0) >= last)
        try pair.bobLaptop.wait(forSeq: last)
        let all = { (device: Device) in device.texts.filter { $0.contains(#""type":"message""#) } }
        #expect(all(back) == all(pair.bobLaptop).suffix(450))
        try pair.alicePhone.ok(["type": "send", "chat": .string(pair.chat), "text": "new", "key": "new"])
        try back.event("message") { $0["n"] == 452 }
        #expect(back.messages.filter { $0["type"] == "message" }.count == 451)
    }

    @Test func `at the head nothing comes but live`() throws {
        let pair = try server.pair()
        let hello = try server.connect().hello(token: server.token(pair.bob))
        let back = try server.connect()
        try back.hello(
            token: server.token(pair.bob),
            since: point(hello, seq: hello["seq"]?.integerValue ?? 0)
        )
        try back.event("live")
        #expect(back.durable.isEmpty)
    }

    @Test func `without since nothing of the past comes`() throws {
        let pair = try server.pair()
        #expect(try server.device(pair.bob).durable.isEmpty)
    }

    @Test func `a foreign epoch and a position beyond the head are reset, then live`() throws {
        let user = server.name("alice")
        let hello = try server.connect().hello(token: server.token(user))
        for since: JSONValue in [
            ["epoch": "e-elsewhere", "seq": 1], point(hello, seq: 9_007_199_254_740_991),
        ] {
            let device = try server.connect()
            try device.hello(token: server.token(user), since: since)
            #expect(try device.event("reset") == ["type": "reset", "reason": "epoch"])
            let live = try device.event("live")
            #expect((live["seq"]?.integerValue ?? 0) >= (hello["seq"]?.integerValue ?? 0))
            #expect(device.durable.isEmpty)
        }
    }

    @Test func `more than the limit is too far, the limit itself is not`() throws {
        let pair = try server.pair()
        let hello = try server.connect().hello(token: server.token(pair.bob))
        let since = try #require(hello["seq"]?.integerValue)
        // In portions and in turns, within the rate of one session; bob's own messages are events for bob, too.
        let senders = [pair.alicePhone, pair.aliceLaptop, pair.bobPhone]
        for portion in 0..<(Limits.resumeEventsMax / 100) {
            let sender = senders[portion % 3]
            let ids = try (0..<100).map { number in
                try sender.post([
                    "type": "send", "chat": .string(pair.chat), "text": "x", "key": .string("t\(portion).\(number)"),
                ])
            }
            for id in ids { #expect(try sender.reply(to: id)["ok"] != nil) }
        }
        let enough = try server.connect()
        try enough.hello(token: server.token(pair.bob), since: point(hello, seq: since))
        try enough.event("live")
        #expect(enough.durable.count == Limits.resumeEventsMax)
        try pair.alicePhone.ok(["type": "send", "chat": .string(pair.chat), "text": "x", "key": "one-more"])
        let tooMany = try server.connect()
        try tooMany.hello(token: server.token(pair.bob), since: point(hello, seq: since))
        #expect(try tooMany.event("reset")["reason"] == "too-far")
        try tooMany.event("live")
        #expect(tooMany.durable.isEmpty)
    }
}
