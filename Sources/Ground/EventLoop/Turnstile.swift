import DequeModule

/// Lets a few connections per turn do expensive work, and keeps the others in line: a thousand new connections, with
/// handshakes or requests, must not delay the established ones.
///
/// uSockets also bounds handshakes, to five per iteration. Here the measured time of a connection's reads counts, too:
/// a connection with expensive bytes (a large body, a message that inflates) stands in line from then on, and its
/// overdrawn time is charged to later turns. A waiting connection is not read; its bytes stay in the kernel.
/// - Confinement: loop
struct Turnstile<Passer: TurnstilePasser> {
    /// The cost of all work in one turn, in the shares of ``TurnCost``: about 3 ms, as long as a large fan-out.
    private static var costPerTurnMax: Int { 64 }

    /// Connections with a usual step, which go first in half of each turn; and connections with expensive bytes.
    private var light = Deque<Passer>()
    private var heavy = Deque<Passer>()
    private var spent = 0
    /// The time that the work in this turn took beyond the estimate.
    private var excess = 0
    /// The measured microseconds of this turn, and the start of the running measurement.
    private var took: Int64 = 0
    private var mark: Int64 = 0

    /// Whether no connection waits.
    var isEmpty: Bool { light.isEmpty && heavy.isEmpty }

    /// Whether no more expensive work fits into this turn.
    var isSpent: Bool { spent >= Self.costPerTurnMax }

    /// Whether the work took so much longer than estimated that other connections, which were already let through, must
    /// wait for another turn.
    var isOverdrawn: Bool { excess >= Self.costPerTurnMax }

    /// Whether this turn is already long, estimated or not.
    var isLong: Bool { took >= Int64(Self.costPerTurnMax) * TurnCost.shareMicroseconds }

    /// Begins to measure work, by the thread's clock.
    mutating func beginMeasuring(at now: Int64) { mark = now }

    /// Ends the measurement of a piece of work and begins the next.
    mutating func lap(at now: Int64) {
        took += now - mark
        mark = now
    }

    /// Whether work of this cost may be done in this turn; it must not overtake waiting work of the same or a lower
    /// cost.
    mutating func admits(_ cost: TurnCost) -> Bool {
        guard light.isEmpty, cost <= .heavy || heavy.isEmpty, !isSpent else { return false }
        spent += cost.shares
        return true
    }

    /// Ends the measurement of work, and charges it with its measured and its estimated cost.
    mutating func endMeasuring(microseconds: Int64, at now: Int64, expected: TurnCost) {
        lap(at: now)
        let more = max(0, TurnCost(microseconds: microseconds).shares - expected.shares)
        spent += more
        excess += more
    }

    /// Puts a connection at the end of its line.
    mutating func append(_ passer: Passer) {
        if passer.costOfTurn <= .heavy { light.append(passer) } else { heavy.append(passer) }
    }

    /// Puts a connection that was let through, but could not be read, at the front of its line. The first connection
    /// with little work is read in any case, so that none waits for ever.
    mutating func putBack(_ passer: Passer) {
        if passer.costOfTurn <= .heavy { light.prepend(passer) } else { heavy.prepend(passer) }
    }

    /// Begins a turn.
    /// - Returns: the connections that may work in this turn, removed from the lines.
    mutating func nextTurn() -> [Passer] {
        (spent, excess, took) = (0, 0, 0)
        guard !isEmpty else { return [] }
        var passing: [Passer] = []
        while spent < Self.costPerTurnMax / 2, let passer = light.popFirst() { pass(passer, &passing) }
        while !isSpent, let passer = heavy.popFirst() ?? light.popFirst() { pass(passer, &passing) }
        return passing
    }

    private mutating func pass(_ passer: Passer, _ passing: inout [Passer]) {
        spent += passer.costOfTurn.shares
        passing.append(passer)
    }
}

/// A connection, as the turnstile sees it.
/// - Confinement: loop
protocol TurnstilePasser: AnyObject {
    /// The expected cost of its next step.
    var costOfTurn: TurnCost { get }
}

/// The state of a connection at the turnstile, while its work is expensive.
/// - Confinement: any
enum TurnstilePassage: UInt8 {
    case none, waiting
    /// It was let through once and sent back, because others overdrew the turn.
    case waitingAgain
    case admitted
    /// It is let through, whatever others take.
    case assured

    /// Whether the turnstile has let the next read through.
    var isGiven: Bool { self == .admitted || self == .assured }
    var isAwaited: Bool { self == .waiting || self == .waitingAgain }
}
