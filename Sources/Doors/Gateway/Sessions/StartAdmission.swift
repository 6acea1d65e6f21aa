import ClientProtocol
import Configuration
import DequeModule
import Model

/// Which sessions may begin now, which wait for their turn, which come back later: what bounds a storm of reconnects.
///
/// A session's start costs a reader's time, from `hello` to `live`. A few are in work at once, so that what established
/// sessions ask of the readers waits for a few starts and not for thousands. The others wait in the order in which
/// they came, one place for each connection. A client that finds no place, or has waited too long, is to come back at a time which
/// is drawn so that a queue's length of clients comes in about the time one may wait.
///
/// Facts in, decisions out; the owner names the waiters.
///
/// - Confinement: any
struct StartAdmission<Waiter: Hashable & Sendable>: Sendable {
    /// The decision about a start.
    enum Decision: Hashable {
        case begin
        case wait
        case turnAway(reconnectInMilliseconds: Int64)
    }

    /// A storm as it is logged when it is over.
    struct Storm: Hashable {
        var waited = 0
        var turnedAway = 0
        var longestWaitMilliseconds: Int64 = 0
    }

    private struct Place {
        let waiter: Waiter
        let since: Int64
    }

    private let bounds: StartBounds
    private var places: Deque<Place> = []
    /// Those of ``places`` that still wait.
    private var waiting: Set<Waiter> = []
    private(set) var inWork = 0
    private var storm = Storm()

    init(bounds: StartBounds) { self.bounds = bounds }

    /// How many wait.
    var waitingCount: Int { waiting.count }

    /// A session wants to begin.
    ///
    /// - Parameter now: monotonic milliseconds.
    mutating func ask(
        _ waiter: Waiter, at now: Int64, using random: inout some RandomNumberGenerator
    ) -> Decision {
        if inWork < bounds.inWorkMax, waiting.isEmpty {
            inWork += 1
            return .begin
        }
        guard waiting.count < bounds.waitingMax else {
            return .turnAway(reconnectInMilliseconds: turnAway(using: &random))
        }
        places.append(Place(waiter: waiter, since: now))
        waiting.insert(waiter)
        storm.waited += 1
        return .wait
    }

    /// A start that was begun is at its end: the session is live, waits for its socket, or is gone.
    mutating func ended() { inWork -= 1 }

    /// A waiter is gone.
    mutating func left(_ waiter: Waiter) {
        waiting.remove(waiter)
        if waiting.isEmpty { places = [] }
    }

    /// The waiter that has its turn, if there is room; it is in work from now on.
    mutating func next(at now: Int64) -> Waiter? {
        guard inWork < bounds.inWorkMax, let place = takeFirst() else { return nil }
        inWork += 1
        storm.longestWaitMilliseconds = max(storm.longestWaitMilliseconds, now - place.since)
        return place.waiter
    }

    /// A waiter that has waited too long; to be called until there is none.
    ///
    /// - Returns: the waiter, and when it is to come back.
    mutating func nextOverdue(
        at now: Int64, using random: inout some RandomNumberGenerator
    ) -> (waiter: Waiter, reconnectInMilliseconds: Int64)? {
        while let place = places.first, !waiting.contains(place.waiter) { places.removeFirst() }
        guard let first = places.first, now - first.since >= bounds.waitMilliseconds, let place = takeFirst()
        else { return nil }
        return (place.waiter, turnAway(using: &random))
    }

    /// The storm, once nobody waits any more; nil when there was none.
    mutating func takeStorm() -> Storm? {
        guard waiting.isEmpty, storm != Storm() else { return nil }
        defer { storm = Storm() }
        return storm
    }

    private mutating func takeFirst() -> Place? {
        while let place = places.popFirst() {
            guard waiting.remove(place.waiter) != nil else { continue }
            // The memory of a large storm is given back.
            if waiting.isEmpty { places = [] }
            return place
        }
        return nil
    }

    /// Each queue's length of clients that is turned away comes back over one more time to wait.
    private mutating func turnAway(using random: inout some RandomNumberGenerator) -> Int64 {
        storm.turnedAway += 1
        let queues = Int64(1 + storm.turnedAway / max(1, bounds.waitingMax))
        let spread = min(2 * bounds.waitMilliseconds * queues, Limits.reconnectSpreadMilliseconds)
        return Limits.reconnectMilliseconds + .random(in: 0...spread, using: &random)
    }
}

/// After how long a client is to come back to a server that ends its connection.
///
/// - Confinement: any
enum ReconnectDelay {
    /// Spread, so that clients that were turned away together do not come back together.
    static func milliseconds(after code: CloseCode, using random: inout some RandomNumberGenerator) -> Int64 {
        code == .drain
            ? .random(in: Limits.reconnectAfterDrainMilliseconds...Limits.drainMilliseconds, using: &random)
            : .random(in: Limits.reconnectMilliseconds...2 * Limits.reconnectMilliseconds, using: &random)
    }
}
