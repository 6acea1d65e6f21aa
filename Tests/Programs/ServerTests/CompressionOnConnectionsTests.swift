import Client
import Compression
import Configuration
import EventLoop
import JSON
import Session
import TestSupport
import Testing
import Wire

@Suite struct CompressionOnConnectionsTests {
    private let offer = [("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits")]
    private let long = String(repeating: "a long message, and a longer one ", count: 20)

    /// A live session that compresses both ways.
    private func device(_ user: String, on server: TestServer) throws -> Device {
        let device = try server.connect(headers: offer)
        #expect(
            device.peer.answerHeaders["sec-websocket-extensions"]
                == "permessage-deflate; server_no_context_takeover; client_no_context_takeover")
        let inflater = Inflater()
        device.peer.inflate = { try inflater.decompress($0, bytesMax: 1 << 24) }
        let hello = Device.helloCommand(token: try server.token(user))
        var command = hello
        command["id"] = 0
        try device.peer.socket.send(
            WebSocketPeer.frame(opcode: 1, Deflater().compress(Array(command.text.utf8)), isCompressed: true))
        _ = try device.event("live")
        return device
    }

    @Test func `a compressed session gets the same messages as one that is not`() throws {
        let server = try TestServer.shared.get()
        let pair = try server.pair()
        let compressed = [try device(pair.bob, on: server), try device(pair.bob, on: server)]
        var last: Int64 = 0
        for number in 1...10 {
            let text = number.isMultiple(of: 2) ? "short" : long
            last =
                try pair.alicePhone.ok([
                    "type": "send", "chat": .string(pair.chat), "text": .string(text), "key": .string("k\(number)"),
                ])["seq"]?.integerValue ?? 0
        }
        try pair.bobPhone.wait(forSeq: last)
        for device in compressed {
            try device.wait(forSeq: last)
            #expect(device.durable == pair.bobPhone.durable.suffix(device.durable.count))
            #expect(device.durable.count >= 10 && device.peer.inflatedCount >= 5)
            let history = try device.ok(["type": "history", "chat": .string(pair.chat)])
            #expect(history["messages"]?.arrayValue?.count ?? 0 >= 10)
            #expect(device.peer.inflatedCount >= 6)
        }
    }

    @Test func `missed messages are compressed, too`() throws {
        let server = try TestServer.shared.get()
        let pair = try server.pair()
        for number in 1...5 {
            try pair.alicePhone.ok([
                "type": "send", "chat": .string(pair.chat), "text": .string(long), "key": .string("m\(number)"),
            ])
        }
        let device = try server.connect(headers: offer)
        let inflater = Inflater()
        device.peer.inflate = { try inflater.decompress($0, bytesMax: 1 << 24) }
        let hello = try server.connect().hello(token: server.token(pair.bob))
        try device.hello(
            token: server.token(pair.bob), since: ["epoch": hello["epoch"] ?? .null, "seq": 0])
        _ = try device.event("live")
        #expect(device.durable.filter { $0["text"] == .string(long) }.count == 5)
        #expect(device.peer.inflatedCount >= 5)
    }

    @Test func `without the setting nothing is agreed on, and RSV1 closes with 1002`() throws {
        let server = try TestServer { $0.compression = .off }
        let device = try server.connect(headers: offer)
        #expect(device.peer.answerHeaders["sec-websocket-extensions"] == nil)
        try device.peer.socket.send(WebSocketPeer.frame(opcode: 1, [0x00], isCompressed: true))
        guard case .close(1002, _) = try device.waitForEnd() else {
            Issue.record("ended with \(String(describing: device.end))")
            return
        }
    }

    @Test func `with contexts kept, later messages of a session are smaller`() throws {
        let server = try TestServer { $0.compression = .context }
        let device = try server.connect(headers: offer)
        #expect(
            device.peer.answerHeaders["sec-websocket-extensions"]
                == "permessage-deflate; server_max_window_bits=12; client_max_window_bits=12")
        let inflater = Inflater(windowBits: 12, keepsContext: true)
        var sizes: [Int] = []
        device.peer.inflate = {
            sizes.append($0.count)
            return try inflater.decompress($0, bytesMax: 1 << 24)
        }
        let pair = try server.pair()
        try device.hello(token: server.token(pair.bob))
        _ = try device.event("live")
        for number in 1...3 {
            let seq = try pair.alicePhone.ok([
                "type": "send", "chat": .string(pair.chat), "text": .string("\(number): \(long)"),
                "key": .string("c\(number)"),
            ])["seq"]?.integerValue
            try device.wait(forSeq: seq ?? 0)
        }
        #expect(sizes.count >= 3)
        #expect((sizes.last ?? 0) * 3 < sizes.first ?? 0, "\(sizes)")
    }

    @Test func `a bomb closes with 1009, and one in instalments with 4529`() throws {
        let server = try TestServer.shared.get()
        for (count, code) in [(1 << 20, 1009), (100_000, 4529)] as [(Int, UInt16)] {
            let device = try server.connect(headers: offer)
            let inflater = Inflater()
            device.peer.inflate = { try inflater.decompress($0, bytesMax: 1 << 24) }
            let frame = WebSocketPeer.frame(
                opcode: 1, Deflater().compress(Array(repeating: 0x20, count: count)), isCompressed: true)
            for _ in 0..<100 where device.end == nil { try? device.peer.socket.send(frame) }
            guard case .close(let found?, _) = try device.waitForEnd() else {
                Issue.record("ended with \(String(describing: device.end))")
                return
            }
            #expect(found == code)
        }
    }

    @Test func `our own client and the echo endpoint agree in every mode`() throws {
        let server = try TestServer { $0.hasEcho = true }
        let offers = [
            PerMessageDeflateOffer(), PerMessageDeflateOffer(serverNoContextTakeover: true),
            PerMessageDeflateOffer(clientNoContextTakeover: true, serverWindowBits: 9, clientWindow: .bits(9)),
            PerMessageDeflateOffer(clientWindow: .unmentioned),
        ]
        for offer in offers {
            let loop = try Loop()
            let echoed = Echoed(loop, messages: (1...20).map { Array(String(repeating: long, count: $0 % 7).utf8) })
            _ = try WebSocketClient.connect(
                on: loop,
                to: WebSocketClient.Endpoint(
                    server: try ServerAddress("http://127.0.0.1:\(server.port)"), target: "/v1/echo",
                    compression: offer),
                delegate: echoed)
            loop.run()
            #expect(echoed.received == echoed.messages)
            #expect(echoed.wasCompressed)
        }
    }
}

/// Sends messages and receives them back.
/// - Confinement: loop
private final class Echoed: WebSocketClientDelegate {
    let messages: [[UInt8]]
    private(set) var received: [[UInt8]] = []
    private(set) var wasCompressed = false
    private let loop: Loop

    init(_ loop: Loop, messages: [[UInt8]]) {
        self.loop = loop
        self.messages = messages
    }

    func opened(_ socket: WebSocketClient) {
        wasCompressed = socket.isCompressed
        for message in messages { socket.send(text: message) }
    }

    func received(text: [UInt8], on socket: WebSocketClient) {
        received.append(text)
        if received.count == messages.count { socket.close() }
    }

    func ended(_ socket: WebSocketClient, _ end: TransportEnd) { loop.stop() }
}

@available(*, unavailable)
extension Echoed: Sendable {}
