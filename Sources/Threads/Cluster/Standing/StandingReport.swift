import EventLoop
import Journal
import JournalLink
import Model
import Telemetry
import ThreadMessages

/// How this node stands among the others: what it hears of them, and what it says of itself to them, to its own threads
/// and to its operators.
///
/// - Confinement: loop
final class StandingReport {
    private let start: NodeStart
    private let surroundings: ClusterSurroundings
    private(set) var roll = NodeRoll()
    var verifications: Verifications
    private var clocks = ClockComparison()
    private var lag = LagMeter()
    private var proof: JournalProof
    private var echoes: HeartbeatEchoes
    private var deafness: Deafness
    /// An entry that is later is not of now, in milliseconds.
    private static let lateMax: Int64 = 1000
    /// The leader that the log names last.
    private var leader: String?
    private var connections = 0
    /// The journal as it was last seen, for operators.
    private var stream = ClusterView.Stream()
    private var streamAskedAt: Int64 = 0
    private var now: Int64 { surroundings.loop.now }

    init(_ start: NodeStart, in surroundings: ClusterSurroundings) {
        self.start = start
        self.surroundings = surroundings
        verifications = Verifications(of: start.node.name)
        proof = JournalProof(at: surroundings.loop.now)
        echoes = HeartbeatEchoes(of: start.node.name, run: start.run)
        deafness = Deafness(at: surroundings.loop.now)
        lag.note(applied: start.place?.sequence ?? 0)
    }

    // MARK: Heard

    /// Takes a heartbeat.
    ///
    /// - Parameter programs: A node that reads on with older tables, and whose program makes newer ones, counts as if it
    ///   had them: it keeps no other node from leading meanwhile.
    /// - Returns: the facts for the leadership; nil for the heartbeat of this process, or of one before it.
    func receive(_ message: HeartbeatMessage, _ programs: ProgramTable, at place: ReadingPlace) -> NodeHeartbeat? {
        let own = surroundings.clock.now()
        roll.note(message, own: own, at: now)
        let heard = message.heartbeat
        if heard.node == start.node.name {
            guard message.run != start.run, echoes.hasNamesake(run: message.run, at: now) else { return nil }
        } else {
            if !echoes.mustShow(heard.node, run: message.run, at: now) { take(heard, ago: 0, at: place) }
            deafness.noteHeartbeat(heard.node, at: now)
            clocks.note(heard.node, leads: heard.leads, time: message.time, own: own, at: now)
        }
        return NodeHeartbeat(
            node: heard.node, term: heard.term, leads: heard.leads, applied: heard.applied, head: heard.head,
            schema: programs.schema(of: message), program: heard.program, fingerprint: heard.fingerprint,
            sessions: heard.sessions, address: NodeStart.address(heard.address, message.run))
    }

    /// Takes an echo: it shows how old the newest heartbeat of its node is.
    func receive(_ echo: EchoMessage, at place: ReadingPlace) {
        let mark = echo.mark
        guard mark.run != start.run, let heard = roll[mark.node],
            heard.run == mark.run || mark.node == start.node.name,
            let age = echoes.age(of: echo, at: now), mark.node != start.node.name
        else { return }
        take(heard.heartbeat, ago: age, at: place)
    }

    /// Another node is there, and says which entries it has.
    private func take(_ heard: NodeHeartbeat, ago milliseconds: Int64, at place: ReadingPlace) {
        proof.noteOther(leads: heard.leads, at: now - milliseconds)
        guard place.mayHave(heard.applied, inTerm: heard.term) else { return }
        if heard.leads {
            lag.note(last: heard.applied, saidAgo: milliseconds, at: now)
        } else {
            lag.noteClaim(heard.applied, at: now)
        }
    }

    /// The database failed, and has only entries up to this one.
    func noteLoss(after sequence: UInt64) { lag.noteLoss(after: sequence, at: now) }

    func note(applied sequence: UInt64) { lag.note(applied: sequence) }

    /// - Parameter milliseconds: how long ago most servers of the journal were there; nil when they were not.
    func noteEnd(_ last: UInt64, ago milliseconds: Int64?) {
        lag.noteState(last: last, saidAgo: milliseconds, at: now)
        if let milliseconds { noteProof(ago: milliseconds) }
    }

    /// An entry goes to the writer. Old ones, which a node reads when it comes back, are of nodes that may be gone.
    func note(_ entry: JournalEntry) {
        guard entry.author.node != start.node.name, !lag.isCatchingUp, lag.lag(at: now) < Self.lateMax else { return }
        deafness.noteEntry(entry.author.node, at: now)
    }

    /// Why another server of the journal is to be tried now; nil when it is not.
    ///
    /// - Parameter read: the newest entry that was read.
    func changesServer(isReached: Bool, read: UInt64) -> String? {
        deafness.look(isReached: isReached, read: read, last: lag.expected, at: now)
    }

