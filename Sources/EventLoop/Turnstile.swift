import DequeModule

/// Lets a few connections a turn through to what is costly, and has the others wait in a line: a thousand that come at
/// once, to shake hands or to ask, must not keep those that stand from their turn.
///
/// uSockets bounds handshakes likewise, five an iteration. Here what a connection's reads took counts, too: one whose
/// bytes cost much (a large body, a message that inflates) stands in line from then on, and pays for what a turn was
/// longer than expected. Who waits is not read from; its bytes stay in the kernel.
/// - Confinement: loop
struct Turnstile {
    /// Cost of all that passes in one turn, in the shares of ``TurnCost``: about 3 ms, as long as a large fan-out.
    static let costPerTurnMax = 64

    /// Those who take a step of what everybody does, who go first in half of each turn; and those whose bytes cost more.
    private var light = Deque<TCPConnection>()
    private var heavy = Deque<TCPConnection>()
    private var spent = 0
    /// What those who passed in this turn took more than was expected.
    private var excess = 0
    /// Microseconds of this turn that were measured, and when the piece that is under way began.
    private var took: Int64 = 0
    private var mark: Int64 = 0

    /// Whether nobody waits.
    var isEmpty: Bool { light.isEmpty && heavy.isEmpty }

    /// Whether nothing more that is costly fits into this turn.
    var isSpent: Bool { spent >= Turnstile.costPerTurnMax }

    /// Whether those who passed took so much longer than was expected that the others who were let through wait for
    /// another turn.
    var isOverdrawn: Bool { excess >= Turnstile.costPerTurnMax }

    /// Whether this turn is long already, expected or not.
    var isLong: Bool { took >= Int64(Turnstile.costPerTurnMax) * TurnCost.shareMicroseconds }

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
    mutating func append(_ connection: TCPConnection) {
        if connection.costOfTurn <= .heavy { light.append(connection) } else { heavy.append(connection) }
    }

    /// Puts a connection that was let through, and could not be read from, before the others of its line: the first of
    /// those who want little is read from in any case, so that none of them waits for ever.
    mutating func putBack(_ connection: TCPConnection) {
        if connection.costOfTurn <= .heavy { light.prepend(connection) } else { heavy.prepend(connection) }
    }

    /// Begins a turn.
    /// - Returns: those who may pass in it, taken off the lines.
    mutating func nextTurn() -> [TCPConnection] {
        (spent, excess, took) = (0, 0, 0)
        guard !isEmpty else { return [] }
        var passing: [TCPConnection] = []
        while spent < Turnstile.costPerTurnMax / 2, let connection = light.popFirst() { pass(connection, &passing) }
        while !isSpent, let connection = heavy.popFirst() ?? light.popFirst() { pass(connection, &passing) }
        return passing
    }

    private mutating func pass(_ connection: TCPConnection, _ passing: inout [TCPConnection]) {
        spent += connection.costOfTurn.shares
        passing.append(connection)
    }
}

/// What a connection does next costs, as a share of what may be spent on such in one turn.
/// - Confinement: any
package struct TurnCost: Sendable, Comparable {
    /// Microseconds of one share.
    static let shareMicroseconds: Int64 = 50

    private let value: UInt8

    /// Not counted: what a session that stands sends, a little at a time.
    package static let ordinary = TurnCost(value: 0)
    /// A request, an upgrade, the first words of a session: 50 µs or so.
    package static let light = TurnCost(value: 1)
    /// A step of a TLS handshake, or a dozen requests that came in one packet: up to 1 ms.
    package static let heavy = TurnCost(value: 8)

    private init(value: UInt8) { self.value = value }

    /// The cost of what took so long.
    init(microseconds: Int64) { value = UInt8(clamping: microseconds / Self.shareMicroseconds) }

    var shares: Int { Int(value) }

    /// What is left of it when the next read was cheaper: a few cheap ones, and it is forgotten.
    var faded: TurnCost { TurnCost(value: UInt8(shares / 2)) }

    package static func < (one: TurnCost, other: TurnCost) -> Bool { one.value < other.value }
}
