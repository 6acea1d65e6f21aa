import Authentication
import ClientProtocol
import Compression
import EventLoop
import Fanout
import Model
import Services
import Store
import Synchronization
import TLS

/// One loop's whole graph: listeners, connections, the hub, and the doors to the writer and the readers.
///
/// Loops share nothing but mailboxes; a user's sessions may live on any of them.
///
/// - Confinement: loop
final class LoopServer {
    let number: Int
    let loop: Loop
    let settings: LoopSettings
    let hub = Hub()
    let presence: Presence
    let watchers = Watchers()
    /// Sessions with a watch that waits for the next commit.
    var heldWatches: [Slot] = []
    private(set) var recent: RecentCommits<LoopStep>
    private(set) var isDraining = false
    var devices: [DeviceKey: DeviceClaim] = [:]
    let streams = SharedStreams()
    var compressedFrames = CompressedFrames()

    private var connections: [ServerConnection?] = []
    private var freeSlots: [Slot] = []
    private var generation: UInt32 = 0
    private var listeners: [TCPListener] = []
    private var peers: [Mailbox<LoopMessage>] = []
    private var secondTimer: LoopTimer?
    private var lastSeen: [StreamID: Timestamp] = [:]
    private var nextReader = 0
    /// What new connections speak TLS with; nil when they speak without.
    private var tls: TLSContext?
    private var ticketKeysTurnAt: Int64
    /// Called once, when a drain has closed the last connection.
    private var drained: (() -> Void)?

    /// - Parameters:
    ///   - number: of this loop, from 0.
    ///   - head: of the log when the server starts.
    init(number: Int, loop: Loop, settings: LoopSettings, head: Position) {
        self.number = number
        self.loop = loop
        self.settings = settings
        tls = settings.encryption?.context
        ticketKeysTurnAt = loop.now + Limits.ticketKeysMilliseconds
        presence = Presence(loop: number)
        recent = RecentCommits(head: head) { $0.cost }
        let timer = LoopTimer(on: loop) { [unowned self] in eachSecond() }
        timer.start(afterMilliseconds: 1000, repeatingMilliseconds: 1000)
        secondTimer = timer
    }

    /// Begins to accept on an address, sharing its port with the other loops.
    ///
    /// - Returns: the address with the port that the kernel chose.
    private func listen(on address: SocketAddress) throws(UVError) -> SocketAddress {
        // The loops share the port; another server must not.
        if number == 0 { try TCPListener.checkFree(address) }
        let listener = try TCPListener(on: loop, address: address, reusePort: true) { [unowned self] connection in
            accept(connection)
        }
        listeners.append(listener)
        return listener.address
    }

    private func accept(_ tcp: TCPConnection) {
        if let tls {
            do {
                tcp.install(TLSLayer(try TLSEngine(tls), log: settings.log, metrics: settings.metrics))
            } catch {
                settings.log.error("no TLS for a connection", ["error": "\(error)"])
                return tcp.close()
            }
        }
        let slot: Slot
        if let free = freeSlots.popLast() {
            slot = free
        } else {
            slot = Slot(connections.count)
            connections.append(nil)
        }
        generation &+= 1
        let address = ConnectionAddress(loop: number, slot: slot, generation: generation)
        let connection = ServerConnection(tcp, at: address, on: self)
        connections[Int(slot)] = connection
        tcp.delegate = connection
        settings.metrics.connections.add(1, ordering: .relaxed)
    }

    /// The connection is closed and gone.
    func removed(_ connection: ServerConnection) {
        connections[Int(connection.address.slot)] = nil
        freeSlots.append(connection.address.slot)
        settings.metrics.connections.subtract(1, ordering: .relaxed)
        finishDrainIfEmpty()
    }

    /// The connection at an address, if it is still that one.
    private func connection(at address: ConnectionAddress) -> ServerConnection? {
        guard let connection = connections[Int(address.slot)], connection.address == address else { return nil }
        return connection
    }

    /// Runs `body` on the session in a slot.
    func withSession(in slot: Slot, _ body: (Session) -> Void) {
        if let session = connections[Int(slot)]?.session { body(session) }
    }

    private func eachSecond() {
        for connection in connections { connection?.eachSecond() }
        if number == 0, let keys = settings.encryption?.ticketKeys, loop.now >= ticketKeysTurnAt { turn(keys) }
    }

