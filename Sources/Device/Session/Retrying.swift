import ClientProtocol

/// Decides whether a session tries again after a failure, and after which wait.
/// - Confinement: any
struct Retrying: Sendable {
    /// The wait before the next attempt to connect.
    struct Wait: Sendable, Equatable {
        let milliseconds: Int64
        /// Whether the server has asked for it, so that nothing shortens it.
        let isAnnounced: Bool
    }

    /// Consecutive refusals of tokens after which no new token is tried, or only slowly.
    private static let authFailuresMax = 2
    /// The longest wait after a connection that had been live: once, until a connection is steady again.
    private static let afterLiveMilliseconds: Int64 = 300
    /// So long a connection has to be live before earlier failures are forgotten.
    private static let steadyMilliseconds: Int64 = 10_000
    /// How long a device waits that was replaced although it is the one that should be connected.
    private static let afterReplacementMilliseconds: Int64 = 1000
    /// The most that a server may ask a client to wait.
    private static let announcedMaxMilliseconds: Int64 = 3_600_000

    private var chance: Chance
    private let baseMilliseconds: Int64
    private let returnsAfterReplacement: Bool
    private let retriesRefusals: Bool
    private let retriesTokens: Bool
    private var connectBackoff: Backoff
    private var commandBackoff: Backoff
    /// A server that refuses all tokens, perhaps by mistake, is not asked often.
    private var tokenBackoff = Backoff(baseMilliseconds: 30_000, capMilliseconds: 900_000)
    private var authFailures = 0
    /// Why the tokens of this session are refused, as long as they are; then it connects slowly.
    private(set) var refusal: String?
    /// When this connection went live.
    private var liveAt: Int64?
    private var isShortWaitUsed = false
    /// The wait that the server has announced for the end of this connection (`bye.reconnectInMs`, `retryAfterMs`).
    private var announced: Int64?

    init(_ configuration: ClientSessionConfiguration, _ chance: Chance) {
        self.chance = chance
        baseMilliseconds = configuration.backoff.baseMilliseconds
        returnsAfterReplacement = configuration.returnsAfterReplacement
        retriesRefusals = configuration.retriesRefusals
        retriesTokens = configuration.retriesTokens
        connectBackoff = configuration.backoff
        commandBackoff = configuration.backoff
    }

    /// Notes that missed events were delivered.
    mutating func wentLive(at now: Int64) { liveAt = liveAt ?? now }

    /// Notes that a command was done.
    mutating func commandSucceeded() {
        commandBackoff.reset()
        authFailures = 0
    }

    /// Notes that `hello` was accepted.
    mutating func tokenAccepted() {
        authFailures = 0
        refusal = nil
        tokenBackoff.reset()
    }

    /// Notes the wait that the server asks for; nil forgets it.
    mutating func announce(_ milliseconds: Int64?) {
        announced = milliseconds.map { min(max($0, 0), Self.announcedMaxMilliseconds) }
    }

    /// Counts a refusal of the token.
    mutating func isAnotherTokenWorthTrying() -> Bool {
        authFailures += 1
        return authFailures < Self.authFailuresMax
    }

    /// Counts a refusal of the token of a `hello`.
    /// - Returns: whether another connection is tried with another one.
    mutating func mayConnectAgain(afterRefusal reason: String) -> Bool {
        if isAnotherTokenWorthTrying() { return true }
        if retriesTokens { refusal = reason }
        return retriesTokens
    }

    /// Milliseconds until commands are sent again.
    mutating func delay(after refusal: Refusal) -> Int64 {
        (refusal.retryAfterMilliseconds ?? 0) + commandBackoff.next(using: &chance)
    }

    /// The wait until the next attempt to connect; nil when there must be none. A connection that ends soon after it went live
    /// forgets nothing: a server or a proxy that ends each one would be asked again without a pause.
    mutating func wait(after transport: TransportEnd, at now: Int64) -> Wait? {
        let wasLive = liveAt != nil
        if let liveAt, now - liveAt >= Self.steadyMilliseconds {
            connectBackoff.reset()
            isShortWaitUsed = false
        }
        liveAt = nil
        guard isAdvised(after: transport) else { return nil }
        if case .closed(CloseCode.replaced.rawValue, _) = transport {
            return Wait(milliseconds: Self.afterReplacementMilliseconds, isAnnounced: true)
        }
        if refusal != nil { return Wait(milliseconds: tokenBackoff.next(using: &chance), isAnnounced: false) }
        if let announced {
            // The delay belongs to the connection that ended: if the next one fails, too, this client chooses its own
            // wait. The server has spread the announced delays already; the additional chance stays small.
            self.announced = nil
            isShortWaitUsed = true
            return Wait(milliseconds: announced + chance.draw(upTo: baseMilliseconds), isAnnounced: true)
        }
        guard wasLive, !isShortWaitUsed else {
            return Wait(milliseconds: connectBackoff.next(using: &chance), isAnnounced: false)
        }
        isShortWaitUsed = true
        let most = min(Self.afterLiveMilliseconds, baseMilliseconds)
        return Wait(milliseconds: chance.draw(upTo: most), isAnnounced: false)
    }

    private mutating func isAdvised(after transport: TransportEnd) -> Bool {
        switch transport {
        case .lost, .violation: return true
        case .badHandshake: return retriesRefusals
        // A network may break TLS; a wrong certificate stays wrong when the same server is asked again.
        case .encryption(_, let isCertificate): return !isCertificate || retriesRefusals
        case .refused(let status): return status >= 500 || status == 429 || status == 408 || retriesRefusals
        case .closed(CloseCode.replaced.rawValue, _): return returnsAfterReplacement
        // The hello was late, because the device slept or had much to do; that of the next connection need not be.
        case .closed(CloseCode.noHello.rawValue, _): return true
        case .closed(let code, let reason):
            let code = code ?? CloseCode.noStatus.rawValue
            // A new token is a change, as 44xx demands.
            return CloseCode.advice(for: code) != .stayAway
                || code == CloseCode.unauthenticated.rawValue && mayConnectAgain(afterRefusal: reason)
        }
    }
}
