import Authentication
import ClientProtocol
import Compression
import Configuration
package import EventLoop
import Fanout
package import Mail
import Model
import Peers
import Services
import Store
import Synchronization
import Crypto
import Telemetry
import Wire

/// One loop's whole graph: listeners, connections, the hub, and the doors to the writer and the readers.
///
/// Loops share nothing but mailboxes; a user's sessions may live on any of them.
///
/// - Confinement: loop
package final class LoopServer {
    let number: Int
    let loop: Loop
    let settings: LoopSettings
    let hub = Hub()
    let presence = Presence()
    let watchers = Watchers()
    /// Sessions with a watch that waits for the next commit.
    var heldWatches: [Slot] = []
    var watchReads = WatchReads()
    private(set) var recent: RecentCommits<KeptStep>
    /// The newest position that was delivered, also of the commit that is being delivered.
    var deliveredUpTo: Position
    /// Pages of the log that wait until this loop has delivered as much.
    var heldPages: [(address: ConnectionAddress, reading: SessionReading)] = []
    var latePages = LatePages<SessionReading>()
    private(set) var latePageTimer: LoopTimer?
    private var reliefTimer: LoopTimer?
    var recounts = Recounts()
    private(set) var isDraining = false
    /// Set when the server stops: by then what came before must be answered, nothing more begins.
    private(set) var drainDeadline: Int64?
    /// With the writer, while the server stops.
    private var patience: StopPatience?
    /// What one read has brought, empty between reads; the room is shared by all sessions.
    var incoming: [WebSocketEvent] = []
    var admission: StartAdmission<ConnectionAddress>
    /// The session that has claimed a device, by the hash of its ``DeviceKey``.
    private var devices: [Int: Slot] = [:]
    let streams = SharedStreams()
    var sharedFrames = SharedFrames()
    var countFrames = CountFrames()
    var silentPublications = SilentPublications()
    var revocations: Revocations
    /// Whether tokens were revoked since the sessions were last looked at.
    var mustLookAtTokens = false

    /// Whether this turn has something of the following; most have not, and pay for one look.
    var wasTurnHeavy = false
    /// Commits of this turn that take long to deliver.
    private var heavyDeliveries: [HeavyDelivery] = []
    /// Signals that crowds got in this turn.
    private var crowdSignals = 0

    /// What this loop holds for its peers.
    private(set) var held: HeldBytes
    private let refusedPeers = RefusedPeer.Count()
    private var connections: [ServerConnection?] = []
    /// Those of them that have begun: all that a delivery needs, by slot.
    private(set) var receivers: [SessionIdentity?] = []
    private var freeSlots: [Slot] = []
    private var openCount = 0
    private var generation: UInt32 = 0
    private var listeners: [TCPListener] = []
    private var secondTimer: LoopTimer?
    /// Sessions that are not read from for a moment.
    private(set) var resting: RestingSessions?
    private var lastSeen: [StreamID: Timestamp] = [:]
    private var nextReader = 0
    /// What new connections speak TLS with; nil when they speak without.
    private(set) var tls: TLSContext?
    private var ticketKeysTurnAt: Int64
    private(set) var tokens: TokenCheck
    /// Called once, when a drain has closed the last connection.
    private var drained: (() -> Void)?

    /// - Parameters:
    ///   - number: of this loop, from 0.
    package init(number: Int, loop: Loop, settings: LoopSettings) {
        self.number = number
        self.loop = loop
        self.settings = settings
        tls = settings.encryption?.context
        tokens = settings.tokens
        ticketKeysTurnAt = loop.now + Limits.ticketKeysMilliseconds
        admission = StartAdmission(bounds: settings.configuration.startBounds)
        revocations = settings.opened.revocations
        recent = RecentCommits(head: settings.opened.head)
        deliveredUpTo = settings.opened.head
        held = HeldBytes(settings.peers.memory)
        resting = RestingSessions(on: loop) { [unowned self] address in
            connection(at: address)?.withSession { $0.rested() }
        }
        let timer = LoopTimer(on: loop) { [unowned self] in eachSecond() }
        timer.start(afterMilliseconds: 1000, repeatingMilliseconds: 1000)
        secondTimer = timer
        latePageTimer = LoopTimer(on: loop) { [unowned self] in tellLatePages() }
        reliefTimer = LoopTimer(on: loop) { [unowned self] in relieve() }
        loop.onTurnFlushed = { [unowned self] in turnFlushed() }
        noteRevocations()
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
        let peers = settings.peers
        let peer = IPAddress(tcp.peerAddress)
        let isProxy = peers.trustedProxies.contains(peer)
        guard settings.metrics.connections.load(ordering: .relaxed) < peers.connectionsMax.load(ordering: .relaxed)
        else {
            refused(.descriptors, peer)
            return tcp.close()
        }
        let network = isProxy ? nil : peers.addresses.take(peer.network)
        guard isProxy || network != nil else {
            refused(.address, peer)
            return RefusedPeer.turnAway(tcp, refusedPeers, mayAnswer: tls == nil)
        }
        settings.metrics.connections.add(1, ordering: .relaxed)
        let slot: Slot
        if let free = freeSlots.popLast() {
            slot = free
        } else {
            slot = Slot(connections.count)
            connections.append(nil)
            receivers.append(nil)
        }
        generation &+= 1
        let address = ConnectionAddress(loop: number, slot: slot, generation: generation)
        let connection = ServerConnection(tcp, at: address, on: self, peer: peer, network: network)
        connections[Int(slot)] = connection
        openCount += 1
        tcp.delegate = connection
        connection.begin()
    }

    /// Puts TLS between a connection and what speaks on it, if this server speaks TLS.
    ///
    /// - Returns: false when that cannot be; the connection is closed.
    func encrypt(_ tcp: TCPConnection) -> Bool {
        guard let tls else { return true }
        do {
            let engine = try TLSEngine(tls)
            tcp.install(TLSLayer(engine, on: loop, settings))
            return true
        } catch {
            settings.log.error("no TLS for a connection", ["error": "\(error)"])
            tcp.close()
            return false
        }
    }

    /// A peer was turned away by a limit.
    func refused(_ reason: PeerRefusal, _ address: IPAddress) {
        settings.metrics.refused(reason)
        settings.log.debug("refused a peer", ["reason": reason.name, "address": "\(address)"])
    }

    /// The connection is closed and gone.
    func removed(_ connection: ServerConnection) {
        connections[Int(connection.address.slot)] = nil
        openCount -= 1
        freeSlots.append(connection.address.slot)
        settings.metrics.connections.subtract(1, ordering: .relaxed)
        finishDrainIfEmpty()
    }

    /// The connection at an address, if it is still that one.
    func connection(at address: ConnectionAddress) -> ServerConnection? {
        guard let connection = connections[Int(address.slot)], connection.address == address else { return nil }
        return connection
    }

    /// A session has begun: from here on it is delivered to.
    func attach(_ identity: SessionIdentity, of person: Person, to slot: Slot, streams: [StreamID]) {
        hub.attach(slot, inbox: person.id, streams: streams)
        receivers[Int(slot)] = identity
    }

    /// A session is over.
    func detach(_ slot: Slot) {
        hub.detach(slot)
        receivers[Int(slot)] = nil
    }

    /// The session in a slot.
    func session(in slot: Slot) -> Session? { connections[Int(slot)]?.session }

    /// Runs `body` on the session in a slot.
    func withSession(in slot: Slot, _ body: (Session) -> Void) {
        if let session = connections[Int(slot)]?.session { body(session) }
    }

    /// Runs `body` on every session of the loop.
    func forEachSession(_ body: (Session) -> Void) {
        for connection in connections {
            if let session = connection?.session { body(session) }
        }
    }

    private func eachSecond() {
        if isDraining { goOnDraining() }
        for connection in connections { connection?.eachSecond() }
        relieve()
        checkAdmission()
        if number == 0 {
            settings.peers.users.forgetIdle(at: loop.now)
            settings.peers.strangers.forgetIdle(at: loop.now)
        }
        readFailedCounts()
        if number == 0, let keys = settings.encryption?.ticketKeys, loop.now >= ticketKeysTurnAt { turn(keys) }
    }

    private func turn(_ keys: TLSTicketKeys) {
        ticketKeysTurnAt = loop.now + Limits.ticketKeysMilliseconds
        do {
            try keys.rotate()
        } catch {
            settings.log.error("the keys of TLS tickets could not be replaced", ["error": "\(error)"])
        }
    }
}

