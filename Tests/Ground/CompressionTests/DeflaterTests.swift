import Compression
import TestSupport
import Testing
import Wire

@Suite struct DeflaterTests {
    @Test func `the examples of the RFC are made`() {
        let hello = Array("Hello".utf8)
        let kept = Deflater(keepsContext: true)
        #expect(kept.compress(hello) == [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00])
        #expect(kept.compress(hello) == [0xF2, 0x00, 0x11, 0x00, 0x00])
        let forgetful = Deflater()
        #expect(forgetful.compress(hello) == [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00])
        #expect(forgetful.compress(hello) == [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00])
        #expect(kept.compress([]) == [0x00] && kept.compress([]) == [0x00] && forgetful.compress([]) == [0x00])
        #expect(kept.compress(hello).count < 5)
    }

    @Test(arguments: 9...15, [false, true])
    func `deflated bytes are inflated again`(windowBits: Int, keepsContext: Bool) throws {
        var random = SeededRandom(seed: UInt64(windowBits) * 2 + (keepsContext ? 1 : 0))
        let deflater = Deflater(windowBits: windowBits, keepsContext: keepsContext)
        // The receiver's window is no larger than what was agreed on.
        let inflater = Inflater(windowBits: windowBits, keepsContext: keepsContext)
        let words = (0..<50).map { _ in random.bytes(Int.random(in: 1...12, using: &random)) }
        for round in 0..<120 {
            var message: [UInt8] = []
            let count = [0, 1, 2, 100, 1_000, 40_000][round % 6]
            while message.count < count {
                message += round.isMultiple(of: 5) ? random.bytes(count) : words[Int.random(in: 0..<50, using: &random)]
            }
            let payload = deflater.compress(message)
            #expect(payload.count <= message.count + message.count / 32 + 64)
            #expect(try inflater.decompress(payload, bytesMax: message.count) == message, "round \(round)")
        }
    }

    @Test func `a shared stream leaves nothing of one message in the next`() throws {
        let shared = Deflater()
        let secret = Array("the secret of somebody else, which is long enough to refer to".utf8)
        let alone = Deflater().compress(secret)
        _ = shared.compress(secret)
        #expect(shared.compress(secret) == alone)
        #expect(try Inflater().decompress(alone, bytesMax: 100) == secret)
    }

    @Test(arguments: 9...15)
    func `a context takes no more memory than is counted for it, and not much less`(windowBits: Int) throws {
        let message = Array(repeating: Array("a message of some length ".utf8), count: 4_000).flatMap { $0 }
        let deflater = Deflater(windowBits: windowBits, keepsContext: true)
        let inflater = Inflater(windowBits: windowBits, keepsContext: true)
        for _ in 0..<3 {
            #expect(try inflater.decompress(deflater.compress(message), bytesMax: message.count) == message)
        }
        let counted = Deflater.contextBytes(windowBits: windowBits)
        #expect((counted - 2_048...counted).contains(deflater.bytesHeld), "\(deflater.bytesHeld) of \(counted)")
        let inflating = Inflater.contextBytes(windowBits: windowBits)
        #expect((inflating - 2_048...inflating).contains(inflater.bytesHeld), "\(inflater.bytesHeld) of \(inflating)")
    }
}
