import Synchronization

/// A number of units in a second, and the most that may come at once.
///
/// - Confinement: any
struct Rate: Sendable {
    /// The time that one unit stands for.
    fileprivate let nanoseconds: Double
    /// How far a use may be ahead of the clock.
    fileprivate let burstNanoseconds: Int64

    init(perSecond: Double, burst: Double) {
        nanoseconds = 1_000_000_000 / perSecond
        burstNanoseconds = Int64(burst * nanoseconds)
    }

    fileprivate func cost(_ amount: Int) -> Int64 { Int64(Double(amount) * nanoseconds) }
}

/// How much of a rate is used, stored as a time that runs ahead of the clock (the generic cell rate algorithm). Each
/// use moves that time forward; when it is ahead by more than the burst, further uses must wait. So a rate is a single
/// number, which threads can share.
///
/// - Confinement: any
struct RateUse: ~Copyable, Sendable {
    /// When everything that was taken no longer counts, in nanoseconds.
    private let returns = Atomic<Int64>(0)

    /// Takes an amount.
    ///
    /// - Parameter now: monotonic milliseconds.
    /// - Returns: nil on success; otherwise the milliseconds to wait, and nothing was taken.
    package func take(_ amount: Int, of rate: Rate, at now: Int64) -> Int64? {
        move(by: rate.cost(amount), at: now, upTo: rate.burstNanoseconds)
    }

    /// Counts an amount that was already used, even beyond the bound.
    package func add(_ amount: Int, of rate: Rate, at now: Int64) {
        _ = move(by: rate.cost(amount), at: now, upTo: .max)
    }

    /// Milliseconds until more may be taken; nil when it may be taken now.
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
            if next - now > burst { return Self.wait(next - now, upTo: burst) }
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
