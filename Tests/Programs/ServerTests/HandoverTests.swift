import JSON
import TestSupport
import Testing

/// The hand-over from the log to live, while a writer never stops: no gap and no repeat.
struct HandoverTests {
    @Test func `every session that connects under load sees every message exactly once`() throws {
        let server = try TestServer.shared.get()
        let pair = try server.pair()
        let hello = try pair.bobPhone.hello(token: server.token(pair.bob), device: "phone")
        let epoch = hello["epoch"] ?? .null
        let writer = BackgroundWriter(to: pair.chat, as: pair.alice, on: server)
        try pair.bobLaptop.event("message") { $0["n"] == 2 }
        // A chain of sessions: each resumes where the last one stopped at any moment.
        var seq = try #require(pair.bobPhone.seqs.last)
        var numbers: [Int64] = []
        for round in 0..<60 {
            let device = try server.connect()
            try device.hello(
                token: server.token(pair.bob),
                device: "chain",
                since: ["epoch": epoch, "seq": .integer(seq)]
            )
            try device.event("live")
            let wanted = device.durable.count + round % 7
            while device.durable.count < wanted { try device.read() }
            numbers += device.messages.filter { $0["type"] == "message" }.compactMap { $0["n"]?.integerValue }
            seq = device.seqs.last ?? seq
            device.peer.socket.close()
        }
        let last = try writer.stop()
        let device = try server.connect()
        try device.hello(token: server.token(pair.bob), since: ["epoch": epoch, "seq": .integer(seq)])
        try device.event("live")
        numbers += device.messages.filter { $0["type"] == "message" }.compactMap { $0["n"]?.integerValue }
        #expect(numbers == Array(2...last))
        try pair.bobLaptop.event("message") { $0["n"] == .integer(last) }
        let steady = pair.bobLaptop.messages.filter { $0["type"] == "message" }.compactMap { $0["n"]?.integerValue }
        #expect(steady == Array(1...last))
    }

    @Test func `sessions without since get everything after their live, however many events are committed meanwhile`()
        throws
    {
        let server = try TestServer.shared.get()
        let pair = try server.pair()
        let writer = BackgroundWriter(to: pair.chat, as: pair.alice, on: server)
        try pair.bobPhone.event("message") { $0["n"] == 2 }
        var devices: [(device: Device, head: Int64)] = []
        for _ in 0..<30 {
            let device = try server.connect()
            try device.hello(token: server.token(pair.bob))
            let live = try device.event("live")
            #expect(device.durable.isEmpty)
            devices.append((device, live["seq"]?.integerValue ?? 0))
        }
        let n = try writer.stop()
        #expect(n > 0)
        try pair.bobPhone.event("message") { $0["n"] == .integer(n) }
        let steady = pair.bobPhone.messages.filter { $0["type"] == "message" }
        for (device, head) in devices {
            let expected = steady.filter { ($0["seq"]?.integerValue ?? 0) > head }
            if let last = expected.last?["seq"]?.integerValue { try device.wait(forSeq: last) }
            #expect(device.messages.filter { $0["type"] == "message" } == expected)
        }
    }
}
