/// The times at which a node does something by itself, on a monotonic clock in milliseconds.
///
/// - Confinement: any
struct LeadingClock: Sendable {
    private(set) var now: Int64
    /// ``LeadingLimits/silence`` and what chance adds to it.
    private let patience: Int64
    /// From here on the node stands for election, if it hears nothing of a leader.
    private var standAt: Int64
    private var beatAt: Int64
    private var askAt: Int64
    private var readAt: Int64

    init(at now: Int64, chance: Int64) {
        self.now = now
        patience = LeadingLimits.silence + min(max(0, chance), LeadingLimits.chanceMax)
        standAt = now + patience
        (beatAt, askAt, readAt) = (now, now, now)
    }

    /// Notes the time of an input.
    ///
    /// - Returns: whether this process stood still since the last one.
    mutating func advance(to time: Int64) -> Bool {
        let pause = time - now
        now = max(now, time)
        return pause > LeadingLimits.pause
    }

    var isTimeToStand: Bool { now >= standAt }

    /// A leader lives, or the node begins to listen: it waits its whole patience again.
    mutating func waitForSilence() { standAt = max(standAt, now + patience) }

    /// The node that led says that it does not: there is nothing to wait for.
    mutating func endWait() { standAt = min(standAt, now) }

    /// Whether a heartbeat is due; then the next one is due later.
    mutating func isTimeToBeat(early: Bool = false) -> Bool {
        guard early || now >= beatAt else { return false }
        beatAt = now + LeadingLimits.heartbeat
        return true
    }

    /// Whether the stream may be asked; then the next question is due later.
    mutating func isTimeToAsk() -> Bool {
        guard now >= askAt else { return false }
        askAt = now + LeadingLimits.again
        return true
    }

    /// Whether to read on by a new request; then the next one is due later.
    mutating func isTimeToRead() -> Bool {
        guard now >= readAt else { return false }
        noteReading()
        return true
    }

    /// Entries come, or were just asked for.
    mutating func noteReading() { readAt = now + LeadingLimits.reading }
}