@available(*, unavailable)
extension LoopServer: Sendable {}

// MARK: - Memory held for peers

extension LoopServer {
    /// A connection of this loop holds so much more, or less.
    func hold(_ bytes: Int) { held.add(bytes) }

    /// Whether an answer may be written to a connection now; it then counts until the socket has taken it.
    func mayAnswer(_ bytes: Int) -> Bool {
        guard held.mayHold(bytes) else { return false }
        held.addAnswer(bytes)
        return true
    }

    private func turnFlushed() {
        if wasTurnHeavy { endHeavyTurn() }
        held.turnEnded(queuedBytes: loop.queuedBytes)
        loop.queueBytesMax = held.queueBytesMax
        // Until there is room again, what anybody else asks for is refused.
        if held.isFull, reliefTimer?.isActive == false {
            reliefTimer?.start(afterMilliseconds: Limits.reliefMilliseconds)
        }
    }

    /// What many heard in this turn is written to their sockets.
    private func endHeavyTurn() {
        wasTurnHeavy = false
        for delivery in heavyDeliveries { delivery.deliveredByOne() }
        heavyDeliveries.removeAll(keepingCapacity: true)
        crowdSignals = 0
        latePages.beginTurn()
    }

    /// Ends those who hold most, as long as too much is held.
    private func relieve() {
        var excess = held.excess
        guard excess > 0 else { return }
        let greedy = connections.compactMap { $0 }.filter { $0.holdingBytes > Limits.smallHoldingBytes }
            .sorted { $0.holdingBytes > $1.holdingBytes }
        for connection in greedy where excess > 0 {
            excess -= connection.holdingBytes
            connection.overloaded()
        }
    }
}

