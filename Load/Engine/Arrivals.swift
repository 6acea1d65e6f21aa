/// The start times of messages that are sent at a fixed rate, whatever happens to earlier messages.
///
/// The time of a message counts from the moment when it should have started. If a server (or the generator) stops for a
/// second, all messages of that second are late; none is left out because it could not be sent.
struct Arrivals: Sendable {
    let perSecond: Double
    let begin: ContinuousClock.Instant
    private(set) var taken = 0

    init(perSecond: Double, begin: ContinuousClock.Instant) {
        self.perSecond = perSecond
        self.begin = begin
    }

    /// When the next message should start.
    var due: ContinuousClock.Instant {
        begin + .nanoseconds(Int64(min(Double(taken) * 1e9 / perSecond, 1e18)))
    }

    /// Takes the next message.
    /// - Returns: When it should have started; nil when it is not due yet.
    mutating func next(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        let intended = due
        guard intended <= now else { return nil }
        taken += 1
        return intended
    }
}
