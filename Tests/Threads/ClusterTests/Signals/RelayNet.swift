import EventLoop
import Fanout
import Model
import Quotas
import Synchronization
import Telemetry
import TestSupport
import Testing
import ThreadMessages
@testable import Cluster

/// Relays of several nodes and a network between them, whose time passes as the test says. The mailboxes are real; for the
/// loops there is what each of them keeps of presence.
///
/// - Confinement: the thread that made it
final class RelayNet {
    /// A message on its way.
    private struct Way {
        let at: Int64
        let to: String
        let publication: SignalRelay.Publication
    }

    private let stage = LoopStage()
    private let loop: Loop
    private var nodes: [String: RelayedNode] = [:]
    private let time = NetTime()
    var now: Int64 { time.now }
    /// Which messages are lost, by sender and receiver.
    var isLost: (String, String) -> Bool = { _, _ in false }
    /// Loses, doubles and delays messages by chance; nil for a network without trouble.
    var makesTrouble: SeededRandom?
    /// Bytes of the messages that were published.
    var sizes: [Int] = []
    private var underWay: [Way] = []

    init(_ names: [String]) throws {
        loop = try stage.makeLoop()
        for name in names { nodes[name] = try node(name) }
    }

    private func node(_ name: String) throws -> RelayedNode {
        try RelayedNode(name, boot: now, on: loop, time)
    }

    subscript(name: String) -> RelayedNode {
        guard let node = nodes[name] else { preconditionFailure("there is no node \(name)") }
        return node
    }

    /// The process of a node is killed, and begins again.
    func restart(_ name: String) throws {
        time.pass(1)
        nodes[name] = try node(name)
    }

    func close() { stage.abandon() }

    /// Lets time pass.
    func run(milliseconds: Int64) {
        let end = now + milliseconds
        while now < end {
            time.pass(min(10, end - now))
            turn()
        }
    }

    private func turn() {
        let arriving = underWay.filter { $0.at <= now }
        underWay.removeAll { $0.at <= now }
        for way in arriving { nodes[way.to]?.receive(way.publication) }
        for (name, node) in nodes.sorted(by: { $0.key < $1.key }) {
            loop.turn()
            node.relay.tick(at: now)
            for publication in node.relay.takePublications(at: now) { send(publication, from: name) }
        }
        loop.turn()
    }

    private func send(_ publication: SignalRelay.Publication, from: String) {
        sizes.append(publication.bytes.count)
        for (name, node) in nodes.sorted(by: { $0.key < $1.key }) {
            guard node.relay.subjects.contains(publication.subject), !isLost(from, name) else { continue }
            guard var random = makesTrouble else {
                underWay.append(Way(at: now, to: name, publication: publication))
                continue
            }
            for _ in 0..<[0, 1, 1, 2][Int.random(in: 0..<4, using: &random)] {
                let delay = Bool.random(using: &random) ? 0 : Int64.random(in: 0...900, using: &random)
                underWay.append(Way(at: now + delay, to: name, publication: publication))
            }
            makesTrouble = random
        }
    }
}

/// A node of a ``RelayNet``: its relay, and what its threads have got.
///
/// - Confinement: the thread that made it
final class RelayedNode {
    let relay: SignalRelay
    /// The news of users on other nodes, as the first loop has got them.
    private(set) var seen: [PresenceElsewhere] = []
    /// The signals of each loop.
    private(set) var signals: [[([StreamID], EncodedEvent)]] = [[], []]
    private(set) var claims: [NodeClaim] = []
    private(set) var answers: [(number: Int64, sessions: [LookingSession])] = []
    private(set) var questions = 0
    /// The answer of each loop to a question.
    var looking: [LookingSession] = []
    private let presences = [Presence(), Presence()]
    private let elsewhere = SessionsElsewhere()
    private let metrics = Metrics(peerMemory: PeerMemory(bytesMax: 1 << 20))
    private let time: NetTime

    init(_ name: String, boot: Int64, on loop: Loop, _ time: NetTime) throws {
        self.time = time
        let mail = Mailboxes(loops: 2, readers: 1, reachesOutside: true, hasIssuers: false, isMember: true)
        relay = SignalRelay(
            node: name, boot: Timestamp(milliseconds: boot), mail: mail, elsewhere: elsewhere, metrics: metrics,
            clock: WallClock { Timestamp(milliseconds: time.now) })
        for number in 0..<2 {
            try mail.loops[number].open(
                taking: { [unowned self] batch in
                    for message in batch { take(message, onLoop: number) }
                    batch.removeAll()
                }, on: loop)
        }
        try mail.push?.open(
            taking: { [unowned self] batch in
                for case .lookedElsewhere(let number, let sessions) in batch { answers.append((number, sessions)) }
                batch.removeAll()
            }, on: loop)
    }

    private func take(_ message: LoopMessage, onLoop number: Int) {
        switch message {
        case .presenceElsewhere(let changes):
            for change in changes {
                _ = presences[number].apply(change.person.id, isOnlineElsewhere: change.isOnline)
            }
            if number == 0 { seen += changes }
        case .signal(let inboxes, let signal): signals[number].append((inboxes, signal.event))
        case .claimedElsewhere(let claim): if number == 0 { claims.append(claim) }
        case .lookingElsewhere(let question):
            if number == 0 { questions += 1 }
            take(.looked(PushLooking(number: question.number, loop: number, sessions: looking)))
        default: Issue.record("a loop got \(message)")
        }
    }

    /// One of its threads says something.
    func take(_ signal: OwnSignal) { relay.take(signal, at: time.now) }

    /// A message of another node arrives.
    func receive(_ publication: SignalRelay.Publication) { relay.receive(publication.bytes, at: time.now) }

    /// Whether all its loops say that a user is online on another node.
    func isOnline(_ person: Person) -> Bool { presences.allSatisfy { $0.isOnline(person.id) } }

    func sessionsElsewhere(of person: Person) -> Int { elsewhere.count(of: person.name) }

    /// Messages that it could not read.
    var unreadable: Int { metrics.journal.unreadableMessages.now }

    /// Signals that were not sent.
    var dropped: Int { metrics.signalsDropped.now }
}

/// The time of a network.
///
/// - Confinement: any
final class NetTime: Sendable {
    private let milliseconds = Atomic<Int64>(1_000_000)

    var now: Int64 { milliseconds.load(ordering: .relaxed) }

    func pass(_ passed: Int64) { milliseconds.add(passed, ordering: .relaxed) }
}
