import TestSupport

/// The seed's one sequence of random numbers.
struct Dice {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// A number from 0 to `bound - 1`.
    mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: random.next() >> 33) % bound }

    mutating func within(_ range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

    mutating func once(in odds: Int) -> Bool { below(odds) == 0 }
}

/// An invariant that was broken.
struct Broken: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
