import Compression
import TestSupport
import Testing
import Wire

/// Both ends of one connection, with everything between the handshake's header and the events.
private struct Ends {
    let server: ConnectionCompression
    let client: ConnectionCompression
    let serverStreams = SharedStreams()
    let clientStreams = SharedStreams()

    init(
        _ policy: PerMessageDeflatePolicy,
        offer: PerMessageDeflateOffer,
        budget: ContextBudget = ContextBudget(bytesMax: 1 << 20)
    ) throws {
        let offered = try #require(WebSocketExtension.parse(["Sec-WebSocket-Extensions": offer.text]))
        let accepted = try #require(
            ConnectionCompression.accept(offered, policy: policy, streams: serverStreams, budget: budget)
        )
        server = accepted.compression
        let answer = try #require(WebSocketExtension.parse(["Sec-WebSocket-Extensions": accepted.answer]))
        let agreement = try #require(PerMessageDeflateAgreement(answer[0], to: offer))
        client = ConnectionCompression(agreement, role: .client, streams: clientStreams)
    }

    /// The bytes of messages, each in three frames where it is compressed.
    static func bytes(_ messages: [[UInt8]], by sender: ConnectionCompression, maskingKey: UInt32?) -> [UInt8] {
        var bytes: [UInt8] = []
        for message in messages {
            guard let payload = sender.compress(message) else {
                FrameEncoder.append(.binary, message, maskingKey: maskingKey, to: &bytes)
                continue
            }
            let third = payload.count / 3
            FrameEncoder.append(
                .binary,
                Array(payload[..<third]),
                isFinal: false,
                isCompressed: true,
                maskingKey: maskingKey,
                to: &bytes
            )
            FrameEncoder.append(.ping, [0x21], maskingKey: maskingKey, to: &bytes)
            FrameEncoder.append(
                .continuation,
                Array(payload[third..<2 * third]),
                isFinal: false,
                maskingKey: maskingKey,
                to: &bytes
            )
            FrameEncoder.append(.continuation, Array(payload[(2 * third)...]), maskingKey: maskingKey, to: &bytes)
        }
        return bytes
    }
}

@Suite struct ConnectionCompressionTests {
    static let policies = [false, true].flatMap { server in
        [9, 12, 15].map { bits in
            PerMessageDeflatePolicy(
                takesServerContext: server,
                clientContext: server ? .unlessHinted : .none,
                windowBitsMax: bits
            )
        }
    }

    @Test(arguments: policies, [PerMessageDeflateOffer.ClientWindow.unmentioned, .negotiable, .bits(10)])
    func `messages arrive in both directions as they were sent`(
        policy: PerMessageDeflatePolicy,
        window: PerMessageDeflateOffer.ClientWindow
    ) throws {
        let ends = try Ends(policy, offer: PerMessageDeflateOffer(clientWindow: window))
        var random = SeededRandom(seed: 11)
        let words = (0..<20).map { _ in random.bytes(9) }
        let messages =
            [[], [0x41], random.bytes(50)]
            + (1...6).map { size in
                (0..<size * size * 20).flatMap { _ in words[Int.random(in: 0..<20, using: &random)] }
            }
        let toClient = Ends.bytes(messages, by: ends.server, maskingKey: nil)
        let toServer = Ends.bytes(messages, by: ends.client, maskingKey: 0x1234_5678)
        #expect(toClient.count < messages.map(\.count).reduce(0, +))
        #expect(received(toClient, .client, ends.client.inflater) == messages)
        #expect(received(toServer, .server, ends.server.inflater) == messages)
    }

    private func received(
        _ bytes: [UInt8],
        _ role: WebSocketConnection.Role,
        _ inflater: Inflater
    ) -> [[UInt8]] {
        var connection = WebSocketConnection(role: role, messageBytesMax: 1 << 20)
        var events: [WebSocketEvent] = []
        connection.receive(bytes, decompressor: inflater, into: &events)
        return events.compactMap { if case .binary(let message) = $0 { message } else { nil } }
    }

