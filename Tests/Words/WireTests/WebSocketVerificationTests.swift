import TestSupport
import Testing
import Wire

@Suite struct WebSocketVerificationTests {
    private static let conversation: [UInt8] =
        masked(.text, "Hello") + masked(.binary, [UInt8](0...200)) + masked(.ping, "") + masked(.text, "")
        + masked(.text, "κόσ", isFinal: false) + masked(.ping, "between")
        + masked(.continuation, "με 🎬", isFinal: false)
        + masked(.continuation, "") + masked(.pong, [UInt8](repeating: 0x62, count: 125))
        + masked(.binary, [UInt8](repeating: 7, count: 300)) + masked(.text, "twice") + masked(.text, "in one read")

    @Test(arguments: [
        conversation + masked(.close, [0x03, 0xE8, 0x62, 0x79, 0x65]) + masked(.text, "late"),
        conversation + masked(.text, [0x61, 0xED, 0xA0, 0x80, 0x61]) + conversation,
        conversation + masked(.text, "a", isFinal: false) + masked(.text, "b"),
        conversation + masked(.text, [0xCE], isFinal: false) + masked(.continuation, [0x41]),
        conversation + masked(.close, [0x03]) + conversation,
        conversation + masked(.binary, [UInt8](repeating: 0, count: 2_000)),
        conversation + [0x81, 0xFE, 0x00, 0x7D] + conversation,
        conversation + conversation + conversation,
    ])
    func `events do not depend on how the bytes were cut`(input: [UInt8]) {
        let disagreements = DecoderVerifier.disagreements(input) { webSocketEvents($0, messageBytesMax: 1_500) }
        #expect(disagreements.isEmpty, "\(disagreements)")
        #expect(webSocketEvents([input], messageBytesMax: 1_500).count >= 11)
    }

    @Test(arguments: [WebSocketConnection.Role.server, .client])
    func `both ends understand each other, in random messages, fragments and cuts`(sender: WebSocketConnection.Role) {
        for seed in 0..<100 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var bytes: [UInt8] = []
            var expected: [WebSocketEvent] = []
            for _ in 0..<8 { appendMessage(from: sender, to: &bytes, expecting: &expected, &random) }
            var pieces: [[UInt8]] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...max(1, rest.count / 2), using: &random)
                pieces.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            let receiver: WebSocketConnection.Role = sender == .server ? .client : .server
            #expect(webSocketEvents(pieces, role: receiver) == expected, "seed \(seed)")
        }
    }

    private func appendMessage(
        from sender: WebSocketConnection.Role,
        to bytes: inout [UInt8],
        expecting expected: inout [WebSocketEvent],
        _ random: inout SeededRandom
    ) {
        func key() -> UInt32? { sender == .client ? UInt32.random(in: .min ... .max, using: &random) : nil }
        let isText = Bool.random(using: &random)
        let sizes = [0, 1, 7, 125, 126, 300, 65_535, 65_536]
        let count = sizes.randomElement(using: &random) ?? 0
        let payload = isText ? Array(String(repeating: "é", count: count / 2).utf8) : random.bytes(count)
        var rest = payload[...]
        var opcode: WebSocketOpcode = isText ? .text : .binary
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let part = Array(rest.prefix(Int.random(in: 0...rest.count, using: &random)))
            FrameEncoder.append(opcode, part, isFinal: false, maskingKey: key(), to: &bytes)
            rest = rest.dropFirst(part.count)
            opcode = .continuation
            let ping = random.bytes(Int.random(in: 0...125, using: &random))
            FrameEncoder.append(.ping, ping, maskingKey: key(), to: &bytes)
            expected.append(.ping(ping))
        }
        FrameEncoder.append(opcode, Array(rest), maskingKey: key(), to: &bytes)
        expected.append(isText ? .text(payload) : .binary(payload))
    }

    @Test func `random bytes never trap, and a violation is always the last event`() {
        for seed in 0..<10_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            // Half of the rounds begin with a valid frame that is then damaged, to get beyond the first byte.
            var bytes = random.bytes(Int.random(in: 0...80, using: &random))
            if Bool.random(using: &random) {
                bytes = masked(.text, "κόσμε", isFinal: false) + masked(.continuation, "fin") + bytes
                let place = Int.random(in: bytes.indices, using: &random)
                bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
            }
            let role: WebSocketConnection.Role = Bool.random(using: &random) ? .server : .client
            let cut = Int.random(in: 0...bytes.count, using: &random)
            let whole = webSocketEvents([bytes], role: role, messageBytesMax: 64)
            let parts = webSocketEvents([Array(bytes[..<cut]), Array(bytes[cut...])], role: role, messageBytesMax: 64)
            #expect(whole == parts, "seed \(seed)")
            #expect(
                !whole.dropLast().contains { if case .violation = $0 { true } else { false } },
                "seed \(seed)"
            )
        }
    }
}
