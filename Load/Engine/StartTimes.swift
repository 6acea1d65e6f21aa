import DequeModule

/// When the messages of one sender started that somebody still waits for, by their number.
struct StartTimes: Sendable {
    private var times: Deque<ContinuousClock.Instant> = []
    private var base = 0

    /// How many there have been.
    var count: Int { base + times.count }

    mutating func append(_ time: ContinuousClock.Instant) { times.append(time) }

    /// Nil when it was forgotten, or never was.
    subscript(number: Int) -> ContinuousClock.Instant? {
        let place = number - base
        return times.indices.contains(place) ? times[place] : nil
    }

    /// Nobody waits for those below a number any more.
    mutating func forget(below number: Int) {
        guard number > base else { return }
        times.removeFirst(min(number - base, times.count))
        base = number
    }
}
