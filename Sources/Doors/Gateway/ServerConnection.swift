import Authentication
import ClientProtocol
import Configuration
import EventLoop
import Fanout
import Model
import Quotas
import Telemetry
import ThreadMessages
import Wire

/// One TCP peer: an HTTP client at first, a WebSocket session or an echo when it has upgraded.
///
/// - Confinement: loop
final class ServerConnection: TCPConnectionDelegate {
    let address: ConnectionAddress
    let tcp: TCPConnection
    let door: LoopDoor
    private var role: Role
    /// Where the connection, or the request under way, comes from: the peer, or the client that a trusted proxy names.
    private(set) var client: IPAddress
    /// The account of the user that this connection is counted for.
    private(set) var account: UserAccount?
    /// Whether its token is a user's, whose work is bounded, rather than an administrator's.
    private var isPaced = true
    private let isProxy: Bool
    /// Whether it came by a door for the figures alone.
    let isAtFigures: Bool
    /// The account of the network of ``client``, for which this connection is counted; nil when it is not.
    private var network: AddressAccount?
    /// Bytes that this connection holds, as the loop last counted them, without those that wait for its socket.
    private var heldBytes = 0
    /// The share to which they count: the user's, or the network's as long as the user is not known.
    private var share: PeerShare?

    private enum Role {
        /// A proxy has to name its client first, before the loop's clock shows this.
        indirect case preface(ProxyHeaderReader, deadline: Int64)
        case http(HTTPConversation)
        case session(ServerSession)
        case echo(Echo)
        case closed
    }

    /// - Parameters:
    ///   - peer: the other end of the socket.
    ///   - network: the account of its network, for which it is counted; nil for a trusted proxy.
    init(
        _ tcp: TCPConnection, at address: ConnectionAddress, _ door: LoopDoor, peer: IPAddress,
        network: AddressAccount?, isAtFigures: Bool = false
    ) {
        self.isAtFigures = isAtFigures
        self.tcp = tcp
        self.address = address
        self.door = door
        isProxy = network == nil
        client = peer
        self.network = network
        share = network?.share
        role = .closed
        tcp.turnCost = .light
    }

    /// The other end of the socket.
    private var peer: IPAddress { IPAddress(tcp.peerAddress) }

    /// The connection stands: what speaks first on it is next.
    func begin() {
        if isProxy, door.settings.peers.hasProxyProtocol {
            let deadline = door.loop.now + door.settings.configuration.requestMilliseconds
            role = .preface(ProxyHeaderReader(), deadline: deadline)
        } else if door.encryption.encrypt(tcp) {
            role = .http(HTTPConversation(self, from: peer))
        }
    }

    /// The session, once the client has upgraded.
    var session: ServerSession? {
        if case .session(let session) = role { session } else { nil }
    }

    func received(_ bytes: RawSpan, on connection: TCPConnection) {
        switch role {
        case .preface(let reader, let deadline): return receive(bytes, reader, deadline)
        case .http(let conversation): conversation.receive(bytes)
        case .session(let session): session.receive(bytes)
        case .echo(let echo): return echo.receive(bytes)
        case .closed: return
        }
        settleWithinBounds()
    }

    func receivedPart(on connection: TCPConnection) {
        settle()
        guard heldBytes > 0 else { return }
        let held = door.memory.held
        let mayKeep = account == nil ? held.mayKeepUnfinished(holdingBytes, of: share) : mayHold(holdingBytes)
        if !mayKeep { overloaded() }
    }

    func drained(on connection: TCPConnection) {
        switch role {
        case .session(let session): session.drained()
        case .http(let conversation): conversation.drained()
        case .echo: tcp.resumeReading()
        case .closed, .preface: break
        }
        settle()
    }

    func turnCame(on connection: TCPConnection) {
        switch role {
        case .http(let conversation): conversation.goOn()
        case .session(let session): session.goOn()
        case .preface, .echo, .closed: break
        }
        settle()
    }

    func closed(on connection: TCPConnection, error: UVError?) {
        switch role {
        case .session(let session): session.leave()
        case .http(let conversation): conversation.dropCopy()
        case .preface, .echo, .closed: break
        }
        role = .closed
        settle()
        uncount()
        uncountUser()
        door.removed(address)
    }

    /// The answer of the writer or a reader has come.
    func answered(_ ticket: Ticket, _ outcome: Outcome) {
        switch role {
        case .http(let conversation): conversation.answered(ticket, outcome)
        case .session(let session): session.answered(ticket, outcome)
        case .echo, .closed, .preface: break
        }
        settle()
    }

