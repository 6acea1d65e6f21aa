/// Replays one input to a decoder in every way in which a network may cut it, and compares the events.
///
/// Chunk boundaries are where parsers break most often. The decoder must find the same events when the input comes
/// - whole,
/// - byte by byte, with empty reads in between,
/// - in two pieces, cut at every place,
/// - in random pieces, from seeds 1 to 32.
package enum DecoderVerifier {
    /// A cut that gave other events than the whole input.
    package struct Disagreement<Event: Sendable>: Sendable, CustomStringConvertible {
        /// How the input was cut.
        package let cut: String
        /// The events of this cut.
        package let found: [Event]
        /// The events of the whole input.
        package let expected: [Event]

        package var description: String { "\(cut): found \(found), expected \(expected)" }
    }

    /// The first disagreements, at most three; empty if the decoder passes.
    ///
    /// - Parameters:
    ///   - input: The bytes of a connection.
    ///   - decode: Feeds the pieces to a fresh decoder and returns the events, normalised where a cut may show (the
    ///     pieces of a body).
    package static func disagreements<Event: Equatable & Sendable>(
        _ input: [UInt8],
        decode: (_ pieces: [[UInt8]]) -> [Event]
    ) -> [Disagreement<Event>] {
        let expected = decode([input])
        var disagreements: [Disagreement<Event>] = []
        for (cut, pieces) in cuts(of: input) where disagreements.count < 3 {
            let found = decode(pieces)
            if found != expected {
                disagreements.append(Disagreement(cut: cut, found: found, expected: expected))
            }
        }
        return disagreements
    }

    private static func cuts(of input: [UInt8]) -> [(name: String, pieces: [[UInt8]])] {
        var cuts = [("byte by byte", input.flatMap { [[$0], []] })]
        for place in input.indices {
            cuts.append(("cut at \(place)", [Array(input[..<place]), Array(input[place...])]))
        }
        for seed in 1...32 {
            var random = SeededRandom(seed: UInt64(seed))
            var pieces: [[UInt8]] = []
            var rest = input[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...min(rest.count, 24), using: &random)
                pieces.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            cuts.append(("random pieces of seed \(seed)", pieces))
        }
        return cuts
    }
}
