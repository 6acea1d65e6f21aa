package import Configuration

/// Decides when to fetch the keys of one issuer next. A pure value: the time, in milliseconds of a monotonic clock, and
/// chance are parameters.
///
/// - Confinement: any
package struct KeySchedule: Sendable, Hashable {
    private let pace: KeyPace
    /// When the next fetch begins, unless one is running.
    package private(set) var dueAt: Int64
    private(set) var isUnderWay = false
    private var startedAt: Int64?
    private var failures = 0
    /// Whether the running fetch began before the operator asked for one.
    private var isWantedAgain = false

    /// The first fetch is due at once.
    package init(_ pace: KeyPace, at now: Int64) {
        self.pace = pace
        dueAt = now
    }

    func isDue(at now: Int64) -> Bool { !isUnderWay && now >= dueAt }

    package mutating func begin(at now: Int64) {
        isUnderWay = true
        startedAt = now
    }

    /// Notes that the keys have arrived.
    ///
    /// - Parameter fresh: Milliseconds for which they are valid.
    package mutating func succeeded(at now: Int64, fresh: Int64) {
        isUnderWay = false
        failures = 0
        dueAt = isWantedAgain ? now : now + fresh
        isWantedAgain = false
    }

    /// Notes a failure: each further try comes later, and chance spreads the tries of servers that failed together.
    package mutating func failed(at now: Int64, using random: inout some RandomNumberGenerator) {
        isUnderWay = false
        let (wait, isLong) = pace.retryBounds.lowerBound.multipliedReportingOverflow(by: 1 << min(Int64(failures), 40))
        let longest = isLong ? pace.retryBounds.upperBound : min(wait, pace.retryBounds.upperBound)
        failures += 1
        dueAt = isWantedAgain ? now : now + .random(in: longest / 2...longest, using: &random)
        isWantedAgain = false
    }

    /// Brings the next fetch forward, since a token names an unknown key; it keeps a minimum distance to the last
    /// fetch.
    mutating func wanted(at now: Int64) {
        guard !isUnderWay else { return }
        let earliest = startedAt.map { $0 + pace.wantedMilliseconds } ?? now
        dueAt = min(dueAt, max(now, earliest))
    }

    /// Fetches now, as the operator wants, even if a fetch is running.
    mutating func hurry(at now: Int64) {
        dueAt = now
        isWantedAgain = isUnderWay
    }
}
