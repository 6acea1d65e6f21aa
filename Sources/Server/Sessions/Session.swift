import Authentication
import ClientProtocol
import Compression
import EventLoop
import Fanout
import Model
import Services
import Store
import Wire

/// One authenticated device on a WebSocket, from `hello` to `bye`; or on a stream of Server-Sent Events.
///
/// - Confinement: loop
final class Session {
    unowned let connection: ServerConnection
    var tcp: TCPConnection { connection.tcp }
    var server: LoopServer { connection.server }
    var address: ConnectionAddress { connection.address }

    var state: State
    var codec = WebSocketConnection(role: .server, messageBytesMax: Limits.messageBytesMax)
    var incoming: [WebSocketEvent] = []
    let framing: Framing
    var inflation = InflationAllowance()

    /// Which of two sessions of one device is the later one: the one that was opened later, however long each took to
    /// begin. A device that comes back may overtake its own `hello` on the connection that it gave up.
    let claimNumber: Int64

    /// What the upgrade request's header said; a token in `hello` replaces it.
    var headerClaims: Claims?
    var startStage = StartStage.none
    var queue = CommandQueue()
    /// What a stream of Server-Sent Events watches, which sends no commands.
    var watchesAtStart: [Command.WatchedPath] = []
    var pace: CommandPace
    var pulse: Pulse
    /// By when the message or frame under way must be whole; nil between messages.
    var messageDeadline: Int64?
    var failedHellos = 0
    /// Frames that were looked at.
    var frameCount = 0
    var expiry = TokenExpiry()
    /// Set when the server stops: by then what came before must be answered, nothing more begins.
    private(set) var drainDeadline: Int64?
    /// When the token that was last given expires.
    var expiresAt = Timestamp(milliseconds: 0)
    /// The name of that token, and when it was issued, by which it can be revoked.
    private(set) var tokenID: String?
    private(set) var issuedAt: Timestamp?

    enum State {
        /// No `hello` yet; it must come before the loop's clock shows this.
        case waitingForHello(deadline: Int64)
        /// `hello` was accepted, the database is being read.
        case starting(Greeting)
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
        let claims: Claims
        let hello: Command.Hello
    }

    init(_ connection: ServerConnection, framing: Framing, headerClaims: Claims?) {
        self.connection = connection
        self.headerClaims = headerClaims
        self.framing = framing
        claimNumber = connection.server.settings.claimNumbers.next()
        let now = connection.server.loop.now
        state = .waitingForHello(deadline: now + connection.server.settings.helloMilliseconds)
        pace = CommandPace(at: now)
        pulse = Pulse(at: now, everyMilliseconds: connection.server.settings.heartbeatMilliseconds)
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
    func drain() {
        drainDeadline = server.loop.now + Limits.drainMilliseconds / 3
        closeIfDrained()
    }

    /// Says goodbye when the server stops and nothing waits for an answer any more, or has waited too long.
    func closeIfDrained() {
        guard let drainDeadline else { return }
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
        isClosing ? 0 : codec.heldBytes + queue.heldBytes + (identity?.watches.pending?.snapshot?.bytes ?? 0)
    }

    private func leave() {
        connection.uncountUser()
        leaveStart()
        if case .ready(let identity) = state {
            server.detach(address.slot)
            endWatches(identity)
            let key = DeviceKey(user: identity.person.id, device: identity.device)
            if server.devices[key]?.address == address { server.devices[key] = nil }
            state = .closing
            server.left(identity.person, slot: address.slot)
        }
        state = .closing
    }
}

@available(*, unavailable)
extension Session: Sendable {}
