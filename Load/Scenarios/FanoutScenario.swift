import EventLoop
import Model
import Session
import Synchronization

/// Publications to all connections; the next one is sent when the window allows it or when it is due.
struct FanoutScenario: Sendable {
    static let connectionsDefault = 1_000
    static let times = ["publish → one", "publish → all"]
    /// The name for times of the second of two topics that take turns.
    static let secondTime = "publish to the second → all"

    /// The name of the scenario in the results.
    var scenario = "fanout"
    var connections: Int
    /// The most publications whose last delivery has not arrived yet.
    var window = 1
    /// Publications a second; nil to send as many as the window allows.
    var rate: Double?
    /// The audience of WatchWise's publications; peers have only one topic.
    var audience = Audience.topic

    enum Audience: Sendable {
        /// A topic of this run, which all connections follow.
        case topic
        /// An existing topic with more followers than are online.
        case named(Topic)
        /// Two topics that all connections follow and that take turns, so that both are measured at nearly the same
        /// time, over the same connections.
        case byTurns(Topic, Topic)
        case everyone
    }

    var detail: String {
        let pace = rate.map { "\(Figures.short($0)) publications/s" } ?? "\(window) under way"
        return "1 → \(connections.grouped), \(pace)"
    }

    /// Runs the measurement.
    func run(_ course: Course) throws -> Outcome {
        let crew = try crew(course)
        var outcome = try course.measure(
            scenario, detail, connections: connections, crew: crew, times: Self.times, isPaced: rate != nil)
        outcome.unit = "deliveries"
        return outcome
    }

    /// Connects the receivers and the publisher.
    func crew(_ course: Course) throws -> Crew {
        let board = ScoreBoard()
        let topics: [Topic] =
            switch audience {
            case .topic: [Topic(kind: "station", id: "load-\(course.run)-\(connections)-\(window)")].compactMap(\.self)
            case .named(let topic): [topic]
            case .byTurns(let first, let second): [first, second]
            case .everyone: []
            }
        let target = course.target { "fan-\($0)" }
        let office = PublishingOffice()
        return try Crew.start(course.loopCount, connections: connections, board: board) { [self] loop, index in
            let indices = course.share(of: connections, loop: index)
            let group = SocketGroup(on: loop, target, as: .subscriber, indices: indices, board: board)
            let publisher = index == 0 ? Publisher(self, course, topics: topics, on: loop, board, office) : nil
            return FanoutMember(
                group, board: board, office: office, topics: course.dialect == .watchwise ? topics : [],
                lanes: course.dialect == .watchwise ? window : 1, publisher: publisher)
        }
    }
}

/// The state that the loops of a fan-out share: when each publication began. A number consists of its lane and its
/// place there.
/// - Confinement: any
final class PublishingOffice: Sendable {
    static let perLane = 100_000_000

    private let starts = Mutex<[Int: ContinuousClock.Instant]>([:])
    private let sent = Mutex<[Int]>([])

    func note(_ number: Int, at time: ContinuousClock.Instant) { starts.withLock { $0[number] = time } }

    func start(of number: Int) -> ContinuousClock.Instant? { starts.withLock { $0[number] } }

    /// How many publications each lane made; complete when the lane has ended.
    var sentByLane: [Int] {
        get { sent.withLock { $0 } }
        set { sent.withLock { $0 = newValue } }
    }
}

/// - Confinement: loop
private final class FanoutMember: CrewMember {
    /// The deliveries of every nth connection are timed.
    private static let timedEvery = 16

    private let group: SocketGroup
    private let board: ScoreBoard
    private let office: PublishingOffice
    private let topics: [Topic]
    private let publisher: Publisher?
    private let lanes: Int
    private var orders: [ArrivalOrder] = []
    private var places: [Int]
    private var followed = 0
    private var times = Latencies()

    init(
        _ group: SocketGroup, board: ScoreBoard, office: PublishingOffice, topics: [Topic], lanes: Int,
        publisher: Publisher?
    ) {
        self.group = group
        self.board = board
        self.office = office
        self.topics = topics
        self.lanes = lanes
        self.publisher = publisher
        places = []
        group.onReady = { [unowned self] in follow() }
        group.onHeard = { [unowned self] heard, socket in receive(heard, socket) }
    }

    func connect() {
        publisher?.connect()
        group.connect()
    }

    func begin() { publisher?.begin() }

    func measure() {
        times.forget()
        publisher?.measure()
    }

    func finish() { publisher?.finish() }

    func close() {
        publisher?.close()
        board.add(times, as: FanoutScenario.times[0])
        let sent = office.sentByLane
        for (place, order) in orders.enumerated() {
            let lane = place % lanes
            order.close(sent: sent.indices.contains(lane) ? sent[lane] : order.next, on: board)
        }
    }

    private func follow() {
        orders = Array(repeating: ArrivalOrder(), count: group.sockets.count * lanes)
        places = Array(repeating: 0, count: (group.sockets.map(\.index).max() ?? -1) + 1)
        for (place, socket) in group.sockets.enumerated() { places[socket.index] = place }
        guard !topics.isEmpty, !group.sockets.isEmpty else {
            board.readyLoops.add(1, ordering: .relaxed)
            return
        }
        for topic in topics {
            let command = ClientCommand.follow(topic).encoded(id: 1)
            for socket in group.sockets { socket.send(command) }
        }
    }

    private func receive(_ heard: Heard, _ socket: LeanSocket) {
        switch heard {
        case .delivery(let number?):
            if socket.index % Self.timedEvery == 0, let start = office.start(of: number) { times.record(.now - start) }
            let lane = number / PublishingOffice.perLane
            guard lane < lanes else { return board.fail("a publication arrived that nobody made") }
            orders[places[socket.index] * lanes + lane].receive(number % PublishingOffice.perLane)
            board.count.add(1, ordering: .relaxed)
            publisher?.delivered()
        case .ok:
            followed += 1
            if followed == group.sockets.count * topics.count { board.readyLoops.add(1, ordering: .relaxed) }
        case .refused: board.fail("the server refused to let a connection follow")
        case .delivery, .ready, .ping, .other: break
        }
    }
}

@available(*, unavailable)
extension FanoutMember: Sendable {}
