import DequeModule

/// Lets a few connections per turn do expensive work, and keeps the others in line: a thousand new connections, with
/// handshakes or requests, must not delay the established ones.
///
/// uSockets also bounds handshakes, to five per iteration. Here the measured time of a connection's reads counts, too:
/// a connection with expensive bytes (a large body, a message that inflates) stands in line from then on, and its
/// overdrawn time is charged to later turns. A waiting connection is not read; its bytes stay in the kernel.
/// - Confinement: loop
struct Turnstile {
    /// The cost of all work in one turn, in the shares of ``TurnCost``: about 3 ms, as long as a large fan-out.
    static let costPerTurnMax = 64

    /// Connections with a usual step, which go first in half of each turn; and connections with expensive bytes.
    private var light = Deque<TCPConnection>()
    private var heavy = Deque<TCPConnection>()
    private var spent = 0
    /// The time that the work in this turn took beyond the estimate.
    private var excess = 0
    /// The measured microseconds of this turn, and the start of the running measurement.
    private var took: Int64 = 0
    private var mark: Int64 = 0

    /// Whether no connection waits.
    var isEmpty: Bool { light.isEmpty && heavy.isEmpty }

    /// Whether no more expensive work fits into this turn.
    var isSpent: Bool { spent >= Turnstile.costPerTurnMax }

    /// Whether the work took so much longer than estimated that other connections, which were already let through, must
    /// wait for another turn.
    var isOverdrawn: Bool { excess >= Turnstile.costPerTurnMax }

    /// Whether this turn is already long, estimated or not.
    var isLong: Bool { took >= Int64(Turnstile.costPerTurnMax) * TurnCost.shareMicroseconds }

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

    /// Charges work with its measured and its estimated cost.
    mutating func charge(_ took: TurnCost, expected: TurnCost) {
        let more = max(0, took.shares - expected.shares)
        spent += more
        excess += more
    }

    /// Puts a connection at the end of its line.
    mutating func append(_ connection: TCPConnection) {
        if connection.costOfTurn <= .heavy { light.append(connection) } else { heavy.append(connection) }
    }

    /// Puts a connection that was let through, but could not be read, at the front of its line. The first connection
    /// with little work is read in any case, so that none waits for ever.
    mutating func putBack(_ connection: TCPConnection) {
        if connection.costOfTurn <= .heavy { light.prepend(connection) } else { heavy.prepend(connection) }
    }

    /// Begins a turn.
    /// - Returns: the connections that may work in this turn, removed from the lines.
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

/// The cost of a connection's next step, as a share of the expensive work of one turn.
/// - Confinement: any
package struct TurnCost: Sendable, Comparable {
    /// Microseconds of one share.
    static let shareMicroseconds: Int64 = 50

    private let value: UInt8

    /// Not counted: the messages of an established session, a few at a time.
    package static let ordinary = TurnCost(value: 0)
    /// A request, an upgrade, the first messages of a session: about 50 µs.
    package static let light = TurnCost(value: 1)
    /// A step of a TLS handshake, or a dozen requests in one packet: up to 1 ms.
    package static let heavy = TurnCost(value: 8)

    private init(value: UInt8) { self.value = value }

    /// The cost of work with this duration.
    init(microseconds: Int64) { value = UInt8(clamping: microseconds / Self.shareMicroseconds) }

    var shares: Int { Int(value) }

    /// The remaining cost after a cheaper read: after a few cheap ones it is zero.
    var faded: TurnCost { TurnCost(value: UInt8(shares / 2)) }

    package static func < (one: TurnCost, other: TurnCost) -> Bool { one.value < other.value }
}
