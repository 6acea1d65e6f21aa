import Compression
import Glibc
import TestSupport
import Testing
import Wire

@Suite struct InflaterTests {
    private let hello = Array("Hello".utf8)

    @Test(
        arguments: [
            ("one block of fixed codes (7.2.3.1)", [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]),
            ("no compression (7.2.3.3)", [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00]),
            ("a final block (7.2.3.4)", [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]),
            (
                "two blocks (7.2.3.5)",
                [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00]
            ),
        ] as [(String, [UInt8])])
    func `the examples of the RFC are inflated`(name: String, payload: [UInt8]) throws {
        #expect(try Inflater().decompress(payload, bytesMax: 100) == hello)
        #expect(try Inflater(windowBits: 8, keepsContext: true).decompress(payload, bytesMax: 5) == hello)
    }

    @Test func `a message may refer to the one before it where the context is kept (7_2_3_2)`() throws {
        let first: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        let second: [UInt8] = [0xF2, 0x00, 0x11, 0x00, 0x00]
        let kept = Inflater(keepsContext: true)
        #expect(try kept.decompress(first, bytesMax: 5) == hello)
        #expect(try kept.decompress(second, bytesMax: 5) == hello)
        let forgotten = Inflater()
        #expect(try forgotten.decompress(first, bytesMax: 5) == hello)
        #expect(throws: MessageDecompressionError.malformed) { try forgotten.decompress(second, bytesMax: 5) }
        #expect(try forgotten.decompress(first, bytesMax: 5) == hello)
    }

    @Test func `the context outlives a final block`() throws {
        let kept = Inflater(keepsContext: true)
        #expect(try kept.decompress([0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00], bytesMax: 5) == hello)
        #expect(try kept.decompress([0xF2, 0x00, 0x11, 0x00, 0x00], bytesMax: 5) == hello)
    }

    @Test func `an empty message is one byte, or none`() throws {
        for keepsContext in [false, true] {
            let inflater = Inflater(keepsContext: keepsContext)
            #expect(try inflater.decompress([0x00], bytesMax: 0).isEmpty)
            #expect(try inflater.decompress([], bytesMax: 0).isEmpty)
            #expect(try inflater.decompress([0x02, 0x00], bytesMax: 0).isEmpty)
        }
    }

    @Test(
        arguments: [
            [0xFF], [0x07, 0x00], [0x00, 0x05, 0x00, 0xFA, 0xFE, 0x48], [0xF2, 0x48, 0xCD, 0xC9, 0xC9],
            [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], [0x48, 0x65, 0x6C, 0x6C, 0x6F],
        ] as [[UInt8]])
    func `bytes that are not a deflate stream, or a cut one, are malformed`(payload: [UInt8]) throws {
        let inflater = Inflater()
        #expect(throws: MessageDecompressionError.malformed) { try inflater.decompress(payload, bytesMax: 1_000) }
        #expect(try inflater.decompress([0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], bytesMax: 5) == hello)
    }

    @Test func `every prefix of a message is malformed or shorter, and nothing crashes`() throws {
        var random = SeededRandom(seed: 7)
        let message = Array((0..<300).map { _ in UInt8.random(in: 97...104, using: &random) })
        let payload = Deflater().compress(message)
        let inflater = Inflater()
        for count in 1..<payload.count {
            let inflated = try? inflater.decompress(Array(payload.prefix(count)), bytesMax: 300)
            #expect(inflated != message || count == payload.count - 1, "a prefix of \(count) bytes")
        }
        for _ in 0..<2_000 {
            var broken = payload
            broken[Int.random(in: broken.indices, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
            #expect((try? inflater.decompress(broken, bytesMax: 4_000))?.count ?? 0 <= 4_000)
        }
        #expect(try inflater.decompress(payload, bytesMax: 300) == message)
    }

    @Test func `a message is taken at the limit and refused one byte above`() throws {
        let inflater = Inflater()
        for count in [1, 511, 512, 513, 16_384, 100_000] {
            let payload = Deflater().compress(Array(repeating: 0x61, count: count))
            #expect(try inflater.decompress(payload, bytesMax: count).count == count)
            #expect(throws: MessageDecompressionError.tooBig) {
                try inflater.decompress(payload, bytesMax: count - 1)
            }
        }
    }

    @Test func `a bomb makes no more than the limit`() throws {
        // A message of 2 GiB: flushed pieces that refer to each other, with the bytes between them that a sender cuts
        // off only at the end.
        let deflater = Deflater(keepsContext: true, level: 9)
        let mebibyte = [UInt8](repeating: 0, count: 1 << 20)
        var bomb = deflater.compress(mebibyte)
        for _ in 1..<2_048 { bomb += [0x00, 0x00, 0xFF, 0xFF] + deflater.compress(mebibyte) }
        #expect(bomb.count < 3 << 20)
        let inflater = Inflater()
        let before = peakBytes()
        #expect(throws: MessageDecompressionError.tooBig) { try inflater.decompress(bomb, bytesMax: 4 << 20) }
        #expect(peakBytes() - before < 256 << 20)
        #expect(inflater.bytesHeld <= Inflater.contextBytes(windowBits: 15))
    }

    private func peakBytes() -> Int {
        var usage = rusage()
        _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss * 1024
    }
}
