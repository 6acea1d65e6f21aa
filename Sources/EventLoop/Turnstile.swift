import DequeModule

/// Lets a few connections a turn through to what is costly, and has the others wait in a line: a thousand that come at
/// once, to shake hands or to ask, must not keep those that stand from their turn.
///
/// uSockets bounds handshakes likewise, five an iteration. Here what a connection's reads took counts, too: one whose
/// bytes cost much (a large body, a message that inflates) stands in line from then on, and pays for what a turn was
/// longer than expected. Who waits is not read from; its bytes stay in the kernel.
/// - Confinement: loop
struct Turnstile<Passer: TurnstilePasser> {
    /// Cost of all that passes in one turn, in the shares of ``TurnCost``: about 3 ms, as long as a large fan-out.
    private static var costPerTurnMax: Int { 64 }

    /// Those who take a step of what everybody does, who go first in half of each turn; and those whose bytes cost more.
    private var light = Deque<Passer>()
    private var heavy = Deque<Passer>()
    private var spent = 0
    /// What those who passed in this turn took more than was expected.
    private var excess = 0
    /// Microseconds of this turn that were measured, and when the piece that is under way began.
    private var took: Int64 = 0
    private var mark: Int64 = 0

    /// Whether nobody waits.
    var isEmpty: Bool { light.isEmpty && heavy.isEmpty }

    /// Whether nothing more that is costly fits into this turn.
    var isSpent: Bool { spent >= Self.costPerTurnMax }

    /// Whether those who passed took so much longer than was expected that the others who were let through wait for
    /// another turn.
    var isOverdrawn: Bool { excess >= Self.costPerTurnMax }

    /// Whether this turn is long already, expected or not.
    var isLong: Bool { took >= Int64(Self.costPerTurnMax) * TurnCost.shareMicroseconds }

    /// Something begins whose time is measured, by the thread's clock.
    mutating func beginMeasuring(at now: Int64) { mark = now }

    /// A piece of what is measured is done.
    mutating func lap(at now: Int64) {
        took += now - mark
        mark = now
    }

    /// Whether one more of this cost may pass in this turn; nobody overtakes those who wait with no more to do.
    mutating func admits(_ cost: TurnCost) -> Bool {
        guard light.isEmpty, cost <= .heavy || heavy.isEmpty, !isSpent else { return false }
        spent += cost.shares
        return true
    }

    /// What passed took so long, and was expected to cost this.
    mutating func charge(_ took: TurnCost, expected: TurnCost) {
        let more = max(0, took.shares - expected.shares)
        spent += more
        excess += more
    }

    /// Puts a connection at the end of its line.
    mutating func append(_ passer: Passer) {
        if passer.costOfTurn <= .heavy { light.append(passer) } else { heavy.append(passer) }
    }

    /// Puts a connection that was let through, and could not be read from, before the others of its line: the first of
    /// those who want little is read from in any case, so that none of them waits for ever.
    mutating func putBack(_ passer: Passer) {
        if passer.costOfTurn <= .heavy { light.prepend(passer) } else { heavy.prepend(passer) }
    }

    /// Begins a turn.
    /// - Returns: those who may pass in it, taken off the lines.
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
    /// What it does next costs.
    var costOfTurn: TurnCost { get }
}

/// How a connection stands with the turnstile, while what it does costs.
/// - Confinement: any
enum TurnstilePassage: UInt8 {
    case none, waiting
    /// Let through once, and sent back since others overdrew the turn.
    case waitingAgain
    case admitted
    /// Let through whatever the others take.
    case assured

    /// Whether the next read is one that the turnstile let through.
    var isGiven: Bool { self == .admitted || self == .assured }
    var isAwaited: Bool { self == .waiting || self == .waitingAgain }
}
