import Authentication
import ClientProtocol
import Compression
import Configuration
import EventLoop
import Fanout
import Mail
import Model
import Services
import Store
import Telemetry
import Wire

/// One authenticated device on a WebSocket, from `hello` to `bye`; or on a stream of Server-Sent Events.
///
/// - Confinement: loop
final class Session {
    unowned let connection: ServerConnection
    var tcp: TCPConnection { connection.tcp }
    var server: LoopServer { connection.server }
    var address: ConnectionAddress { connection.address }

    // What stands here is what an idle session costs (see Limits.md): what is needed only now and then is in a box that is
    // made when it is, and the order leaves few gaps.
    var state: State
    var startStage = StartStage.none
    var failedHellos: UInt8 = 0
    var expiry = TokenExpiry()
    /// Whether nothing is read from the connection for a moment, see ``RestingSessions``.
    var isResting = false
    let framing: Framing
    var codec = WebSocketConnection(role: .server, messageBytesMax: Limits.messageBytesMax)
    var inflation = InflationAllowance()

    /// Which of two sessions of one device is the later one: the one that was opened later, however long each took to
    /// begin. A device that comes back may overtake its own `hello` on the connection that it gave up.
    let claimNumber: Int64

    /// What the upgrade request's header said, if it bore a token; one in `hello` goes before it.
    private let header: HeaderClaims?
    var headerClaims: Claims? { header?.claims }
    var queue = CommandQueue()
    var pace: CommandPace
    var pulse: Pulse
    /// By when the message or frame under way must be whole; `.max` between messages.
    var messageDeadline = Int64.max
    /// When the token that was last given expires.
    var expiresAt = Timestamp(milliseconds: 0)
    /// What was received and waits for a later turn; nil for nearly everybody.
    var postponed: PostponedInput?
    /// The name of that token, and when it was issued, by which it can be revoked.
    private(set) var tokenID: String?
    private(set) var issuedAt: Timestamp?

    enum State {
        /// No `hello` yet; it must come before the loop's clock shows this.
        case waitingForHello(deadline: Int64)
        /// `hello` was accepted, the database is being read.
        indirect case starting(Greeting)
        case ready(SessionIdentity)
        case closing
    }

    /// Where the session is on the way from `hello` to `live`, see ``StartAdmission``.
    enum StartStage {
        /// Not on it.
        case none
        case waiting
        case inWork
    }

    /// An accepted `hello` on its way.
    struct Greeting {
        let id: RequestID?
        /// Nil where no token is shown, on a stream of Server-Sent Events.
        let claims: Claims?
        let hello: HelloCommand
        /// What a stream of Server-Sent Events watches, which sends no commands.
        let watches: [WatchedPath]
    }

    /// What the token in the upgrade request's header said.
    ///
    /// - Confinement: loop
    private final class HeaderClaims {
        let claims: Claims
        init(_ claims: Claims) { self.claims = claims }
    }

    init(_ connection: ServerConnection, framing: Framing, headerClaims: Claims?) {
        self.connection = connection
        header = headerClaims.map(HeaderClaims.init)
        self.framing = framing
        claimNumber = connection.server.settings.claimNumbers.next()
        let now = connection.server.loop.now
        state = .waitingForHello(deadline: now + connection.server.settings.configuration.helloMilliseconds)
        pace = CommandPace(at: now)
        pulse = Pulse(at: now)
    }

    /// Nil when the client did not ask for compression, or the server does without.
    var compression: ConnectionCompression? {
        if case .webSocket(let compression) = framing { compression } else { nil }
    }

    /// Who this is, when started.
    var identity: SessionIdentity? {
        if case .ready(let identity) = state { identity } else { nil }
    }

    /// Sends a message that is not in the log. Dropped when the socket is behind: it would be old when it arrives.
    func sendEphemeral(_ signal: FramedSignal) {
        guard case .ready(let identity) = state, identity.cursor.mode == .live,
            tcp.queuedBytes < Limits.queuedBytesMax
        else { return }
        tcp.write(framing.isOneWay ? frame(signal.json) : signal.frame)
    }

    /// Sends one message.
    ///
    /// - Parameter position: up to which the client has everything when it has this; nil when it does not say so.
    func send(_ json: [UInt8], at position: Position? = nil) { tcp.write(frame(json, at: position)) }

    /// From here on the session rests on the token of these claims.
    func rest(on claims: Claims) {
        expiresAt = claims.expiresAt
        tokenID = claims.tokenID
        issuedAt = claims.issuedAt
    }

    /// Says goodbye and ends the connection.
    ///
    /// - Parameters:
    ///   - reason: nil is the code's own.
    ///   - delay: after which the client is to come back, where its code asks for that; one is drawn if nil.
    func close(_ code: CloseCode, reason: String? = nil, reconnectInMilliseconds delay: Int64? = nil) {
        guard !isClosing else { return }
        if code.advice == .reconnectAfterDelay {
            var random = SystemRandomNumberGenerator()
            let delay = delay ?? ReconnectDelay.milliseconds(after: code, using: &random)
            send(Event.bye(code, reconnectInMilliseconds: delay))
            server.settings.metrics.saidBye(code.rawValue)
        } else if framing.isOneWay {
            send(Event.bye(code, reason: reason))
            server.settings.metrics.saidBye(code.rawValue)
        }
        end(code.rawValue, reason ?? code.reason)
    }

    /// Says that this is the end, and ends the connection when it is out.
    func end(_ code: UInt16?, _ reason: String) {
        guard !isClosing else { return }
        leave()
        tcp.write(framing.end(code, reason))
        tcp.closeAfterFlush(timeoutMilliseconds: 2000)
    }

    /// The server stops: commands that came before are answered, then it says goodbye.
    func drain() { closeIfDrained() }

    /// Says goodbye when the server stops and nothing waits for an answer any more, or has waited too long.
    func closeIfDrained() {
        guard let drainDeadline = server.drainDeadline else { return }
        if case .ready = state, queue.count > 0, server.loop.now < drainDeadline { return }
        close(.drain)
    }

    /// The connection is gone.
    func ended() { leave() }

    var isClosing: Bool {
        if case .closing = state { true } else { false }
    }

    /// Bytes kept for the client, without those that wait for the socket.
    var heldBytes: Int {
        guard !isClosing else { return 0 }
        let base = codec.heldBytes + queue.heldBytes + (postponed?.heldBytes ?? 0)
        guard let identity else { return base }
        return base + identity.watches.heldBytes + (identity.heldAnswers?.bytes ?? 0) + followBytes
    }

    /// Bytes that the user's follows take here, beyond those of an ordinary user.
    private var followBytes: Int {
        max(0, server.hub.streamCount(of: address.slot) - Limits.followsUncounted) * Limits.followBytes
    }

    private func leave() {
        connection.uncountUser()
        leaveStart()
        if case .ready(let identity) = state {
            server.detach(address.slot)
            endWatches(identity)
            state = .closing
            if let person = identity.person {
                server.unclaim(DeviceKey(user: person.id, device: identity.device), by: address.slot)
                server.left(person, slot: address.slot)
            }
        }
        state = .closing
    }
}

@available(*, unavailable)
extension Session: Sendable {}
