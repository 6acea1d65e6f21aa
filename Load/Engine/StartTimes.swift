import DequeModule

/// The start times of one sender's messages that somebody still waits for, by their number.
struct StartTimes: Sendable {
    private var times: Deque<ContinuousClock.Instant> = []
    private var base = 0

    /// The number of messages so far.
    var count: Int { base + times.count }

    mutating func append(_ time: ContinuousClock.Instant) { times.append(time) }

    /// Nil when it was forgotten, or never existed.
    subscript(number: Int) -> ContinuousClock.Instant? {
        let place = number - base
        return times.indices.contains(place) ? times[place] : nil
    }

    /// Forgets the messages below a number, since nobody waits for them any more.
    mutating func forget(below number: Int) {
        guard number > base else { return }
        times.removeFirst(min(number - base, times.count))
        base = number
    }
}
