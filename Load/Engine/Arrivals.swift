/// When messages are due that arrive at a rate, whatever becomes of those before them.
///
/// Each has the moment at which it was meant to start, and its time runs from then: a server (or a generator) that
/// stops for a second makes all that were due meanwhile late, and is not spared by sends that never happened.
struct Arrivals: Sendable {
    let perSecond: Double
    let begin: ContinuousClock.Instant
    private(set) var taken = 0

    init(perSecond: Double, begin: ContinuousClock.Instant) {
        self.perSecond = perSecond
        self.begin = begin
    }

    /// The next one's intended start.
    var due: ContinuousClock.Instant {
        begin + .nanoseconds(Int64(min(Double(taken) * 1e9 / perSecond, 1e18)))
    }

    /// Takes the next one.
    /// - Returns: its intended start; nil when it is not due yet.
    mutating func next(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        let intended = due
        guard intended <= now else { return nil }
        taken += 1
        return intended
    }
}
