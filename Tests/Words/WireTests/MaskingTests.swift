import TestSupport
import Testing

@testable import Wire

@Suite struct MaskingTests {
    /// The definition of RFC 6455 section 5.3, byte by byte.
    private func reference(_ bytes: [UInt8], key: UInt32, phase: Int = 0) -> [UInt8] {
        let keyBytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: key >> $0) }
        return bytes.enumerated().map { $0.element ^ keyBytes[($0.offset + phase) % 4] }
    }

    @Test(arguments: 0...70)
    func `masking by words equals masking by bytes at every length and phase`(count: Int) {
        var random = SeededRandom(seed: UInt64(count))
        let bytes = random.bytes(count)
        let key = UInt32.random(in: .min ... .max, using: &random)
        #expect(bytes.withRawSpan { Masking.unmasked($0, key: key).payload } == reference(bytes, key: key))
        for phase in 0...9 {
            var target: [UInt8] = [1, 2, 3]
            bytes.withRawSpan { Masking.append($0, key: key, phase: phase, to: &target) }
            #expect(target == [1, 2, 3] + reference(bytes, key: key, phase: phase))
        }
    }

    @Test(arguments: 0..<40)
    func `one byte that is not ASCII is noticed at every place`(place: Int) {
        var bytes = [UInt8](repeating: 0x61, count: 40)
        #expect(bytes.withRawSpan { Masking.unmasked($0, key: 0).isASCII })
        bytes[place] = 0x80
        #expect(!bytes.withRawSpan { Masking.unmasked($0, key: 0).isASCII })
    }

    @Test func `appending little by little grows geometrically`() {
        var target: [UInt8] = []
        var growths = 0
        for _ in 0..<100_000 {
            let capacity = target.capacity
            [7].withRawSpan { Masking.append($0, key: 0, phase: 0, to: &target) }
            if target.capacity != capacity { growths += 1 }
        }
        #expect(growths < 30)
    }
}
