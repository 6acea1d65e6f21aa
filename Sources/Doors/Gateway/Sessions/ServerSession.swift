import Authentication
import ClientProtocol
import Compression
import Configuration
import EventLoop
import Execution
import Fanout
import Model
import Quotas
import Services
import Telemetry
import ThreadMessages
import Wire

/// One authenticated device on a WebSocket, from `hello` to `bye`; or on a stream of Server-Sent Events.
///
/// It takes the client's commands and answers them. How it begins (``SessionOpening``), how it reads on from the log
/// (``LogReading``), what it watches (``DocumentWatching``) and what is delivered to it (``SessionIdentity``,
/// ``SessionDelivery``) are parts of their own.
///
/// - Confinement: loop
final class ServerSession {
    unowned let connection: ServerConnection
    var tcp: TCPConnection { connection.tcp }
    var door: SessionDoor { connection.door.sessions }
    var address: ConnectionAddress { connection.address }
    var account: UserAccount? { connection.pacedAccount }
    var client: IPAddress { connection.client }

    // These fields are what an idle session costs (see Limits.md): what is needed only now and then is in a box that is
    // made when it is needed, and the order leaves few gaps.
    var state: SessionState
    var startStage = StartStage.none
    var failedHellos: UInt8 = 0
    /// Whether nothing is read from the connection for a moment, see ``RestingSessions``.
    var isResting = false
    let framing: Framing
    var intake = MessageIntake()

    /// Which of two sessions of one device is the later one: the one that was opened later, however long each took to
    /// begin. A device that comes back may overtake its own `hello` on the connection that it gave up.
    let claimNumber: Int64

    /// The claims of the token in the upgrade request's header, if there was one; a token in `hello` goes before it.
    private let header: HeaderClaims?
    var headerClaims: Claims? { header?.claims }
    var queue = CommandQueue()
    var pace: CommandPace
    var pulse: Pulse
    var token = SessionToken()

    /// The claims of the token in the upgrade request's header.
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
        let (now, settings) = (connection.door.loop.now, connection.door.settings)
        claimNumber = settings.claimNumbers.next()
        state = .waitingForHello(deadline: now + settings.configuration.helloMilliseconds)
        pace = CommandPace(at: now)
        pulse = Pulse(at: now)
    }

    /// Nil when the client did not ask for compression, or the server does without.
    var compression: ConnectionCompression? {
        if case .webSocket(let compression) = framing { compression } else { nil }
    }

    /// The session's user and place in the log, when it has begun.
    var identity: SessionIdentity? {
        if case .ready(let identity) = state { identity } else { nil }
    }

    /// The way of commits to it, when it has begun.
    var delivery: SessionDelivery? { identity.map { SessionDelivery(self, $0) } }

    /// Its watches, when it has begun.
    var watching: DocumentWatching? { identity.map { DocumentWatching(self, $0) } }

    var isClosing: Bool {
        if case .closing = state { true } else { false }
    }

    /// The session's claim to its device; nil until it has begun.
    var claim: DeviceClaim? {
        guard let identity, let person = identity.person else { return nil }
        let key = DeviceKey(user: person.id, device: identity.device)
        return DeviceClaim(device: key, address: address, number: claimNumber)
    }

    /// The id of the session, for its client and the log.
    var id: String { door.settings.claimNumbers.sessionID(claimNumber) }

    /// The bearer of the token on which the session rests; nil before `hello`, after the end, and without a token.
    var bearer: Bearer? {
        switch state {
        case .starting(let greeting):
            greeting.claims.map { Bearer(user: $0.subject, tokenID: $0.tokenID, issuedAt: $0.issuedAt) }
        case .ready(let identity): identity.person.map { token.bearer($0.name) }
        case .waitingForHello, .closing: nil
        }
    }

    /// The device of the session, with the token on which the session rests.
    func device(of identity: SessionIdentity) -> SessionDevice {
        token.device(identity.device, language: identity.deviceLanguage)
    }

    /// Bytes kept for the client, without those that wait for the socket.
    var heldBytes: Int {
        guard !isClosing else { return 0 }
        let base = intake.heldBytes + queue.heldBytes
        guard let identity else { return base }
        return base + identity.watches.heldBytes + (identity.heldAnswers?.bytes ?? 0) + followBytes
    }

    /// Bytes that the user's follows take here, beyond those of an ordinary user.
    private var followBytes: Int {
        let connection = connection
        let streams = connection.door.sessions.hub.streamCount(of: connection.address.slot)
        return max(0, streams - Limits.followsUncounted) * Limits.followBytes
    }

    // MARK: The end

    /// The token was revoked: refuses the commands that have not begun, then ends.
    func endRevoked() {
        let refusal = Refusal(.tokenRevoked, "the token was revoked; repeat this with a new one")
        for envelope in queue.takeWaiting() { refuse(envelope.id, refusal) }
        close(.unauthenticated, reason: "token revoked")
    }

    /// Says that this is the end, and gives the client time to read it, which one that floods does late.
    func end(_ code: UInt16?, _ reason: String) {
        guard !isClosing else { return }
        leave()
        tcp.write(framing.end(code, reason))
        tcp.closeAfterFlush(timeoutMilliseconds: door.drain.deadline == nil ? 5000 : 2000)
    }

    /// Says goodbye when the server stops and nothing waits for an answer any more, or has waited too long.
    func closeIfDrained() {
        guard let deadline = door.drain.deadline else { return }
        if case .ready = state, queue.count > 0, door.loop.now < deadline { return }
        close(.drain)
    }

    /// The session is over; harmless when it was before.
    func leave() {
        connection.uncountUser()
        leaveStart()
        if case .ready(let identity) = state {
            door.receivers.detach(address.slot)
            DocumentWatching(self, identity).endAll()
            state = .closing
            if let person = identity.person {
                door.devices.remove(DeviceKey(user: person.id, device: identity.device), by: address.slot)
                door.presence.left(person, slot: address.slot)
            }
        }
        state = .closing
    }
}

