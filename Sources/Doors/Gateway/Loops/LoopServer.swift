package import EventLoop
import Fanout
import Model
import Quotas
import Synchronization
import Telemetry
package import ThreadMessages

/// One loop's whole graph: makes the parts, hands each message to the part that it is for, and ends them in order.
///
/// Loops share nothing but mailboxes; a user's sessions may live on any of them.
///
/// - Confinement: loop
package final class LoopServer {
    private let number: Int
    private let loop: Loop
    private let settings: LoopSettings
    private let table: ConnectionTable
    private let turn = TurnLoad()
    private let sessions: SessionDoor
    private let encryption: LoopEncryption
    private let changes: ChangeDelivery
    private let delivery: Delivery
    private let looking: LookingAnswers
    private var handed: HandedCommands?
    /// Nil on a node that is alone.
    private let leaving: LeavingSessions?
    private var door: LoopDoor?
    private var listeners: Listeners?
    private var secondTimer: LoopTimer?
    private var reliefTimer: LoopTimer?
    private let times: LoopTimes
    /// Called once, when a drain has closed the last connection.
    private var drained: (() -> Void)?

    /// - Parameters:
    ///   - number: of this loop, from 0.
    package init(number: Int, loop: Loop, settings: LoopSettings) {
        self.number = number
        self.loop = loop
        self.settings = settings
        table = ConnectionTable(loop: number)
        times = LoopTimes(settings.metrics)
        sessions = SessionDoor(ofLoop: number, loop, settings, turn, table.reach)
        encryption = LoopEncryption(on: loop, settings)
        changes = ChangeDelivery(ofLoop: number, sessions, table, turn)
        delivery = Delivery(ofLoop: number, sessions, table, changes)
        looking = LookingAnswers(ofLoop: number, sessions.receivers, to: settings.push, settings.mail.cluster)
        leaving = settings.isMember ? LeavingSessions(ofLoop: number, table, settings) : nil
        let door = LoopDoor(sessions, encryption) { [unowned self] in closed($0) }
        handed = HandedCommands(door)
        self.door = door
        listeners = Listeners(ofLoop: number, loop, settings, encryption) { [unowned self] in
            begin($0, $1, $2, door, isAtFigures: $3)
        }
        let timer = LoopTimer(on: loop) { [unowned self] in eachSecond() }
        timer.start(afterMilliseconds: 1000, repeatingMilliseconds: 1000)
        secondTimer = timer
        reliefTimer = LoopTimer(on: loop) { [unowned self] in relieve() }
        loop.onTurnFlushed = { [unowned self] in turnFlushed() }
    }

    private func begin(
        _ tcp: TCPConnection, _ peer: IPAddress, _ network: AddressAccount?, _ door: LoopDoor, isAtFigures: Bool
    ) {
        settings.metrics.connections.add(1)
        let connection = table.add {
            ServerConnection(tcp, at: $0, door, peer: peer, network: network, isAtFigures: isAtFigures)
        }
        tcp.delegate = connection
        connection.begin()
    }

    /// A connection is closed and gone.
    private func closed(_ address: ConnectionAddress) {
        table.remove(address)
        settings.metrics.connections.subtract(1)
        finishDrainIfEmpty()
    }

    // MARK: Time

    private func eachSecond() {
        times.eachSecond()
        if sessions.drain.hasBegun, sessions.drain.isOver() { table.forEach { $0.endDraining() } }
        table.forEach { $0.eachSecond() }
        relieve()
        sessions.starts.eachSecond()
        leaving?.eachSecond()
        if number == 0 {
            settings.peers.users.forgetIdle(at: loop.now)
            settings.peers.strangers.forgetIdle(at: loop.now)
        }
        sessions.counts.readFailed()
        if number == 0 { encryption.turnTicketKeys() }
    }

    private func turnFlushed() {
        times.turnFlushed()
        if turn.isHeavy {
            turn.end()
            sessions.pages.beginTurn()
        }
        sessions.memory.turnEnded(on: loop)
        // Until there is room again, all other requests for memory are refused.
        if sessions.memory.held.isFull, reliefTimer?.isActive == false {
            reliefTimer?.start(afterMilliseconds: Limits.reliefMilliseconds)
        }
    }

    /// Ends the connections that hold most, as long as too much is held.
    private func relieve() {
        let excess = sessions.memory.held.excess
        if excess > 0 { table.endGreediest(excess: excess) }
    }

    // MARK: Messages

    /// Takes what other threads say.
    package func receive(_ messages: [LoopMessage]) {
        for (index, message) in messages.enumerated() { receive(message, isLast: index == messages.count - 1) }
    }

    private func receive(_ message: LoopMessage, isLast: Bool) {
        switch message {
        case .committed(let steps, let kept, let cost, let head, let heavy, let at):
            sessions.log.arriving = head
            times.delivers(publishedAt: at)
            delivery.deliver(steps, isLast: isLast)
            if let heavy { turn.note(heavy) }
            sessions.log.append(kept, head: head, cost: cost)
            changes.endRevokedSessions()
            sessions.pages.deliverHeld()
            sessions.watches.answerHeld()
            sessions.heads?.reached(head)
        case .outcome(let address, let ticket, let outcome):
            sessions.orders.arrived(outcome)
            table.connection(at: address)?.answered(ticket, outcome)
        case .started(let address, let reading): table.connection(at: address)?.started(reading)
        case .page(let address, let reading): sessions.pages.arrived(reading, for: address)
        case .readingFailed(let address): table.connection(at: address)?.readingFailed()
        case .counts(let user, let counts, let position): changes.counted(user, counts, asOf: position)
        case .countingFailed(let user): sessions.counts.failed(user)
        case .watched(let address, let reading):
            sessions.watches.ended()
            table.withSession(at: address) { $0.watching?.wasRead(reading) }
            sessions.watches.goOn()
        case .watch(let address, let ticket, let people): table.withSession(at: address) { $0.watch(people, ticket) }
        case .signal(let inboxes, let signal): changes.send(signal, to: inboxes)
        case .presence(let person, let isOnline, let loop, let at):
            changes.send(sessions.presence.apply(person, isOnline: isOnline, onLoop: loop, at: at))
        case .presenceElsewhere(let all): for change in all { changes.send(sessions.presence.apply(change)) }
        case .claimed(let claim): sessions.devices.apply(claim)
        case .claimedElsewhere(let claim):
            settings.claimNumbers.note(claim.number)
            sessions.devices.apply(claim)
        case .outdated(let claim):
            settings.claimNumbers.note(claim.number)
            sessions.devices.apply(claim)
        case .looking(let question): looking.answer(question)
        case .lookingElsewhere(let question): looking.answerElsewhere(question)
        case .handed(let commands, let node, let term): handed?.receive(commands, from: node, in: term)
        case .certificate(let context): encryption.context = context
        case .issuer(let issuer): sessions.tokens.learn(issuer)
        case .secrets(let secrets): sessions.tokens.accept(secrets)
        case .backup(let address, let news): table.connection(at: address)?.received(news)
        case .listen(let addresses, let isForFigures, let answer):
            answer.fill(Result { () throws(UVError) in try listen(on: addresses, isForFigures: isForFigures) })
        case .drain: drain()
        }
    }

    private func listen(on addresses: [SocketAddress], isForFigures: Bool) throws(UVError) -> [SocketAddress] {
        var bound: [SocketAddress] = []
        for address in addresses {
            if let listeners { bound.append(try listeners.listen(on: address, isForFigures: isForFigures)) }
        }
        return bound
    }

    // MARK: Stopping

    /// Sets what is called when a drain has closed the last connection.
    package func setDrained(_ done: @escaping () -> Void) { drained = done }

    /// Stops accepting, and says goodbye to every client.
    private func drain() {
        guard !sessions.drain.hasBegun else { return }
        sessions.drain.begin()
        listeners?.close()
        table.forEach { $0.drain() }
        finishDrainIfEmpty()
    }

    private func finishDrainIfEmpty() {
        guard sessions.drain.hasBegun, table.count == 0, let drained else { return }
        self.drained = nil
        secondTimer?.close()
        secondTimer = nil
        reliefTimer?.close()
        reliefTimer = nil
        sessions.close()
        drained()
    }
}

@available(*, unavailable)
extension LoopServer: Sendable {}
