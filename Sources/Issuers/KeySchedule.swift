package import Configuration

/// When the keys of one issuer are fetched next. A value: the time of a monotonic clock, in milliseconds, and chance
/// are parameters.
///
/// - Confinement: any
package struct KeySchedule: Sendable, Hashable {
    private let pace: KeyPace
    /// When the next fetch begins, unless one is under way.
    package private(set) var dueAt: Int64
    private(set) var isUnderWay = false
    private var startedAt: Int64?
    private var failures = 0
    /// Whether the fetch under way began before the operator wanted one.
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

    /// The keys are here.
    ///
    /// - Parameter fresh: milliseconds for which they hold.
    package mutating func succeeded(at now: Int64, fresh: Int64) {
        isUnderWay = false
        failures = 0
        dueAt = isWantedAgain ? now : now + fresh
        isWantedAgain = false
    }

    /// The keys could not be had: the next try comes later each time, by a chance that spreads servers that failed
    /// together.
    package mutating func failed(at now: Int64, using random: inout some RandomNumberGenerator) {
        isUnderWay = false
        let (wait, isLong) = pace.retryBounds.lowerBound.multipliedReportingOverflow(by: 1 << min(Int64(failures), 40))
        let longest = isLong ? pace.retryBounds.upperBound : min(wait, pace.retryBounds.upperBound)
        failures += 1
        dueAt = isWantedAgain ? now : now + .random(in: longest / 2...longest, using: &random)
        isWantedAgain = false
    }

    /// A token names a key that is not here: brings the next fetch forward, but keeps the distance to the last one.
    mutating func wanted(at now: Int64) {
        guard !isUnderWay else { return }
        let earliest = startedAt.map { $0 + pace.wantedMilliseconds } ?? now
        dueAt = min(dueAt, max(now, earliest))
    }

    /// The operator wants it now, what is under way notwithstanding.
    mutating func hurry(at now: Int64) {
        dueAt = now
        isWantedAgain = isUnderWay
    }
}
