import TestSupport

/// Ways in which a network may cut an input. They depend only on the input, so that a finding can be replayed.
enum Cuts {
    /// Byte by byte, if there are not too many, and in random pieces with some empty reads.
    static func of(_ input: [UInt8]) -> [[[UInt8]]] {
        let bytes = input.count <= 256 ? [input.map { [$0] }] : []
        return bytes + [pieces(of: input)]
    }

    private static func pieces(of input: [UInt8]) -> [[UInt8]] {
        // FNV-1a: equal inputs are cut in the same way.
        let seed = input.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        var random = SeededRandom(seed: seed)
        var pieces: [[UInt8]] = []
        var rest = input[...]
        while !rest.isEmpty {
            let count = Int.random(in: 0...min(rest.count, 32), using: &random)
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }
}