// MARK: - The doors to the other threads

extension LoopServer {
    /// Hands a write to the writer; its outcome comes back with the ticket.
    ///
    /// - Parameters:
    ///   - bytes: that it takes in memory until it is answered.
    ///   - account: of the user whose write it is; nil for an administrator's.
    /// - Throws: `Refusal`: `unavailable` when too much waits already, `rate-limited` when the user has written too much;
    ///   nothing was handed over.
    func submit(
        _ useCase: any WriteUseCase, by actor: Actor, for address: ConnectionAddress?, _ ticket: Ticket,
        bytes: Int = Limits.orderBytes, _ account: UserAccount? = nil
    ) throws(Refusal) {
        let metrics = settings.metrics
        try admit(bytes, for: account)
        try admitWriting(of: actor, account)
        try admitWork(for: account)
        let work = account?.write.mean ?? 0
        metrics.writesPending.add(1, ordering: .relaxed)
        settings.peers.memory.wait(bytes, for: account)
        if let account { settings.peers.memory.wait(microseconds: work, for: account) }
        let request = WriteRequest(actor: actor, at: settings.clock.now(), useCase: useCase)
        let order = WriteOrder(
            address: address, ticket: ticket, request: request, bytes: bytes, work: work, account: account,
            tick: loop.now)
        settings.mail.writer.post(.write(order))
    }

    /// Whether the user may write, or has written too much in the hour.
    ///
    /// - Throws: `Refusal` (`rate-limited`) when that is so.
    private func admitWriting(of actor: Actor, _ account: UserAccount?) throws(Refusal) {
        guard let account, case .user = actor,
            let wait = account.writeWait(anHour: settings.peers.writeBytesAnHour, at: loop.now)
        else { return }
        settings.metrics.refused(.written)
        throw Refusal.writtenTooMuch(wait)
    }

    /// Whether the writer has time for one more write of the user.
    ///
    /// - Throws: `Refusal` (`unavailable`) when the writes that wait take too long already.
    private func admitWork(for account: UserAccount?) throws(Refusal) {
        guard let account, !settings.peers.memory.mayWork(for: account) else { return }
        settings.metrics.refused(.waitingWork)
        throw Refusal.tooMuchWaits
    }

