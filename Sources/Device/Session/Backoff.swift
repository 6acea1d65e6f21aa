/// How long to wait before trying again: a bound that doubles, times 0.5 to 1 by chance, so that clients that failed together
/// come back at different times.
/// - Confinement: any
package struct Backoff: Sendable, Hashable {
    /// The bound of the first wait.
    package var baseMilliseconds: Int64
    /// The largest bound of a later wait.
    package var capMilliseconds: Int64
    /// Failures in a row so far.
    package private(set) var failures = 0

    /// No failure yet.
    package init(baseMilliseconds: Int64 = 500, capMilliseconds: Int64 = 30_000) {
        self.baseMilliseconds = max(1, baseMilliseconds)
        self.capMilliseconds = max(1, capMilliseconds)
    }

    /// Counts a failure and draws the next wait.
    /// - Returns: milliseconds.
    package mutating func next(using chance: inout Chance) -> Int64 {
        let exponent = min(failures, 40)
        failures += 1
        let (product, overflow) = baseMilliseconds.multipliedReportingOverflow(by: 1 << Int64(exponent))
        let bound = overflow ? capMilliseconds : min(capMilliseconds, product)
        return bound / 2 + chance.draw(upTo: bound - bound / 2)
    }

    /// Notes a success: the next failure counts as the first.
    package mutating func reset() {
        failures = 0
    }
}

/// Fractions from 0 up to 1, from a seed or as a run of a test gives them.
/// - Confinement: any
package struct Chance: Sendable, Hashable {
    private enum Source: Sendable, Hashable {
        case seeded(JitterSource)
        case given([Double], next: Int)
    }

    private var source: Source

    /// The fractions of a seed.
    package init(seed: UInt64) { source = .seeded(JitterSource(seed: seed)) }

    /// These fractions in turn, and then again from the first.
    package init(_ fractions: [Double]) { source = .given(fractions.isEmpty ? [0.5] : fractions, next: 0) }

    /// Draws a whole number from 0 to `most`, both included.
    package mutating func draw(upTo most: Int64) -> Int64 {
        let fraction: Double
        switch source {
        case .seeded(var random):
            fraction = .random(in: 0..<1, using: &random)
            source = .seeded(random)
        case .given(let fractions, let next):
            fraction = fractions[next % fractions.count]
            source = .given(fractions, next: next + 1)
        }
        return Int64((fraction * Double(most + 1)).rounded(.down))
    }
}

/// Random numbers that a seed reproduces (SplitMix64 of Steele, Lea and Flood): for jitter, not for secrets.
/// - Confinement: any
package struct JitterSource: RandomNumberGenerator, Sendable, Hashable {
    private var state: UInt64

    /// The sequence of `seed`.
    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