extension ServerSession: SessionLine {
    func send(_ event: EncodedEvent, at position: Position?) {
        tcp.write(framing.frame(event.json, named: event.name, at: shown(position)))
    }

    func send(stored json: [UInt8], at position: Position) {
        tcp.write(framing.frame(json, named: StoredEvent.name(of: json), at: shown(position)))
    }

    @discardableResult
    func deliver(_ framed: FramedPublication) -> Bool { delivery?.deliver(framed) ?? false }

    @discardableResult
    func take(_ frames: NoticeFrames) -> Bool { delivery?.take(frames) ?? false }

    func setCounts(_ counts: UnreadCounts, asOf position: Position) { delivery?.setCounts(counts, asOf: position) }

    func roomRead(_ room: StreamID, asOf position: Position) { delivery?.roomRead(room, asOf: position) }

    /// Sends one reply.
    func send(reply json: [UInt8]) { tcp.write(framing.frame(json, named: nil)) }

    private func shown(_ position: Position?) -> Position? {
        framing.isOneWay && identity?.withholdsIDs == true ? nil : position
    }

    func close(_ code: CloseCode, reason: String?, reconnectInMilliseconds delay: Int64?) {
        guard !isClosing else { return }
        if code.advice == .reconnectAfterDelay {
            var random = SystemRandomNumberGenerator()
            let delay = delay ?? ReconnectDelay.milliseconds(after: code, using: &random)
            send(Event.bye(code, reconnectInMilliseconds: delay, session: id))
        } else if framing.isOneWay {
            send(Event.bye(code, reason: reason, session: id))
        }
        door.settings.metrics.ended(code.rawValue)
        if door.settings.log.tellsDebug {
            door.settings.log.debug(
                "ended a session",
                [
                    "session": id, "user": identity?.person.map { door.tokens.shown($0.name) } ?? "none",
                    "code": "\(code.rawValue)", "reason": reason ?? code.reason, "address": "\(client)",
                ])
        }
        end(code.rawValue, reason ?? code.reason)
    }

    func leaveStart() {
        let stage = startStage
        startStage = .none
        switch stage {
        case .none, .waitingForHead: break
        case .waiting: door.starts.left(address)
        case .inWork: door.starts.ended()
        }
    }
}

@available(*, unavailable)
extension ServerSession: Sendable {}