    /// Whether so much may wait for the writer or a reader.
    ///
    /// - Throws: `Refusal` (`unavailable`) when too much waits already.
    func admit(_ bytes: Int, for account: UserAccount?) throws(Refusal) {
        guard !settings.peers.memory.mayWait(bytes, for: account) else { return }
        settings.metrics.refused(.memory)
        throw Refusal.tooMuchWaits
    }

    /// Hands a read to one of the readers, in turn.
    ///
    /// - Parameters:
    ///   - bytes: that it takes in memory until it is answered.
    ///   - account: of the user whose turn it takes; nil for an administrator's.
    func read(
        _ work: ReadOrder.Work, for address: ConnectionAddress, bytes: Int = Limits.orderBytes,
        _ account: UserAccount? = nil
    ) {
        nextReader = (nextReader + 1) % settings.mail.readers.count
        settings.peers.memory.wait(bytes, for: account)
        settings.mail.readers[nextReader].post(
            .read(ReadOrder(address: address, work: work, bytes: bytes, account: account, tick: loop.now)))
    }

    /// What was asked of the writer, a reader or the feeds is answered.
    func answered(_ address: ConnectionAddress, _ ticket: Ticket, _ outcome: Outcome) {
        settings.peers.memory.arrived(outcome.bodyBytes)
        connection(at: address)?.answered(ticket, outcome)
    }

    /// Tells sessions what is not in the log. Of a crowd those are left out that have not taken what came before; and all
    /// of it is, when crowds have had much in this turn: what one user does to another's many sessions must not hold up
    /// everybody's.
    private func send(_ signal: FramedSignal, to slots: Subscribers) {
        guard slots.count >= Limits.crowdSessionsMin else {
            return slots.forEach { slot in withSession(in: slot) { $0.sendEphemeral(signal) } }
        }
        guard crowdSignals < Limits.crowdSignalsPerTurnMax else {
            settings.metrics.signalsDropped.add(slots.count, ordering: .relaxed)
            return
        }
        crowdSignals += slots.count
        wasTurnHeavy = true
        slots.forEach { slot in
            withSession(in: slot) { session in
                if session.tcp.queuedBytes < Limits.crowdQueueBytesMax { session.sendEphemeral(signal) }
            }
        }
    }

    /// Tells every loop, this one included.
    func tellAll(_ message: LoopMessage) {
        for loop in settings.mail.loops { loop.post(message) }
    }

    /// Takes what other threads say.
    package func receive(_ messages: [LoopMessage]) {
        for (index, message) in messages.enumerated() { receive(message, isLast: index == messages.count - 1) }
    }

    private func receive(_ message: LoopMessage, isLast: Bool) {
        switch message {
        case .committed(let steps, let kept, let cost, let head, let heavy):
            deliver(steps, isLast: isLast)
            if let heavy {
                heavyDeliveries.append(heavy)
                wasTurnHeavy = true
            }
            recent.append(kept, head: head, stepsCost: cost)
            deliveredUpTo = max(deliveredUpTo, head)
            endRevokedSessions()
            tellHeldPages()
            answerHeldWatches()
        case .outcome(let address, let ticket, let outcome):
            answered(address, ticket, outcome)
        case .started(let address, let reading):
            connection(at: address)?.started(reading)
        case .page(let address, let reading):
            arrived(reading, for: address)
        case .readingFailed(let address):
            connection(at: address)?.readingFailed()
        case .counts(let user, let counts, let position):
            counted(user, counts, asOf: position)
        case .countingFailed(let user):
            recounts.failed(user)
        case .watched(let address, let reading): watched(reading, for: address)
        case .watch(let address, let ticket, let people):
            connection(at: address)?.withSession { $0.watch(people, ticket) }
        case .signal(let inboxes, let signal):
            for inbox in inboxes { send(signal, to: hub.subscribers(of: inbox)) }
        case .presence(let person, let isOnline, let loop, let at):
            applyPresence(person, isOnline: isOnline, onLoop: loop, at: at)
        case .claimed(let claim):
            applyClaim(claim)
        case .certificate(let context):
            tls = context
        case .issuer(let issuer):
            tokens.learn(issuer, at: loop.now)
        case .backup(let address, let news):
            connection(at: address)?.received(news)
        case .listen(let addresses, let answer):
            answer.fill(
                Result { () throws(UVError) in try addresses.map { address throws(UVError) in try listen(on: address) }
                })
        case .drain:
            drain()
        }
    }
}

