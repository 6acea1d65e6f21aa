import Admin
import Authentication
import ClientProtocol
import Crypto
import EventLoop
import Model
import Telemetry
import ThreadMessages
import Wire

/// The part of a loop that its connections, and the requests on them, may use.
///
/// - Confinement: loop
final class LoopDoor {
    let loop: Loop
    let settings: LoopSettings
    let orders: Orders
    let tokens: AcceptedTokens
    let memory: LoopMemory
    let encryption: LoopEncryption
    let drain: Drain
    /// The further part that sessions may use.
    let sessions: SessionDoor
    /// Requests that got an id here, after a text that differs from one loop to the next.
    private var requestCount: UInt64 = 0
    private let date = HTTPDate()
    private let requestPrefix = String(UInt32.random(in: 0...UInt32.max), radix: 36)
    /// A connection is closed.
    private let closed: (ConnectionAddress) -> Void

    /// - Parameters:
    ///   - sessions: what sessions may ask of the same loop.
    ///   - closed: called for each connection, when it is closed.
    init(
        _ sessions: SessionDoor, _ encryption: LoopEncryption, closed: @escaping (ConnectionAddress) -> Void
    ) {
        loop = sessions.loop
        settings = sessions.settings
        orders = sessions.orders
        tokens = sessions.tokens
        memory = sessions.memory
        drain = sessions.drain
        self.sessions = sessions
        self.encryption = encryption
        self.closed = closed
    }

    /// An id for a request, which no other one has.
    func newRequestID() -> String {
        requestCount += 1
        return "\(requestPrefix)-\(String(requestCount, radix: 36))"
    }

    /// Where the log stands after the newest commit that has come; nil where no other node could lack it.
    var written: ResumePoint? {
        settings.isMember ? ResumePoint(epoch: settings.opened.epoch, seq: sessions.log.arriving) : nil
    }

    /// Whether a request waits until this node has what its client has written by another one.
    func waits(for request: HTTPCall, at address: ConnectionAddress) throws(Refusal) -> Bool {
        let point = try request.readAfter(settings.opened.epoch)
        // A server that is alone has all writes of its clients.
        return sessions.heads?.wait(address, for: point) ?? false
    }

    /// The field `Date` of an answer that is sent now, as its value and as the line of a head.
    var dateText: String { date.text(at: settings.clock.now()) }
    var dateLine: [UInt8] { date.line(at: settings.clock.now()) }

    /// A connection is closed, and has given everything back.
    func removed(_ address: ConnectionAddress) { closed(address) }
}

extension LoopDoor: RequestDoor {
    var tls: TLSContext? { encryption.context }
    var isDraining: Bool { drain.hasBegun }
    var keylessIssuers: [String] { tokens.keylessIssuers }
    var sessionRefusal: Refusal? { sessions.sessionRefusal }
    var online: OnlineUsers { sessions.presence.online }

    func verify(
        token: String, openTo errands: Set<NodeErrand>, from address: @autoclosure () -> String?
    ) throws(Refusal) -> Claims {
        try tokens.verify(token: token, openTo: errands, from: address())
    }
    func read(token: String) throws(Refusal) -> Claims { try tokens.read(token: token) }
    func isErased(_ user: UserID) -> Bool { tokens.isErased(user) }
}

@available(*, unavailable)
extension LoopDoor: Sendable {}
