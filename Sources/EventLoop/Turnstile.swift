/// Lets a few connections a turn through to what is costly, and has the others wait in a line: a thousand that come at
/// once, to shake hands or to ask, must not keep those that stand from their turn.
///
/// uSockets bounds handshakes likewise, five an iteration. Who waits is not read from; its bytes stay in the kernel.
/// - Confinement: loop
struct Turnstile {
    /// Cost of all that passes in one turn, in the shares of ``TurnCost``: about 3 ms, as long as a large fan-out.
    static let costPerTurnMax = 64

    private var waiting: [TCPConnection] = []
    private var first = 0
    private var spent = 0

    /// Whether nobody waits.
    var isEmpty: Bool { first == waiting.count }

    /// Whether one more of this cost may pass in this turn; nobody overtakes those who wait.
    mutating func admits(_ cost: TurnCost) -> Bool {
        guard isEmpty, spent < Turnstile.costPerTurnMax else { return false }
        spent += Int(cost.rawValue)
        return true
    }

    /// Puts a connection at the end of the line.
    mutating func append(_ connection: TCPConnection) { waiting.append(connection) }

    /// Begins a turn.
    /// - Returns: those who may pass in it, taken off the line.
    mutating func nextTurn() -> ArraySlice<TCPConnection> {
        spent = 0
        guard !isEmpty else { return [] }
        let begin = first
        while first < waiting.count, spent < Turnstile.costPerTurnMax {
            spent += Int(waiting[first].costOfTurn.rawValue)
            first += 1
        }
        let passing = waiting[begin..<first]
        if isEmpty {
            waiting = []
            first = 0
        } else if first > 1024 {
            waiting.removeFirst(first)
            first = 0
        }
        return passing
    }
}

/// What a connection does next costs, as a share of what may be spent on such in one turn.
/// - Confinement: any
package enum TurnCost: UInt8, Sendable {
    /// Not counted: what a session that stands sends, a little at a time.
    case ordinary = 0
    /// A request, an upgrade, the first words of a session: 50 µs or so.
    case light = 1
    /// A step of a TLS handshake, or a dozen requests that came in one packet: up to 1 ms.
    case heavy = 8
}
