import Synchronization

/// So much in a second, and so much at once.
///
/// - Confinement: any
struct Rate: Sendable {
    /// What one unit costs.
    fileprivate let nanoseconds: Double
    /// By how much a use may be ahead of the clock.
    fileprivate let burstNanoseconds: Int64

    init(perSecond: Double, burst: Double) {
        nanoseconds = 1_000_000_000 / perSecond
        burstNanoseconds = Int64(burst * nanoseconds)
    }

    fileprivate func cost(_ amount: Int) -> Int64 { Int64(Double(amount) * nanoseconds) }
}

/// How much of a rate is used, as a time that runs ahead of the clock (the generic cell rate algorithm): what is taken
/// moves it on, and when it is ahead by more than the burst, no more is given. So a rate is one number that threads share.
///
/// - Confinement: any
struct RateUse: ~Copyable, Sendable {
    /// When all that was taken will be forgotten, in nanoseconds.
    private let returns = Atomic<Int64>(0)

    /// Takes so much.
    ///
    /// - Parameter now: monotonic milliseconds.
    /// - Returns: nil when it is given; otherwise the milliseconds to wait, and nothing was taken.
    package func take(_ amount: Int, of rate: Rate, at now: Int64) -> Int64? {
        move(by: rate.cost(amount), at: now, upTo: rate.burstNanoseconds)
    }

    /// So much was taken already, whether or not it is more than may be.
    package func add(_ amount: Int, of rate: Rate, at now: Int64) {
        _ = move(by: rate.cost(amount), at: now, upTo: .max)
    }

    /// Milliseconds until more may be taken; nil when it may.
    package func wait(of rate: Rate, at now: Int64) -> Int64? {
        Self.wait(returns.load(ordering: .relaxed) - now * 1_000_000, upTo: rate.burstNanoseconds)
    }

    /// Whether nothing that was taken counts any more.
    func isForgotten(at now: Int64) -> Bool { returns.load(ordering: .relaxed) <= now * 1_000_000 }

    private func move(by cost: Int64, at now: Int64, upTo burst: Int64) -> Int64? {
        let now = now * 1_000_000
        var returns = self.returns.load(ordering: .relaxed)
        while true {
            let next = max(returns, now) + cost
            if let wait = Self.wait(next - now, upTo: burst) { return wait }
            let (isExchanged, original) = self.returns.weakCompareExchange(
                expected: returns, desired: next, ordering: .relaxed)
            if isExchanged { return nil }
            returns = original
        }
    }

    private static func wait(_ ahead: Int64, upTo burst: Int64) -> Int64? {
        ahead <= burst ? nil : (ahead - burst) / 1_000_000 + 1
    }
}
