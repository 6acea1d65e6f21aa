/// Lets a few connections a turn through to what is costly, a TLS handshake, and has the others wait in a line: a
/// thousand that come at once must not keep those that stand from their turn.
///
/// uSockets bounds handshakes likewise, five an iteration. Who waits is not read from; its bytes stay in the kernel.
/// - Confinement: loop
struct Turnstile {
    /// Costly reads in one turn: at 0.2 to 1 ms for each handshake, others wait about as long as for a large fan-out.
    static let admissionsPerTurnMax = 8

    private var waiting: [TCPConnection] = []
    private var first = 0
    private var admitted = 0

    /// Whether nobody waits.
    var isEmpty: Bool { first == waiting.count }

    /// Whether one more may pass in this turn; nobody overtakes those who wait.
    mutating func admits() -> Bool {
        guard isEmpty, admitted < Turnstile.admissionsPerTurnMax else { return false }
        admitted += 1
        return true
    }

    /// Puts a connection at the end of the line.
    mutating func append(_ connection: TCPConnection) { waiting.append(connection) }

    /// Begins a turn.
    /// - Returns: those who may pass in it, taken off the line.
    mutating func nextTurn() -> [TCPConnection] {
        guard !isEmpty else {
            admitted = 0
            return []
        }
        let end = min(first + Turnstile.admissionsPerTurnMax, waiting.count)
        let passing = Array(waiting[first..<end])
        admitted = passing.count
        first = end
        if isEmpty {
            waiting.removeAll()
            first = 0
        } else if first > 1024 {
            waiting.removeFirst(first)
            first = 0
        }
        return passing
    }
}
