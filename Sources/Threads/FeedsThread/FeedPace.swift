import Model

/// When something that failed is tried again. A value: the time of a monotonic clock, in milliseconds, and chance are
/// parameters.
///
/// - Confinement: any
struct FeedPace: Sendable, Hashable {
    private(set) var failures = 0
    /// Not before this.
    private(set) var until: Int64 = 0

    /// It worked.
    mutating func succeeded() {
        failures = 0
        until = 0
    }

    /// It failed: the next try comes later each time, by a chance that spreads those who failed together.
    ///
    /// - Parameter wait: what the source asks for; then it is not earlier than that, nor than without it.
    mutating func failed(
        at now: Int64, wait: Int64? = nil, bounds: ClosedRange<Int64> = FeedLimits.retryBounds,
        using random: inout some RandomNumberGenerator
    ) {
        let (doubled, isLong) = bounds.lowerBound.multipliedReportingOverflow(by: 1 << min(Int64(failures), 40))
        let longest = isLong ? bounds.upperBound : min(doubled, bounds.upperBound)
        failures += 1
        let own = Int64.random(in: longest / 2...longest, using: &random)
        // A date that has passed is no wait.
        let asked = wait.map { max(0, $0) }
        until = now + max(own, asked.map { $0 + .random(in: 0...min($0 / 10 + 1, own), using: &random) } ?? 0)
    }
}
