import EventLoop
import Model
import Session
import Synchronization

/// Chats of two users: one sends durable messages, the other gets them. Either as fast as possible, with a window for
/// each pair, or at a fixed rate.
enum PairsScenario {
    /// The most messages without an `ok` in each pair, without a fixed rate.
    static let window = 8
    static let connectionsDefault = 256
    static let textBytes = 32
    /// The rate for measuring times.
    static let paced = 2_000.0
    /// The name of the fact: the time of one commit of SQLite alone just before.
    static let commitAlone = "one commit of SQLite alone just before, µs"
    static let times = ["send → ok", "send → other"]

    /// - Parameter rate: Messages a second of all pairs together; nil for as many as the server can take.
    static func run(_ course: Course, connections: Int, rate: Double?) throws -> Outcome {
        let connections = max(2, connections / 2 * 2)
        let before = try Commits.read(course)
        let crew = try crew(course, connections: connections, rate: rate)
        var outcome = try course.measure(
            "pairs", detail(rate), connections: connections, crew: crew, times: times, isPaced: rate != nil)
        outcome.facts += try Commits.read(course).since(before)
        return outcome
    }

    static func detail(_ rate: Double?) -> String { rate.map { Figures.whole($0) + "/s" } ?? "at the limit" }

    /// Connects the pairs; each sender follows the receiver, so that it may write.
    static func crew(_ course: Course, connections: Int, rate: Double?) throws -> Crew {
        let board = ScoreBoard()
        let name: @Sendable (Int) -> String = { "\($0 % 2 == 0 ? "a" : "b")-\($0 / 2)" }
        let target = course.target(name)
        return try Crew.start(course.loopCount, connections: connections, board: board) { loop, index in
            let indices = course.share(of: connections, loop: index)
            return PairsMember(
                SocketGroup(on: loop, target, as: .subscriber, indices: indices, board: board),
                on: loop, board: board,
                perSecond: rate.map { $0 * Double(indices.count) / Double(connections) },
                recipients: indices.filter { $0 % 2 == 0 }.compactMap { course.user(name($0 + 1)) })
        }
    }
}

/// - Confinement: loop
private final class PairsMember: CrewMember {
    /// One chat.
    private struct Pair {
        var starts = StartTimes()
        var acknowledged = 0
        var arrived = ArrivalOrder()
    }

    private let group: SocketGroup
    private let loop: Loop
    private let board: ScoreBoard
    private let perSecond: Double?
    private let recipients: [UserID]
    private var pairs: [Pair]
    /// The pairs of connections, by the connections' indices among all.
    private var places: [Int: Int] = [:]
    private var followed = 0
    private var isSending = false
    private var timer: PreciseTimer?
    private var arrivals: Arrivals?
    private var acknowledgements = Latencies()
    private var deliveries = Latencies()
    private var lateness = Latencies()
    private var refused = 0

    init(
        _ group: SocketGroup, on loop: Loop, board: ScoreBoard, perSecond: Double?, recipients: [UserID]
    ) {
        self.group = group
        self.loop = loop
        self.board = board
        self.perSecond = perSecond
        self.recipients = recipients
        pairs = Array(repeating: Pair(), count: recipients.count)
        group.onReady = { [unowned self] in follow() }
        group.onHeard = { [unowned self] heard, socket in receive(heard, socket) }
    }

    func connect() { group.connect() }

    func begin() {
        isSending = true
        guard perSecond != nil else {
            for pair in pairs.indices {
                for _ in 0..<PairsScenario.window { send(pair, at: .now) }
            }
            return
        }
        do {
            timer = try PreciseTimer(on: loop) { [unowned self] in keepPace() }
            keepPace()
        } catch {
            board.fail("the timer of the sends: \(error)")
        }
    }

    func measure() {
        acknowledgements.forget()
        deliveries.forget()
        lateness.forget()
    }

    func finish() {
        isSending = false
        timer?.close()
        timer = nil
    }

    func close() {
        board.add(acknowledgements, as: PairsScenario.times[0])
        board.add(deliveries, as: PairsScenario.times[1])
        if perSecond != nil { board.add(lateness, as: ScoreBoard.lateness) }
        board.add(.refused, refused)
        for pair in pairs {
            pair.arrived.close(sent: pair.starts.count, on: board)
            board.add(.lost, pair.starts.count - pair.acknowledged)
        }
    }

    private func follow() {
        guard !pairs.isEmpty else {
            board.readyLoops.add(1, ordering: .relaxed)
            return
        }
        for (pair, recipient) in recipients.enumerated() {
            places[group.sockets[2 * pair].index] = pair
            places[group.sockets[2 * pair + 1].index] = pair
            group.sockets[2 * pair].send(ClientCommand.follow(Topic(user: recipient)).encoded(id: 1))
        }
    }

    private func keepPace() {
        guard isSending, let perSecond, perSecond > 0, !pairs.isEmpty else { return }
        let now = ContinuousClock.now
        if arrivals == nil { arrivals = Arrivals(perSecond: perSecond, begin: now) }
        while let intended = arrivals?.next(at: now), let taken = arrivals?.taken {
            send((taken - 1) % pairs.count, at: intended)
            lateness.record(.now - intended)
        }
        if let due = arrivals?.due { timer?.start(after: due - .now) }
    }

    private func send(_ pair: Int, at start: ContinuousClock.Instant) {
        guard let key = WriteKey("k-\(pairs[pair].starts.count)-\(pair)") else { return }
        let marker = Marker.text(pairs[pair].starts.count)
        pairs[pair].starts.append(start)
        // Twice: to the other user, and as the acknowledgement.
        board.owed.add(1, ordering: .relaxed)
        let text = marker + String(repeating: ".", count: PairsScenario.textBytes - Marker.byteCount)
        group.sockets[2 * pair].send(ClientCommand.send(text, to: recipients[pair], key: key).encoded(id: 2))
    }

    private func receive(_ heard: Heard, _ socket: LeanSocket) {
        let isSender = socket.index % 2 == 0
        switch heard {
        case .ok where isSender && followed < pairs.count:
            followed += 1
            if followed == pairs.count { board.readyLoops.add(1, ordering: .relaxed) }
        case .ok where isSender:
            guard let pair = places[socket.index] else { return }
            if let start = pairs[pair].starts[pairs[pair].acknowledged] { acknowledgements.record(.now - start) }
            pairs[pair].acknowledged += 1
            if isSending, perSecond == nil { send(pair, at: .now) }
        case .delivery(let number?) where !isSender:
            guard let pair = places[socket.index] else { return }
            if let start = pairs[pair].starts[number] { deliveries.record(.now - start) }
            pairs[pair].arrived.receive(number)
            pairs[pair].starts.forget(below: min(pairs[pair].arrived.next, pairs[pair].acknowledged))
            board.count.add(1, ordering: .relaxed)
        case .refused:
            if followed < pairs.count { board.fail("a follow was refused") }
            refused += 1
        case .ready, .ok, .delivery, .ping, .other: break
        }
    }
}

@available(*, unavailable)
extension PairsMember: Sendable {}