    private func turn(_ keys: TLSTicketKeys) {
        ticketKeysTurnAt = loop.now + Limits.ticketKeysMilliseconds
        do {
            try keys.rotate()
        } catch {
            settings.log.error("the keys of TLS tickets could not be turned", ["error": "\(error)"])
        }
    }
}

@available(*, unavailable)
extension LoopServer: Sendable {}

// MARK: - The doors to the other threads

extension LoopServer {
    /// Hands a write to the writer; its outcome comes back with the ticket.
    ///
    /// - Throws: `Refusal` (`unavailable`) when too many writes wait already; nothing was handed over.
    func submit(
        _ useCase: any WriteUseCase, by actor: Actor, for address: ConnectionAddress?, _ ticket: Ticket
    ) throws(Refusal) {
        let metrics = settings.metrics
        guard metrics.writesPending.load(ordering: .relaxed) < Limits.writerQueueMax else {
            throw Refusal(
                .unavailable, "too many writes are waiting; repeat this one with the same key",
                retryAfterMilliseconds: 500)
        }
        metrics.writesPending.add(1, ordering: .relaxed)
        let request = WriteRequest(actor: actor, at: settings.clock.now(), useCase: useCase)
        settings.writer.post(.write(WriteOrder(address: address, ticket: ticket, request: request)))
    }

    /// Hands a read to one of the readers, in turn.
    func read(_ work: ReadOrder.Work, for address: ConnectionAddress) {
        nextReader = (nextReader + 1) % settings.readers.count
        settings.readers[nextReader].post(.read(ReadOrder(address: address, work: work)))
    }

    /// Tells every loop, this one included.
    func tellAll(_ message: LoopMessage) {
        for peer in peers { peer.post(message) }
    }

    /// Takes what other threads say.
    func receive(_ messages: [LoopMessage]) {
        for message in messages { receive(message) }
    }

    private func receive(_ message: LoopMessage) {
        switch message {
        case .committed(let steps, let head):
            deliver(steps)
            recent.append(steps, head: head)
            answerHeldWatches()
        case .outcome(let address, let ticket, let outcome):
            connection(at: address)?.answered(ticket, outcome)
        case .started(let address, let reading):
            connection(at: address)?.started(reading)
        case .page(let address, let reading):
            connection(at: address)?.session?.readOn(reading)
        case .readingFailed(let address):
            connection(at: address)?.readingFailed()
        case .counts(let address, let counts, let position):
            connection(at: address)?.session?.setCounts(counts, asOf: position)
        case .watched(let address, let snapshot):
            connection(at: address)?.session?.watched(snapshot)
        case .watch(let address, let ticket, let people):
            connection(at: address)?.session?.watch(people, ticket)
        case .signal(let inboxes, let signal):
            for inbox in inboxes {
                for slot in hub.subscribers(of: inbox) { withSession(in: slot) { $0.sendEphemeral(signal) } }
            }
        case .presence(let person, let isOnline, let loop, let at):
            applyPresence(person, isOnline: isOnline, onLoop: loop, at: at)
        case .claimed(let claim):
            applyClaim(claim)
        case .peers(let mailboxes):
            peers = mailboxes
        case .certificate(let context):
            tls = context
        case .listen(let addresses, let answer):
            answer.fill(
                Result { () throws(UVError) in try addresses.map { address throws(UVError) in try listen(on: address) }
                })
        case .drain:
            drain()
        }
    }
}

// MARK: - Delivery

extension LoopServer {
    private func deliver(_ steps: [LoopStep]) {
        for step in steps {
            switch step {
            case .publication(let framed): deliver(framed)
            case .change(let change): apply(change)
            case .outcome(let address, let ticket, let outcome):
                if address.loop == number { connection(at: address)?.answered(ticket, outcome) }
            }
        }
    }

    private func deliver(_ framed: FramedPublication) {
        let publication = framed.publication
        var delivered = deliver(framed, to: subscribers(of: publication.stream, publication))
        if let second = publication.secondStream {
            delivered += deliver(framed, to: subscribers(of: second, publication))
        }
        if delivered > 0 { settings.metrics.deliveries.add(delivered, ordering: .relaxed) }
        if let broadcast = publication.broadcast, delivered > 0 {
            settings.metrics.delivered(delivered, ofBroadcast: broadcast)
        }
    }