    /// The journal has proved that most of its servers are there.
    ///
    /// - Parameter milliseconds: how long ago they were there.
    func noteProof(ago milliseconds: Int64) { proof.noteProof(at: now - milliseconds) }

    /// Whether this node is cut off for so long that it may not lead.
    func isCutOff() -> Bool {
        proof.look(at: now)
        return !proof.hearsOthers(at: now) && proof.unproved(at: now) >= MemberLimits.cutOffLeadingMilliseconds
    }

    /// Whether this node's clock is wrong.
    func compareClocks() -> Bool {
        clocks.compare(at: now)
        return clocks.isOff
    }

    // MARK: Said

    func heartbeat(term: UInt64, leads: Bool, applied: UInt64, _ owner: LeadershipOwner) -> HeartbeatMessage {
        let heartbeat = NodeHeartbeat(
            node: start.node.name, term: term, leads: leads, applied: applied, head: owner.head,
            schema: owner.leadership.schema, program: start.program, fingerprint: start.fingerprint,
            sessions: surroundings.metrics.sessions.now, address: start.address)
        return HeartbeatMessage(
            heartbeat, run: start.run, time: surroundings.clock.now(), digest: start.digest)
    }

    /// The message that goes out after a heartbeat.
    func nextEcho() -> EchoMessage { echoes.next(at: now) }

    /// Tells threads and operators.
    func report(_ owner: LeadershipOwner, _ upgrading: Upgrading, _ counts: JournalCounts) {
        roll.clean(at: now)
        let leadership = owner.leadership
        let read = leadership.place.read
        lag.note(last: read, saidAgo: nil, at: now)
        if leadership.place.hasEverything(hearing: leadership.leader) { lag.note(applied: read) }
        lag.look(at: now)
        var facts = NodeStanding.Facts()
        switch leadership.role {
        case .following, .standing: facts.role = .following
        case .leading: facts.role = .leading
        case .stopped: facts.role = .stopped
        }
        facts.term = leadership.term
        facts.leader = leadership.leader
        facts.applied = lag.applied
        facts.last = lag.last
        facts.lagMilliseconds = lag.lag(at: now)
        facts.isCatchingUp = lag.isCatchingUp
        facts.unprovedMilliseconds = proof.unproved(at: now)
        facts.hearsOthers = proof.isAmongOthers(at: now)
        facts.rejoins = owner.stop.flatMap { $0.isMendedByJoining ? $0.sentence : nil }
        if case .otherTables(let sentence) = owner.stop { facts.unfit = sentence }
        facts.restarts = upgrading.restarts
        facts.waitsForUpgrade = upgrading.waits
        facts.journalAgeSecondsMax = stream.ageSecondsMax
        surroundings.standing.set(facts)
        surroundings.metrics.journal.show(facts)
        show(facts, upgrading)
        if counts.connections > connections {
            if connections > 0 { surroundings.metrics.journal.reconnects.add(counts.connections - connections) }
            connections = counts.connections
        }
        guard facts.leader != leader else { return }
        leader = facts.leader
        surroundings.log.warning(
            "leader changed", ["leader": leader ?? "none", "term": "\(facts.term)"], isChange: true)
    }
}

// The view of operators.
extension StandingReport {
    private static let streamMilliseconds: Int64 = 1000

    /// Whether it is time to ask for the journal's state.
    func asksForStream() -> Bool {
        guard surroundings.board != nil, now - streamAskedAt >= Self.streamMilliseconds else { return false }
        streamAskedAt = now
        return true
    }

    func note(_ stream: ClusterView.Stream) {
        // A journal that does not answer shows what it showed before.
        guard stream.problem != nil else { return self.stream = stream }
        self.stream.name = stream.name
        self.stream.server = stream.server
        self.stream.problem = stream.problem
    }

    private func show(_ facts: NodeStanding.Facts, _ upgrading: Upgrading) {
        guard let board = surroundings.board else { return }
        var view = ClusterView()
        view.node = start.node.name
        view.role = facts.role.rawValue
        view.leader = facts.leader
        view.term = facts.term
        view.lagMilliseconds = facts.lagMilliseconds
        view.nodes = roll.nodes.map { heard in
            ClusterView.Node(
                heard.message.heartbeat, heardMilliseconds: now - heard.at, aheadMilliseconds: heard.ahead,
                digest: NodeDigest(heard.message.digest),
                verified: verifications[heard.message.heartbeat.node],
                installed: upgrading.programs[heard.message.heartbeat.node]?.installed)
        }
        view.stream = stream
        board.show(view)
    }
}

@available(*, unavailable)
extension StandingReport: Sendable {}