    /// The user of a session that begins, or of a command, was read; nil when they are not known yet.
    func started(_ reading: SessionReading?) {
        switch role {
        case .http(let conversation): conversation.started(reading)
        case .session(let session):
            SessionOpening(session).started(reading)
            // A compressed message costs as much as it inflates to, whatever its size.
            if session.identity != nil, session.compression == nil { tcp.turnCost = .ordinary }
        case .echo, .closed, .preface: break
        }
        settleWithinBounds()
    }

    /// Runs `body` on the session, and counts what the connection holds afterwards.
    func withSession(_ body: (ServerSession) -> Void) {
        if let session { body(session) }
        settle()
    }

    /// The position is here for which the session or the request has waited, or it did not come in time.
    func headCame(inTime: Bool) {
        switch role {
        case .http(let conversation): conversation.headCame(inTime: inTime)
        case .session(let session): SessionOpening(session).headCame(inTime: inTime)
        case .echo, .closed, .preface: break
        }
        settle()
    }

    /// A copy of the database goes on.
    func received(_ news: BackupNews) {
        if case .http(let conversation) = role { conversation.received(news) }
        settle()
    }

    /// A read failed that a session, or a command, needs.
    func readingFailed() {
        switch role {
        case .http(let conversation):
            conversation.answered(
                .request, .failure(Refusal(.internal, "the server failed on this; repeat it with the same key")))
        case .session(let session): session.close(.serverError)
        case .echo, .closed, .preface: break
        }
    }

    func eachSecond() {
        if door.loop.now >= tcp.layerDeadline { return stalledInRecord() }
        switch role {
        case .http(let conversation): conversation.eachSecond()
        case .session(let session): session.eachSecond()
        case .preface(_, let deadline): if door.loop.now >= deadline { tcp.close() }
        case .echo, .closed: break
        }
        settle()
    }

    /// A handshake, or a record, was not whole in time.
    private func stalledInRecord() {
        if let session { session.close(.stalled) } else { tcp.close() }
        settle()
    }

    /// The server stops.
    func drain() {
        switch role {
        case .http(let conversation): conversation.drain()
        case .session(let session): session.closeIfDrained()
        case .echo: tcp.closeAfterFlush(timeoutMilliseconds: Limits.drainMilliseconds)
        case .preface: tcp.close()
        case .closed: break
        }
    }

    /// The server has waited long enough for the answers of this connection.
    func endDraining() {
        if case .http = role { tcp.closeAfterFlush(timeoutMilliseconds: 1000) }
    }

    /// From here on the connection speaks the contract; `rest` came after the request's head.
    func becomeSession(_ session: ServerSession, rest: [UInt8]) {
        role = .session(session)
        tcp.readBytesMax = Int32(Limits.sessionReadBytes)
        if session.compression != nil { tcp.beginReadingSlowly() }
        rest.withRawSpan { session.receive($0) }
    }

    /// From here on the connection sends back what it gets.
    func becomeEcho(_ echo: Echo, rest: [UInt8]) {
        role = .echo(echo)
        tcp.turnCost = .ordinary
        rest.withRawSpan { echo.receive($0) }
    }
}

// MARK: - Where it comes from

extension ServerConnection {
    private func receive(_ bytes: RawSpan, _ reader: ProxyHeaderReader, _ deadline: Int64) {
        var reader = reader
        var offset = 0
        do {
            guard let header = try reader.next(bytes, at: &offset) else {
                role = .preface(reader, deadline: deadline)
                return
            }
            if case .client(let address) = header { come(from: address) }
        } catch {
            door.settings.refused(.proxyHeader, peer)
            return tcp.close()
        }
        let isAdmitted = door.settings.peers.trustedProxies.contains(client) || count()
        guard isAdmitted, door.encryption.encrypt(tcp) else { return tcp.close() }
        role = .http(HTTPConversation(self, from: client))
        tcp.receive(bytes.extracting(droppingFirst: offset))
    }

    /// A request came by way of proxies, or may have: it counts for the client that they name, and for the last of them
    /// when they name none.
    ///
    /// - Parameter base: the address that the connection comes from.
    /// - Throws: `Refusal` (`too-many`) when that address has too many connections.
    func identify(_ head: HTTPRequestHead, from base: IPAddress) throws(Refusal) {
        let trusted = door.settings.peers.trustedProxies
        guard trusted.contains(base) else { return }
        come(from: ForwardedFor.client(of: base, head.headers, trusted: trusted))
        if trusted.contains(client) {
            guard !door.settings.peers.isOfThisMachine(head) else { return }
            warnOfUnnamedClient()
        }
        guard count() else { throw Refusal.tooManyFromAddress }
    }

    /// Whether a request comes from a program of this machine, and by no proxy as far as it tells.
    func isOfThisMachine(_ head: HTTPRequestHead) -> Bool {
        AddressRanges.loopback.contains(peer) && AddressRanges.loopback.contains(client)
            && PeerPolicy.namesThisMachine(head)
    }

