import EventLoop
import Fanout
import Mail
import Model
import Peers
import Synchronization
import Telemetry
import TestSupport
import Testing
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
    private(set) var now: Int64 = 1_000_000
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
        try RelayedNode(name, boot: now, on: loop, clock: { [unowned self] in now })
    }

    subscript(name: String) -> RelayedNode {
        guard let node = nodes[name] else { preconditionFailure("there is no node \(name)") }
        return node
    }

    /// The process of a node ends without a word, and begins again.
    func restart(_ name: String) throws {
        now += 1
        nodes[name] = try node(name)
    }

    func close() { stage.abandon() }

    /// Lets time pass.
    func run(milliseconds: Int64) {
        let end = now + milliseconds
        while now < end {
            now += min(10, end - now)
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
    /// What the relay has told of users on other nodes, as the first loop has got it.
    private(set) var seen: [PresenceElsewhere] = []
    /// The signals of each loop.
    private(set) var signals: [[([StreamID], EncodedEvent)]] = [[], []]
    private(set) var claims: [NodeClaim] = []
    private(set) var answers: [(number: Int64, sessions: [LookingSession])] = []
    private(set) var questions = 0
    /// What each loop answers to a question.
    var looking: [LookingSession] = []
    private let presences = [Presence(), Presence()]
    private let elsewhere = SessionsElsewhere()
    private let metrics = Metrics(peerMemory: PeerMemory(bytesMax: 1 << 20))
    private let now: () -> Int64

    init(_ name: String, boot: Int64, on loop: Loop, clock now: @escaping () -> Int64) throws {
        self.now = now
        let mail = Mailboxes(loops: 2, readers: 1, reachesOutside: true, hasIssuers: false, isMember: true)
        let time = Mutex(boot)
        relay = SignalRelay(
            node: name, boot: Timestamp(milliseconds: boot), mail: mail, elsewhere: elsewhere, metrics: metrics,
            clock: Self.clock)
        _ = time
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
}