    private func subscribers(of stream: StreamID, _ publication: Publication) -> [Slot] {
        publication.document == nil ? hub.subscribers(of: stream) : watchers.subscribers(of: stream)
    }

    private func deliver(_ framed: FramedPublication, to slots: [Slot]) -> Int {
        var delivered = 0
        for slot in slots {
            guard let session = connections[Int(slot)]?.session else { continue }
            if session.deliver(framed) { delivered += 1 }
        }
        return delivered
    }

    private func apply(_ change: SessionChange) {
        switch change {
        case .subscription(let user, let stream, let isOn):
            hub.setSubscription(of: user, to: stream, isOn: isOn)
            guard !isOn else { return }
            for slot in hub.subscribers(of: user) { withSession(in: slot) { $0.endWatches(following: stream) } }
        case .accessRules(let text): applyRules(text)
        case .unread(let user, let counts, let position):
            for slot in hub.subscribers(of: user) { withSession(in: slot) { $0.setCounts(counts, asOf: position) } }
        case .language(let user, let language):
            for slot in hub.subscribers(of: user) { withSession(in: slot) { $0.setChosenLanguage(language) } }
        }
    }
}

// MARK: - Presence and devices

extension LoopServer {
    /// A session of this loop has its user now.
    func arrived(_ person: Person) {
        settings.metrics.sessions.add(1, ordering: .relaxed)
        guard presence.arrived(person.id) else { return }
        tellAll(.presence(person, isOnline: true, loop: number, at: settings.clock.now()))
    }

    /// A session of this loop is gone.
    func left(_ person: Person, slot: Slot) {
        settings.metrics.sessions.subtract(1, ordering: .relaxed)
        presence.unwatch(slot)
        guard presence.left(person.id) else { return }
        tellAll(.presence(person, isOnline: false, loop: number, at: settings.clock.now()))
    }

    /// When a user was last online, as far as this server remembers.
    func lastSeen(_ user: StreamID) -> Timestamp? { lastSeen[user] }

    private func applyPresence(_ person: Person, isOnline: Bool, onLoop other: Int, at: Timestamp) {
        let watchers = presence.apply(person.id, isOnline: isOnline, onLoop: other)
        let isStillOnline = presence.isOnline(person.id)
        lastSeen[person.id] = isStillOnline ? nil : at
        guard !watchers.isEmpty else { return }
        let event = Event.presence(user: person.name, online: isStillOnline, lastSeen: isStillOnline ? nil : at)
        let signal = FramedSignal(event)
        for slot in watchers { withSession(in: slot) { $0.sendEphemeral(signal) } }
    }

    /// A connection of this loop says which device it is.
    func claim(_ claim: DeviceClaim) {
        applyClaim(claim)
        devices[claim.device] = claim
        tellAll(.claimed(claim))
    }

    /// A connection of this loop or another has said which device it is: an earlier one of the same device ends.
    private func applyClaim(_ claim: DeviceClaim) {
        guard let held = devices[claim.device], claim.supersedes(held) else { return }
        devices[claim.device] = nil
        connection(at: held.address)?.session?.close(.replaced)
    }
}

// MARK: - Tokens

extension LoopServer {
    /// The claims of a token.
    ///
    /// - Throws: `Refusal` of the class `auth`.
    func verify(token: String) throws(Refusal) -> Claims {
        do {
            return try JSONWebToken.verify(token, with: settings.secret, at: settings.clock.now())
        } catch {
            throw Refusal(error.isExpired ? .tokenExpired : .unauthenticated, "\(error)", field: "token")
        }
    }
}

// MARK: - Stopping

extension LoopServer {
    /// Stops accepting, says goodbye to every client, and calls `done` when the last connection is closed.
    func setDrained(_ done: @escaping () -> Void) { drained = done }

    private func drain() {
        guard !isDraining else { return }
        isDraining = true
        for listener in listeners { listener.close() }
        listeners = []
        for connection in connections { connection?.drain() }
        finishDrainIfEmpty()
    }

    private func finishDrainIfEmpty() {
        guard isDraining, connections.allSatisfy({ $0 == nil }), let drained else { return }
        self.drained = nil
        secondTimer?.close()
        secondTimer = nil
        drained()
    }
}
