import Configuration
import Foundation
import JSON
import Server
import TestSupport
import Testing

/// Sessions that send too much, or stop in the middle.
struct FloodTests {
    let server: TestServer

    init() throws { server = try TestServer.shared.get() }

    @Test func `the latest of many pings is answered`() throws {
        let device = try server.device(server.name("alice"))
        var frames: [UInt8] = []
        for number in 0..<100 as Range<UInt8> { frames += WebSocketPeer.frame(opcode: 9, [number]) }
        try device.peer.socket.send(frames)
        var pongs: [[UInt8]] = []
        while pongs.last != [99] {
            if case .pong(let payload) = try device.peer.next() { pongs.append(payload) }
        }
        #expect(pongs.count < 50)
    }

    @Test func `a flood of pings, of commands or of small pieces closes with 4529`() throws {
        let piece = WebSocketPeer.frame(opcode: 0, [0x20], isFinal: false)
        for frame in [WebSocketPeer.frame(opcode: 9, []), WebSocketPeer.frame(#"{"id":1,"type":"ping"}"#), piece] {
            let device = try server.device(server.name("alice"))
            if frame == piece { try device.peer.socket.send(WebSocketPeer.frame(opcode: 1, [0x20], isFinal: false)) }
            let many = Array(repeatElement(frame, count: 200).joined())
            for _ in 0..<100 where (try? device.peer.socket.send(many)) == nil { break }
            #expect(try device.waitForEnd() == .close(code: 4529, reason: "flooding"))
            #expect(device.messages.last?["type"] == "bye")
        }
    }

    @Test func `more commands than the rate allows are refused with the time to wait`() throws {
        let device = try server.device(server.name("alice"))
        // A machine that answers fewer than the rate allows refuses none; it has a minute to be quick for a moment.
        var refused: [JSONValue] = []
        let deadline = ContinuousClock.now + .seconds(60)
        while refused.isEmpty, ContinuousClock.now < deadline {
            let ids = try (0..<2600).map { _ in try device.post(["type": "ping"]) }
            refused += try ids.map { try device.reply(to: $0) }.compactMap { $0["error"] }
        }
        #expect(!refused.isEmpty)
        #expect(refused.allSatisfy { $0["code"] == "rate-limited" && $0["class"] == "limit" })
        let wait = try #require(refused.last?["retryAfterMs"]?.integerValue)
        #expect((1...2000).contains(wait))
        Thread.pause(milliseconds: Int(wait) + 20)
        try device.ok(["type": "ping"])
    }

    @Test func `a client that waits retryAfterMs is not refused for the same message again`() throws {
        let alice = server.name("alice"), bob = server.name("bob")
        let device = try server.device(alice)
        try device.ok(["type": "follow", "topic": .string("user:" + bob), "key": "f"])
        let sent = try device.ok(["type": "send", "to": .string(bob), "text": "x", "key": "s"])
        let text = String(repeating: "😀", count: 3_990)
        var (refusals, number) = (0, 0)
        let deadline = ContinuousClock.now + .seconds(60)
        while refusals < 20, ContinuousClock.now < deadline {
            number += 1
            let edit: JSONValue = [
                "type": "edit", "chat": sent["chat"] ?? .null, "n": 1, "text": .string(text + "\(number)"),
                "key": .string("e\(number)"),
            ]
            // Pings use up the pace.
            let pings = try (0..<200).map { _ in try device.post(["type": "ping"]) }
            let answer = try device.reply(to: device.post(edit))
            for id in pings { _ = try device.reply(to: id) }
            guard let wait = answer["error"]?["retryAfterMs"]?.integerValue else { continue }
            refusals += 1
            Thread.pause(milliseconds: Int(wait))
            try device.ok(edit)
        }
        #expect(refusals > 0)
    }

    @Test func `a client that stalls inside a frame or a message is closed with 4509, one between them is not`() throws
    {
        let server = try TestServer { $0.requestMilliseconds = 300 }
        defer { server.application.stop() }
        let idle = try server.device("idle")
        let beginnings: [[UInt8]] = [
            [0x81], Array(WebSocketPeer.frame(#"{"type":"ping"}"#).dropLast(3)),
            WebSocketPeer.frame(opcode: 1, Array("{".utf8), isFinal: false), [0x89, 0x85, 1, 2, 3, 4],
        ]
        for beginning in beginnings {
            let device = try server.device("alice")
            try device.peer.socket.send(beginning)
            // A byte from time to time does not help.
            if beginning.count > 10 {
                Thread.pause(milliseconds: 150)
                try device.peer.socket.send([0x20])
            }
            #expect(try device.waitForEnd() == .close(code: 4509, reason: "stalled"))
        }
        try idle.ok(["type": "ping"])
    }
}
