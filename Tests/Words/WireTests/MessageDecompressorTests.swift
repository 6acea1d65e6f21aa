import Testing
import Wire

/// Run-length encoding, pairs of count and byte: simple to read, and it grows like a deflate bomb.
private final class RunLengthDecompressor: MessageDecompressor {
    func decompress(_ payload: [UInt8], bytesMax: Int) throws(MessageDecompressionError) -> [UInt8] {
        guard payload.count.isMultiple(of: 2) else { throw .malformed }
        var message: [UInt8] = []
        for index in stride(from: 0, to: payload.count, by: 2) {
            message.append(contentsOf: repeatElement(payload[index + 1], count: Int(payload[index])))
            guard message.count <= bytesMax else { throw .tooBig }
        }
        return message
    }
}

@Suite struct MessageDecompressorTests {
    private func events(_ bytes: [UInt8], messageBytesMax: Int = 1_000) -> [WebSocketEvent] {
        webSocketEvents([bytes], messageBytesMax: messageBytesMax, decompressor: RunLengthDecompressor())
    }

    @Test func `a compressed message is inflated, in one frame or several`() {
        #expect(events(masked(.text, [3, 0x61], isCompressed: true)) == [.text([0x61, 0x61, 0x61])])
        let parts =
            masked(.binary, [3], isFinal: false, isCompressed: true) + masked(.ping, "p")
            + masked(.continuation, [0xFF])
        #expect(events(parts) == [.ping([0x70]), .binary([0xFF, 0xFF, 0xFF])])
    }

    @Test func `a message without RSV1 stays as it is`() {
        #expect(events(masked(.binary, [3, 0x61])) == [.binary([3, 0x61])])
    }

    @Test func `RSV1 on a continuation or a control frame closes with 1002`() {
        let continuation =
            masked(.text, [3], isFinal: false, isCompressed: true)
            + masked(.continuation, [0x61], isCompressed: true)
        #expect(violationCode(events(continuation)) == 1002)
        #expect(violationCode(events(masked(.ping, [], isCompressed: true))) == 1002)
    }

    @Test func `data that cannot be inflated closes with 1007`() {
        #expect(violationCode(events(masked(.binary, [3], isCompressed: true))) == 1007)
    }

    @Test func `a message that inflates beyond the limit closes with 1009`() {
        #expect(violationCode(events(masked(.binary, [200, 1], isCompressed: true), messageBytesMax: 100)) == 1009)
    }

    @Test func `inflated text is checked`() {
        #expect(violationCode(events(masked(.text, [1, 0xFF], isCompressed: true))) == 1007)
        #expect(violationCode(events(masked(.text, [1, 0xCE], isCompressed: true))) == 1007)
    }
}
