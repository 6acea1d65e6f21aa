import Client
import EventLoop
import Model
import Session
import Synchronization

/// Chats whose senders are on one node and whose receivers are on another one, at a fixed rate.
enum CrossPairs {
    /// The names of the times: `ok` of the sender's node; the event on the other node, from the send and from the `ok`.
    static let times = ["send → ok", "send → event on another node", "ok → event on another node"]

    /// Connects the pairs; each sender follows the receiver, so that it may write.
    /// - Parameters:
    ///   - course: Its server is the senders' node.
    ///   - perSecond: Messages of all pairs together.
    static func crew(_ course: Course, to receivers: ServerAddress, pairs: Int, perSecond: Double) throws -> Crew {
        let board = ScoreBoard()
        let senders = course.target { "a-\($0)" }
        var other = course
        other.server = receivers
        let target = other.target { "b-\($0)" }
        return try Crew.start(course.loopCount, connections: 2 * pairs, board: board) { loop, index in
            let indices = (0..<pairs).filter { $0 % course.loopCount == index }
            return CrossMember(
                senders: SocketGroup(on: loop, senders, as: .subscriber, indices: indices, board: board),
                receivers: SocketGroup(on: loop, target, as: .subscriber, indices: indices, board: board),
                on: loop, board: board,
                perSecond: perSecond * Double(indices.count) / Double(pairs),
                recipients: indices.compactMap { course.user("b-\($0)") })
        }
    }
}

/// - Confinement: loop
private final class CrossMember: CrewMember {
    /// One chat.
    private struct Pair {
        var starts = StartTimes()
        /// When each message was acknowledged.
        var acknowledged = StartTimes()
        var arrived = ArrivalOrder()
    }

    private let senders: SocketGroup
    private let receivers: SocketGroup
    private let loop: Loop
    private let board: ScoreBoard
    private let perSecond: Double
    private let recipients: [UserID]
    private var pairs: [Pair]
    /// The pairs of connections, by the connections' indices in their group.
    private var places: [Int: Int] = [:]
    private var readyGroups = 0
    private var followed = 0
    private var isSending = false
    private var timer: PreciseTimer?
    private var arrivals: Arrivals?
    private var measured: [String: Latencies] = [:]
    private var lateness = Latencies()
    private var refused = 0

    init(
        senders: SocketGroup, receivers: SocketGroup, on loop: Loop, board: ScoreBoard, perSecond: Double,
        recipients: [UserID]
    ) {
        self.senders = senders
        self.receivers = receivers
        self.loop = loop
        self.board = board
        self.perSecond = perSecond
        self.recipients = recipients
        pairs = Array(repeating: Pair(), count: recipients.count)
        measure()
        senders.onReady = { [unowned self] in groupIsReady() }
        receivers.onReady = { [unowned self] in groupIsReady() }
        senders.onHeard = { [unowned self] heard, socket in answered(heard, socket) }
        receivers.onHeard = { [unowned self] heard, socket in arrived(heard, socket) }
    }

    // The receivers first: a sender follows a user whom the cluster knows.
    func connect() { receivers.connect() }

    func begin() {
        isSending = true
        do {
            timer = try PreciseTimer(on: loop) { [unowned self] in keepPace() }
            keepPace()
        } catch {
            board.fail("the timer of the sends: \(error)")
        }
    }

    func measure() {
        for name in CrossPairs.times { measured[name] = Latencies() }
        lateness.forget()
    }

    func finish() {
        isSending = false
        timer?.close()
        timer = nil
    }

    func close() {
        for (name, latencies) in measured { board.add(latencies, as: name) }
        board.add(lateness, as: ScoreBoard.lateness)
        board.add(.refused, refused)
        for pair in pairs {
            pair.arrived.close(sent: pair.starts.count, on: board)
            board.add(.lost, pair.starts.count - pair.acknowledged.count)
        }
    }

    private func groupIsReady() {
        readyGroups += 1
        guard readyGroups == 2 else { return senders.connect() }
        guard !pairs.isEmpty else {
            board.readyLoops.add(1, ordering: .relaxed)
            return
        }
        for (pair, recipient) in recipients.enumerated() {
            places[senders.sockets[pair].index] = pair
            senders.sockets[pair].send(ClientCommand.follow(Topic(user: recipient)).encoded(id: 1))
        }
    }

    private func keepPace() {
        guard isSending, perSecond > 0, !pairs.isEmpty else { return }
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
        board.owed.add(1, ordering: .relaxed)
        let text = marker + String(repeating: ".", count: PairsScenario.textBytes - Marker.byteCount)
        senders.sockets[pair].send(ClientCommand.send(text, to: recipients[pair], key: key).encoded(id: 2))
    }

    private func answered(_ heard: Heard, _ socket: LeanSocket) {
        switch heard {
        case .ok where followed < pairs.count:
            followed += 1
            if followed == pairs.count { board.readyLoops.add(1, ordering: .relaxed) }
        case .ok:
            guard let pair = places[socket.index] else { return }
            let now = ContinuousClock.now
            if let start = pairs[pair].starts[pairs[pair].acknowledged.count] { note(0, now - start) }
            pairs[pair].acknowledged.append(now)
        case .refused:
            if followed < pairs.count { board.fail("a follow was refused") }
            refused += 1
        case .ready, .delivery, .ping, .other: break
        }
    }

    private func arrived(_ heard: Heard, _ socket: LeanSocket) {
        guard case .delivery(let number?) = heard, let pair = places[socket.index] else { return }
        let now = ContinuousClock.now
        if let start = pairs[pair].starts[number] { note(1, now - start) }
        // An event may also come before the `ok`, which waits for the sender's own node.
        note(2, pairs[pair].acknowledged[number].map { now - $0 } ?? .zero)
        pairs[pair].arrived.receive(number)
        let done = min(pairs[pair].arrived.next, pairs[pair].acknowledged.count)
        pairs[pair].starts.forget(below: done)
        pairs[pair].acknowledged.forget(below: done)
        board.count.add(1, ordering: .relaxed)
    }

    private func note(_ time: Int, _ duration: Duration) {
        measured[CrossPairs.times[time]]?.record(duration)
    }
}

@available(*, unavailable)
extension CrossMember: Sendable {}
