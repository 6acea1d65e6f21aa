import Client
import EventLoop
import Model
import Synchronization

/// Chats of two: one sends, durably, the other gets it. At the limit with a window per pair, then at a fixed rate.
enum PairsScenario {
    /// Sends without their `ok` in each pair, at the limit.
    static let window = 8
    /// Messages a second of all pairs together, at the fixed rate.
    static let rate = 2_000

    /// How messages are paced.
    enum Pace: Sendable {
        case atTheLimit
        case fixed(perSecond: Int)
    }

    static func run(_ bench: Bench, connections: Int) throws -> [BenchRow] {
        try [
            run(bench, connections: connections, .atTheLimit, "at the limit"),
            run(bench, connections: connections, .fixed(perSecond: rate), "\(rate.grouped)/s"),
        ]
    }

    private static func run(_ bench: Bench, connections: Int, _ pace: Pace, _ detail: String) throws -> BenchRow {
        let board = ScoreBoard()
        let mint = bench.mint
        let user: @Sendable (Int) -> UserID? = { bench.user("\($0 % 2 == 0 ? "a" : "b")-\($0 / 2)") }
        let target = BenchTarget(server: bench.server, path: "/v1/ws") { index in
            user(index).map { mint.token(for: $0) } ?? ""
        }
        let connections = max(2, connections / 2 * 2)
        let run = "\(bench.run)\(detail.count)"
        let crew = try Crew.start(bench.loopCount, board: board) { loop, index in
            let indices = bench.share(of: connections, loop: index)
            let group = PeerGroup(on: loop, target, indices: indices, board: board)
            return PairsMember(
                group,
                on: loop,
                board: board,
                pace: pace,
                share: Double(indices.count) / Double(connections),
                keyPrefix: run,
                recipients: indices.filter { $0 % 2 == 0 }.compactMap { user($0 + 1) }
            )
        }
        return try bench.measure(
            "pairs",
            detail,
            connections: connections,
            crew: crew,
            latencies: ["sendToOk", "sendToOther"]
        )
    }
}

/// - Confinement: loop
private final class PairsMember: CrewMember {
    private static let paceMilliseconds: Int64 = 5

    /// One chat: when its messages that are under way were sent, as the sender and as the recipient wait for them.
    private struct Pair {
        var sent = 0
        var acknowledged = 0
        var arrived = 0
        var times: [ContinuousClock.Instant] = []
        var timesStart = 0

        mutating func note(_ now: ContinuousClock.Instant) {
            times.append(now)
            sent += 1
            let done = min(acknowledged, arrived) - timesStart
            if done > 1024 {
                times.removeFirst(done)
                timesStart += done
            }
        }

        func time(_ number: Int) -> ContinuousClock.Instant? {
            times.indices.contains(number - timesStart) ? times[number - timesStart] : nil
        }
    }

    private let group: PeerGroup
    private let loop: Loop
    private let board: ScoreBoard
    private let pace: PairsScenario.Pace
    private let share: Double
    private let keyPrefix: String
    private let recipients: [UserID]
    private var pairs: [Pair]
    private var followed = 0
    private var isSending = false
    private var timer: LoopTimer?
    private var beganAt = ContinuousClock.now
    private var sentCount = 0
    private var acknowledgements = Latencies()
    private var arrivals = Latencies()

    init(
        _ group: PeerGroup,
        on loop: Loop,
        board: ScoreBoard,
        pace: PairsScenario.Pace,
        share: Double,
        keyPrefix: String,
        recipients: [UserID]
    ) {
        self.group = group
        self.loop = loop
        self.board = board
        self.pace = pace
        self.share = share
        self.keyPrefix = keyPrefix
        self.recipients = recipients
        pairs = Array(repeating: Pair(), count: recipients.count)
        group.onReady = { [unowned self] in follow() }
        group.onMessage = { [unowned self] message, peer in receive(message, peer) }
    }

    func connect() { group.connect() }

    func begin() {
        isSending = true
        beganAt = .now
        switch pace {
        case .atTheLimit:
            for pair in pairs.indices {
                for _ in 0..<PairsScenario.window { send(pair) }
            }
        case .fixed:
            let timer = LoopTimer(on: loop) { [unowned self] in keepPace() }
            timer.start(afterMilliseconds: 0, repeatingMilliseconds: Self.paceMilliseconds)
            self.timer = timer
        }
    }

    func end() {
        isSending = false
        timer?.close()
        timer = nil
        board.add(acknowledgements, as: "sendToOk")
        board.add(arrivals, as: "sendToOther")
    }

    private func follow() {
        guard !pairs.isEmpty else {
            board.readyLoops.add(1, ordering: .relaxed)
            return
        }
        for pair in pairs.indices {
            group.peers[2 * pair].send(ClientCommand.follow(Topic(user: recipients[pair])).encoded(id: 1))
        }
    }

    private func keepPace() {
        guard isSending, case .fixed(let perSecond) = pace else { return }
        let elapsed = (ContinuousClock.now - beganAt) / .seconds(1)
        let due = Int(elapsed * Double(perSecond) * share)
        while sentCount < due { send(sentCount % pairs.count) }
    }

    private func send(_ pair: Int) {
        guard isSending, let key = WriteKey("\(keyPrefix)-\(pairs[pair].sent)") else { return }
        pairs[pair].note(.now)
        sentCount += 1
        group.peers[2 * pair].send(
            ClientCommand.send("0123456789abcdef0123456789abcdef", to: recipients[pair], key: key).encoded(id: 2)
        )
    }

    private func receive(_ message: [UInt8], _ peer: BenchPeer) {
        let pair = group.peers[0].index <= peer.index ? localPair(of: peer) : 0
        switch (BenchMessage.kind(of: message), peer.index % 2) {
        case (.ok, 0) where followed < pairs.count:
            followed += 1
            if followed == pairs.count { board.readyLoops.add(1, ordering: .relaxed) }
        case (.ok, 0):
            if let time = pairs[pair].time(pairs[pair].acknowledged) { acknowledgements.record(.now - time) }
            pairs[pair].acknowledged += 1
            if case .atTheLimit = pace { send(pair) }
        case (.message, 1):
            if let time = pairs[pair].time(pairs[pair].arrived) { arrivals.record(.now - time) }
            pairs[pair].arrived += 1
            board.count.add(1, ordering: .relaxed)
        case (.error, _):
            board.failures.add(1, ordering: .relaxed)
            if followed < pairs.count { board.fail(String(decoding: message.prefix(300), as: UTF8.self)) }
        case (.ok, _), (.message, _), (.notification, _), (.other, _): break
        }
    }

    /// A loop's pairs are every so many of the scenario's.
    private func localPair(of peer: BenchPeer) -> Int {
        guard group.peers.count > 2 else { return 0 }
        let stride = max(1, group.peers[2].index / 2 - group.peers[0].index / 2)
        return (peer.index / 2 - group.peers[0].index / 2) / stride
    }
}
