import EventLoop
import Journal
package import JournalLink
import Model
import Telemetry
package import ThreadMessages

/// The thread that connects this node with the others: it decides with them which one leads, carries entries between the
/// writer and the journal, and hands writes to the node that leads.
///
/// - Confinement: loop
package final class ClusterThread {
    /// Makes the way to the journal; the closure gets its events.
    package typealias JournalMaker = (@escaping (JournalLinkEvent) -> Void) throws -> any ClusterJournal

    private let start: NodeStart
    private let surroundings: ClusterSurroundings
    private let journal: SealedJournal
    private let link: LinkWatch
    private var parts: Parts?
    private var timer: LoopTimer?

    /// The parts that refer to the thread as their owner.
    private struct Parts {
        let owner: LeadershipOwner
        let transport: CommandTransport
        let standing: StandingReport
        let signals: SignalPort
        let upgrading: Upgrading
    }

    /// - Parameter makeJournal: The last thing that may throw.
    package init(
        _ start: NodeStart, in surroundings: ClusterSurroundings, makeJournal: JournalMaker
    ) throws {
        self.start = start
        self.surroundings = surroundings
        let link = LinkWatch(surroundings.log)
        self.link = link
        journal = SealedJournal(
            try makeJournal { link.take($0) }, JournalSeal(start.keys, schema: start.schema), in: surroundings)
        parts = Parts(
            owner: LeadershipOwner(start, in: surroundings, journal: journal, tellingOf: self),
            transport: CommandTransport(start, in: surroundings, journal: journal),
            standing: StandingReport(start, in: surroundings),
            signals: SignalPort(start, in: surroundings, journal: journal),
            upgrading: Upgrading(start, in: surroundings))
        link.changed = { [unowned self] state in
            if state == .reachable {
                parts?.transport.connected()
                parts?.signals.connected()
            }
            parts?.owner.note(state)
            flush()
        }
        listen()
        timer = LoopTimer(on: surroundings.loop) { [unowned self] in tick() }
        timer?.start(
            afterMilliseconds: ClusterLimits.tickMilliseconds, repeatingMilliseconds: ClusterLimits.tickMilliseconds)
    }

    deinit { precondition(timer == nil, "ClusterThread was dropped without .stop") }

    /// Takes a batch of messages.
    ///
    /// - Returns: whether the thread must end, since the messages have `.stop`.
    package func receive(_ batch: [ClusterMessage]) -> Bool {
        for message in batch {
            if case .stop = message {
                close()
                return true
            }
            if let parts { take(message, parts) }
        }
        flush()
        return false
    }

    private func take(_ message: ClusterMessage, _ parts: Parts) {
        switch message {
        case .order(let entries, let wait): parts.owner.order(entries, wait)
        case .applied(let place, let schema):
            parts.standing.note(applied: place.sequence)
            parts.transport.applied(place.sequence)
            parts.owner.applied(place, schema: schema)
        case .databaseFailed(let place, let isFull):
            parts.transport.databaseFailed()
            parts.standing.noteLoss(after: place?.sequence ?? 0)
            parts.owner.restart(at: place, isFull: isFull)
        case .diverged(let sentence):
            surroundings.metrics.journal.diverged.add(1)
            parts.owner.give(.halted(.diverged(sentence)))
        case .unfit(let sentence): parts.owner.give(.halted(.otherTables(sentence)))
        case .digested(let digests): parts.standing.verifications.note(digests)
        case .hand(let commands): parts.transport.hand(commands)
        case .forget(let tickets): parts.transport.forget(tickets)
        case .answer(let origin, let after, let outcome):
            parts.transport.answer(
                origin, UnwrittenAnswer(ticket: origin.ticket, after: after, outcome: outcome))
        case .signal(let signal): parts.signals.take(signal)
        case .stepDown: parts.owner.give(.stepDown)
        case .prepareToStop: parts.owner.hinder(.stopping)
        case .stop: break
        }
    }

    /// Sends what this turn has brought.
    private func flush() {
        guard let parts else { return }
        parts.signals.flush()
        let leadership = parts.owner.leadership
        let leader = leadership.author.map { HandedWindow.Leader(node: $0, term: leadership.term) }
        parts.transport.flush(to: parts.owner.stop == nil ? leader : nil)
    }

    private func tick() {
        guard let parts else { return }
        parts.owner.tick()
        parts.signals.tick()
        parts.owner.set(.clock, parts.standing.compareClocks())
        parts.owner.set(.isolated, parts.standing.isCutOff())
        parts.owner.set(.upgrade, parts.upgrading.hinders(parts.owner, among: parts.standing.roll))
        if let message = parts.upgrading.takeDue() { _ = journal.send(message.bytes, to: "program") }
        flush()
        parts.standing.report(parts.owner, parts.upgrading, journal.counts)
        if let verified = parts.standing.verifications.takeDue(at: surroundings.loop.now) {
            _ = journal.send(verified, to: "verified")
        }
        let isReached = parts.owner.unreachableSince == nil
        if let reason = parts.standing.changesServer(isReached: isReached, read: parts.owner.leadership.place.read) {
            surroundings.metrics.journal.unheard.add(1)
            journal.changeServer(because: reason + ": another server is tried")
        }
        if parts.standing.asksForStream() { journal.askStream { [unowned self] in self.parts?.standing.note($0) } }
    }

    private func close() {
        timer?.close()
        timer = nil
        link.changed = nil
        parts?.signals.sayGoodbye()
        parts?.owner.close()
        parts?.transport.close()
        journal.close()
        parts = nil
    }

    // MARK: The other nodes

    private func listen() {
        parts?.signals.listen()
        listen(to: "heartbeat", strangers: { [unowned self] in hearStranger($0) }) {
            parts, bytes throws(JournalProblem) in
            let programs = parts.upgrading.programs
            let place = parts.owner.leadership.place
            guard let heartbeat = parts.standing.receive(try HeartbeatMessage(bytes), programs, at: place) else {
                return
            }
            parts.owner.give(.heartbeat(heartbeat))
        }
        listen(to: "echo") { parts, bytes throws(JournalProblem) in
            parts.standing.receive(try EchoMessage(bytes), at: parts.owner.leadership.place)
        }
        listen(to: "verified") { parts, bytes throws(JournalProblem) in
            parts.standing.verifications.note(try VerifiedMessage(bytes))
        }
        listen(to: "program") { parts, bytes throws(JournalProblem) in
            parts.upgrading.programs.note(try ProgramMessage(bytes))
        }
        listen(to: "upgrade") { parts, bytes throws(JournalProblem) in
            parts.upgrading.take(try UpgradeMessage(bytes), parts.owner)
        }
        listen(to: "commands.\(start.node.name)") { parts, bytes throws(JournalProblem) in
            try parts.transport.receiveCommands(bytes, parts.standing.roll)
        }
        listen(to: "refused.\(start.node.name)") { parts, bytes throws(JournalProblem) in
            try parts.transport.receiveAnswers(bytes)
        }
    }

    /// A heartbeat that is not signed with this cluster's secret.
    private func hearStranger(_ bytes: [UInt8]) {
        guard let parts, let message = try? HeartbeatMessage(bytes), message.run != start.run else { return }
        parts.owner.give(.heartbeat(message.ofStranger))
    }

    private func listen(
        to rest: String, strangers: @escaping ([UInt8]) -> Void = { _ in },
        _ take: @escaping (Parts, [UInt8]) throws(JournalProblem) -> Void
    ) {
        journal.listen(to: rest, strangers: strangers) { [unowned self] signal in
            guard let parts else { return }
            do throws(JournalProblem) {
                try take(parts, signal.bytes)
            } catch {
                surroundings.metrics.journal.unreadableMessages.add(1)
                surroundings.log.warning(
                    "a message of another node cannot be read",
                    ["subject": signal.subject, "error": error.description])
            }
            flush()
        }
    }
}

extension ClusterThread: LeadershipEvents {
    func leads(from place: JournalPlace) { parts?.transport.leads(from: place) }

    func followsAgain() { parts?.transport.followsAgain() }

    func applies(_ entry: JournalEntry) {
        parts?.standing.note(entry)
        parts?.transport.applies(entry)
    }

    func beat(term: UInt64, leads: Bool, applied: UInt64) {
        guard let parts else { return }
        let message = parts.standing.heartbeat(term: term, leads: leads, applied: applied, parts.owner)
        _ = journal.send(message.bytes, to: "heartbeat")
        _ = journal.send(parts.standing.nextEcho().bytes, to: "echo")
    }

    func foundEnd(of last: UInt64, ago milliseconds: Int64?) { parts?.standing.noteEnd(last, ago: milliseconds) }

    func proved(ago milliseconds: Int64) { parts?.standing.noteProof(ago: milliseconds) }
}

@available(*, unavailable)
extension ClusterThread: Sendable {}