    @Test(arguments: [false, true])
    func `however the bytes are cut, the same messages come out`(keepsContext: Bool) throws {
        let answer = try #require(WebSocketExtension.parse(["Sec-WebSocket-Extensions": "permessage-deflate"]))
        let agreement = try #require(PerMessageDeflateAgreement(answer[0], to: PerMessageDeflateOffer()))
        let sender: ConnectionCompression
        if keepsContext {
            sender = ConnectionCompression(agreement, role: .client, streams: SharedStreams())
        } else {
            sender = try Ends(PerMessageDeflatePolicy(), offer: PerMessageDeflateOffer()).client
        }
        let message = Array("to be cut at every place, to be cut at every place".utf8)
        let bytes = Ends.bytes([message, [], message], by: sender, maskingKey: 0xA1B2_C3D4)
        let disagreements = DecoderVerifier.disagreements(bytes) { pieces in
            let inflater = Inflater(keepsContext: keepsContext)
            var connection = WebSocketConnection(role: .server, messageBytesMax: 1_000)
            var events: [WebSocketEvent] = []
            for piece in pieces { connection.receive(piece, decompressor: inflater, into: &events) }
            return events
        }
        #expect(disagreements.isEmpty, "\(disagreements)")
    }

    @Test func `a connection that keeps nothing takes nothing from the budget, and its frames can be shared`() throws {
        let budget = ContextBudget(bytesMax: 0)
        let ends = try Ends(PerMessageDeflatePolicy(), offer: PerMessageDeflateOffer(), budget: budget)
        #expect(ends.server.sharedWindowBits == 15 && budget.bytesFree == 0)
        #expect(ends.server.inflater === ends.serverStreams.inflater)
    }

    @Test func `contexts are kept as long as the budget lasts, and given back`() throws {
        let policy = PerMessageDeflatePolicy(takesServerContext: true, clientContext: .unlessHinted, windowBitsMax: 10)
        let each = Deflater.contextBytes(windowBits: 10) + Inflater.contextBytes(windowBits: 10)
        let budget = ContextBudget(bytesMax: 2 * each + each / 2)
        do {
            var held: [Ends] = []
            for count in 1...4 {
                held.append(try Ends(policy, offer: PerMessageDeflateOffer(), budget: budget))
                #expect((held.last?.server.sharedWindowBits == nil) == (count <= 2))
            }
            #expect(budget.bytesFree == each / 2)
        }
        #expect(budget.bytesFree == 2 * each + each / 2)
    }

    @Test func `a client that may only use the smallest window sends uncompressed, which is allowed`() throws {
        let ends = try Ends(PerMessageDeflatePolicy(), offer: PerMessageDeflateOffer(clientWindow: .bits(8)))
        #expect(ends.client.compress(Array(repeating: 0x61, count: 500)) == nil)
        #expect(ends.server.compress(Array(repeating: 0x61, count: 500)) != nil)
    }

    @Test func `a message that cannot be made smaller is sent plain where no later message refers to it`() throws {
        var random = SeededRandom(seed: 5)
        let noise = random.bytes(2_000)
        let shared = try Ends(PerMessageDeflatePolicy(), offer: PerMessageDeflateOffer())
        #expect(shared.server.compress(noise) == nil)
    }

    @Test func `a compressed frame made once is read by every receiver`() throws {
        let streams = SharedStreams()
        let message = Array(#"{"seq":4711,"type":"notification","title":"a broadcast for all, all, all"}"#.utf8)
        let frame = FrameEncoder.compressed(.text, streams.deflater(windowBits: 15).compress(message))
        for _ in 0..<3 {
            let ends = try Ends(PerMessageDeflatePolicy(), offer: PerMessageDeflateOffer())
            var connection = WebSocketConnection(role: .client, messageBytesMax: 1_000)
            var events: [WebSocketEvent] = []
            connection.receive(frame, decompressor: ends.client.inflater, into: &events)
            #expect(events == [.text(message)])
        }
    }

    @Test func `text is checked after inflating, and a bomb closes with 1009`() {
        var connection = WebSocketConnection(role: .client, messageBytesMax: 1_000)
        var events: [WebSocketEvent] = []
        connection.receive(
            FrameEncoder.compressed(.text, Deflater().compress([0xFF, 0xFE])),
            decompressor: Inflater(),
            into: &events
        )
        connection = WebSocketConnection(role: .client, messageBytesMax: 1_000)
        connection.receive(
            FrameEncoder.compressed(.text, Deflater().compress(Array(repeating: 0x61, count: 1_001))),
            decompressor: Inflater(),
            into: &events
        )
        let codes = events.map { if case .violation(let violation) = $0 { Int(violation.closeCode) } else { 0 } }
        #expect(codes == [1007, 1009])
    }
}