// MARK: - Presence and devices

extension LoopServer {
    /// A session of this loop has its user now.
    func arrived(_ person: Person) {
        settings.metrics.sessions.add(1, ordering: .relaxed)
        // The first one of its user on this loop?
        guard hub.subscribers(of: person.id).count == 1 else { return }
        tellAll(.presence(person, isOnline: true, loop: number, at: settings.clock.now()))
    }

    /// A session of this loop is gone.
    func left(_ person: Person, slot: Slot) {
        settings.metrics.sessions.subtract(1, ordering: .relaxed)
        presence.unwatch(slot)
        guard hub.subscribers(of: person.id).isEmpty else { return }
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
        if let held = heldClaim(of: claim.device), held.supersedes(claim) {
            connection(at: claim.address)?.session?.close(.replaced)
            return
        }
        applyClaim(claim)
        devices[claim.device.hashValue] = claim.address.slot
        tellAll(.claimed(claim))
    }

    /// The claim that stands of a device. Only who made it holds what it says: two devices of one hash, which a server
    /// does not live to see, would be taken apart by their names.
    private func heldClaim(of device: DeviceKey) -> DeviceClaim? {
        guard let slot = devices[device.hashValue], let claim = connections[Int(slot)]?.session?.claim,
            claim.device == device
        else { return nil }
        return claim
    }

    /// A session that may have claimed its device ends.
    func unclaim(_ device: DeviceKey, by slot: Slot) {
        if devices[device.hashValue] == slot { devices[device.hashValue] = nil }
    }

    /// A connection of this loop or another has said which device it is: the earlier one of the same device ends.
    private func applyClaim(_ claim: DeviceClaim) {
        guard let held = heldClaim(of: claim.device) else { return }
        if claim.supersedes(held) {
            unclaim(claim.device, by: held.address.slot)
            connection(at: held.address)?.session?.close(.replaced)
        } else if held.supersedes(claim) {
            // The other loop did not have that session yet when it was told of this one.
            settings.mail.loops[claim.address.loop].post(.claimed(held))
        }
    }
}

// MARK: - Stopping

extension LoopServer {
    /// Stops accepting, says goodbye to every client, and calls `done` when the last connection is closed.
    package func setDrained(_ done: @escaping () -> Void) { drained = done }

    private func drain() {
        guard !isDraining else { return }
        isDraining = true
        drainDeadline = loop.now + Limits.drainMilliseconds / 2
        patience = StopPatience(
            at: loop.now, milliseconds: settings.configuration.stopMilliseconds, commits: settings.metrics.commitsEnded)
        for listener in listeners { listener.close() }
        listeners = []
        for connection in connections { connection?.drain() }
        finishDrainIfEmpty()
    }

    /// Once a second while it stops: writes that were begun are waited for as long as the writer makes progress.
    private func goOnDraining() {
        let metrics = settings.metrics
        let pending = metrics.writesPending.load(ordering: .relaxed)
        if let deadline = patience?.deadline(at: loop.now, pending: pending, commits: metrics.commitsEnded) {
            drainDeadline = deadline
        } else if let drainDeadline, loop.now >= drainDeadline {
            if patience != nil, pending > 0 { metrics.writesUnanswered.store(pending, ordering: .relaxed) }
            patience = nil
            for connection in connections { connection?.endDraining() }
        }
    }

    private func finishDrainIfEmpty() {
        guard isDraining, openCount == 0, let drained else { return }
        self.drained = nil
        secondTimer?.close()
        secondTimer = nil
        latePageTimer?.close()
        latePageTimer = nil
        reliefTimer?.close()
        reliefTimer = nil
        resting?.close()
        resting = nil
        drained()
    }
}
