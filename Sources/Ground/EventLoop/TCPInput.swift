/// When a connection is read, and how much at once: the wishes of its delegate, its place at the loop's turnstile, and
/// the size and cost of its reads.
///
/// It decides; the connection reads and calls its delegate.
/// - Confinement: loop
struct TCPInput {
    /// Reads of one connection in one turn; the rest waits for the next turn, so that one peer cannot occupy the loop.
    private static let readsPerTurnMax: UInt8 = 1
    /// The most bytes of one read, which goes into a buffer that all connections of the loop share.
    static let bytesOfReadMax = 64 << 10
    /// The most bytes of an ordinary read in a turn that is already long: the size of a person's message.
    private static let bytesOfShortRead = 2 << 10
    /// Reads of at least this many bytes are timed.
    private static let bytesOfMeasuredRead = 1 << 10

    // Small fields stand together, so that the order leaves no gaps.
    /// Whether libuv has been asked for bytes.
    var isReading = false
    /// Whether the delegate wants bytes.
    var isWanted = true
    /// Whether the peer has ended its side.
    var hasEnded = false
    /// Whether the connection waits for its turn to continue.
    var isYielding = false
    /// The connection's state at the loop's turnstile, while its work is expensive.
    var passage = TurnstilePassage.none
    /// Whether the connection's work is being timed.
    var isMeasured = false
    /// The learned cost and size of reads.
    var pace = ReadPace()
    /// The most bytes read in one turn.
    var bytesMax = Int32(bytesOfReadMax)
    /// The delegate's cost of the next bytes.
    var turnCost = TurnCost.ordinary
    private var readsThisTurn: UInt8 = 0
    private var readTurn: UInt32 = 0

    /// Whether libuv may and must be asked for bytes.
    var mayStart: Bool { !isReading && !isYielding && !hasEnded }

    /// The expected cost of the next read: the delegate's or the measured one, and that of a handshake in addition.
    func cost(isHandshake: Bool) -> TurnCost {
        let own = max(turnCost, pace.cost)
        return isYielding || isHandshake ? max(own, .heavy) : own
    }

    /// Begins a read.
    /// - Returns: its most bytes; 0 when the turn's share is used up. It is smaller when the connection's bytes are
    ///   expensive, and small when the turn is already long.
    mutating func beginRead<Passer>(
        in turn: UInt32, at turnstile: inout Turnstile<Passer>, isHandshake: Bool
    ) -> Int {
        guard countRead(in: turn), passes(&turnstile, cost(isHandshake: isHandshake)) else { return 0 }
        let most = pace.bytes(of: min(Int(bytesMax), Self.bytesOfReadMax))
        return passage == .none && turnstile.isSpent ? min(most, Self.bytesOfShortRead) : most
    }

    /// Whether another read fits into this turn.
    private mutating func countRead(in turn: UInt32) -> Bool {
        if readTurn != turn {
            readTurn = turn
            readsThisTurn = 0
        }
        guard readsThisTurn < Self.readsPerTurnMax else { return false }
        readsThisTurn += 1
        return true
    }

    /// Whether this read may happen now: it is ordinary, or one of the expensive ones that fit into this turn.
    private mutating func passes<Passer>(_ turnstile: inout Turnstile<Passer>, _ cost: TurnCost) -> Bool {
        guard cost != .ordinary else { return true }
        switch passage {
        case .assured: break
        // If the earlier ones took longer than expected, the others wait for another turn.
        case .admitted: if turnstile.isOverdrawn { passage = .waitingAgain }
        default: passage = turnstile.admits(cost) ? .admitted : .waiting
        }
        return passage.isGiven
    }

    /// Ends a read that brought bytes.
    /// - Returns: the expected cost of their work when it must be timed; nil for a small ordinary read.
    mutating func endRead(of count: Int, isHandshake: Bool) -> TurnCost? {
        guard count >= Self.bytesOfMeasuredRead || passage.isGiven || pace.isSlowed else { return nil }
        let expected = passage.isGiven ? cost(isHandshake: isHandshake) : .ordinary
        passage = .none
        return expected
    }
}