    private func warnOfUnnamedClient() {
        guard door.settings.peers.isFirstUnnamed() else { return }
        door.settings.log.warning(
            "a trusted proxy does not name its clients, so they all count as one address; let it append each client to "
                + "X-Forwarded-For",
            ["proxy": "\(client)"])
    }

    /// A proxy's request is answered: the next one may be another client's.
    func forget(_ base: IPAddress) {
        if door.settings.peers.trustedProxies.contains(base) { uncount() }
    }

    /// The connection, or the request, comes from this address; it is counted for none but this one from here on.
    private func come(from address: IPAddress) {
        if address.network != client.network { uncount() }
        client = address
    }

    /// Counts this connection for its client's network.
    ///
    /// - Returns: false when that has too many.
    private func count() -> Bool {
        guard network == nil else { return true }
        network = door.settings.peers.addresses.take(client.network)
        if network == nil { door.settings.refused(.address, client) }
        moveShare()
        return network != nil
    }

    private func uncount() {
        if network != nil { door.settings.peers.addresses.give(client.network) }
        network = nil
        moveShare()
    }

    /// Counts this connection for a user, or for the strangers of its network.
    ///
    /// - Parameter claims: of the token; nil where none is shown.
    /// - Throws: `Refusal` (`too-many`) when there are too many sessions of them.
    func count(_ claims: Claims?) throws(Refusal) {
        uncountUser()
        let peers = door.settings.peers
        account =
            claims.map { peers.users.takeSession($0.subject, besides: peers.sessions(elsewhereOf: $0.subject)) }
            ?? peers.strangers.takeSession(client.network)
        isPaced = claims?.isAdmin != true
        guard account != nil else {
            door.settings.refused(claims == nil ? .address : .user, client)
            guard claims != nil else { throw Refusal.tooManyFromAddress }
            let max = peers.users.sessionsMax
            throw Refusal(.tooMany, "at most \(max) sessions of one user", retryAfterMilliseconds: 5000)
        }
        moveShare()
        guard let wait = pacedAccount?.take(Limits.startWeight, at: door.loop.now) else { return }
        uncountUser()
        door.settings.refused(.pace, client)
        throw Refusal.tooMuchWork(wait)
    }

    /// The session is over, or did not begin.
    func uncountUser() {
        if let account { door.settings.peers.users.giveSession(account) }
        account = nil
        moveShare()
    }

    /// The bytes that the connection holds count to another share from here on.
    private func moveShare() {
        let next = account?.share ?? network?.share
        guard next !== share else { return }
        share?.add(-heldBytes)
        next?.add(heldBytes)
        share = next
    }

    /// The account that pays for the work of commands; nil for an administrator's.
    var pacedAccount: UserAccount? { isPaced ? account : nil }
}

// MARK: - What it holds

extension ServerConnection {
    /// Bytes held for this peer, with those that wait for its socket; the echo, a tool of developers, is not counted.
    var holdingBytes: Int {
        if case .echo = role { 0 } else { heldBytes + tcp.queuedBytes }
    }

    /// Counts what this connection holds now.
    func settle() {
        let now =
            switch role {
            case .http(let conversation): conversation.heldBytes + tcp.layerHeldBytes
            case .session(let session): session.heldBytes + tcp.layerHeldBytes
            case .preface, .echo, .closed: 0
            }
        guard now != heldBytes else { return }
        door.memory.add(now - heldBytes)
        share?.add(now - heldBytes)
        heldBytes = now
    }

    /// The same, where the connection may hold more than before: ends it when that is too much.
    private func settleWithinBounds() {
        settle()
        if heldBytes > 0, !mayHold(holdingBytes) { overloaded() }
    }

    /// Whether the connection may hold so much.
    func mayHold(_ bytes: Int) -> Bool { door.memory.held.mayHold(bytes, of: share) }

    /// Too much is held, and this connection holds too large a part of it.
    func overloaded() {
        door.settings.refused(.memory, client)
        let isStuck = tcp.queuedBytes > Limits.smallHoldingBytes
        switch role {
        // Of a request that has not begun nothing is answered: what the layer keeps of it goes at once.
        case .http(let conversation) where conversation.heldBytes == 0 && tcp.layerHeldBytes > 0: tcp.close()
        case .http(let conversation): conversation.overloaded()
        case .session(let session): session.close(.overloaded)
        case .preface, .echo, .closed: break
        }
        // Its goodbye waits after bytes that it does not take.
        if isStuck { tcp.close() }
        settle()
    }
}

@available(*, unavailable)
extension ServerConnection: Sendable {}
