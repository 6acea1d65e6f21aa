import ClientProtocol

/// Decides whether a session tries again after a failure, and after which wait.
/// - Confinement: any
struct Retrying: Sendable {
    /// Consecutive refusals of tokens after which no new token is tried.
    private static let authFailuresMax = 2

    private var random: JitterSource
    private let baseMilliseconds: Int64
    private var connectBackoff: Backoff
    private var commandBackoff: Backoff
    private var authFailures = 0
    /// The wait that the server has announced for the end of this connection (`bye.reconnectInMs`).
    var announcedDelay: Int64?

    init(_ backoff: Backoff, seed: UInt64) {
        random = JitterSource(seed: seed)
        baseMilliseconds = backoff.baseMilliseconds
        connectBackoff = backoff
        commandBackoff = backoff
    }

    /// Notes that missed events were delivered: the next failure of a connection counts as the first.
    mutating func wentLive() { connectBackoff.reset() }

    /// Notes that a command was done.
    mutating func commandSucceeded() {
        commandBackoff.reset()
        authFailures = 0
    }

    /// Notes that `hello` was accepted.
    mutating func tokenAccepted() { authFailures = 0 }

    /// Counts a refusal of the token.
    mutating func isAnotherTokenWorthTrying() -> Bool {
        authFailures += 1
        return authFailures < Self.authFailuresMax
    }

    /// Milliseconds until commands are sent again.
    mutating func delay(after refusal: Refusal) -> Int64 {
        (refusal.retryAfterMilliseconds ?? 0) + commandBackoff.next(using: &random)
    }

    /// Milliseconds until the next attempt to connect; nil when there must be none.
    mutating func delay(after transport: TransportEnd) -> Int64? {
        guard isAdvised(after: transport) else { return nil }
        let wait = connectBackoff.next(using: &random)
        guard let announced = announcedDelay else { return wait }
        // The delay belongs to the connection that ended: if the next one fails, too, this client chooses its own wait.
        announcedDelay = nil
        // The server has already spread the announced delays; the additional jitter stays small.
        return announced + .random(in: 0...baseMilliseconds, using: &random)
    }

    private mutating func isAdvised(after transport: TransportEnd) -> Bool {
        switch transport {
        case .lost, .violation: return true
        case .badHandshake: return false
        // A network may break TLS; a wrong certificate stays wrong when asked again.
        case .encryption(_, let isCertificate): return !isCertificate
        case .refused(let status): return status >= 500 || status == 429 || status == 408
        case .closed(let code, _):
            let code = code ?? CloseCode.noStatus.rawValue
            // A new token is a change, as 44xx demands.
            return CloseCode.advice(for: code) != .stayAway
                || code == CloseCode.unauthenticated.rawValue && isAnotherTokenWorthTrying()
        }
    }
}
