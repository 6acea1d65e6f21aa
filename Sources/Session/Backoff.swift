/// How long to wait before trying again: exponential, with full jitter.
///
/// The wait is a random time between zero and the exponential bound: clients that failed together come back at
/// different times (M. Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015).
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
    package mutating func next(using random: inout some RandomNumberGenerator) -> Int64 {
        let exponent = min(failures, 40)
        failures += 1
        let (product, overflow) = baseMilliseconds.multipliedReportingOverflow(by: 1 << Int64(exponent))
        return .random(in: 0...(overflow ? capMilliseconds : min(capMilliseconds, product)), using: &random)
    }

    /// Notes a success: the next failure counts as the first.
    package mutating func reset() {
        failures = 0
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
