import EventLoop
import Synchronization

/// Messages sent and returned, one at a time on each connection; with a broker, through a subject of the connection's
/// own.
enum EchoScenario {
    static let payloadBytes = 32
    static let connectionsDefault = 64

    static func run(_ course: Course, connections: Int) throws -> Outcome {
        let board = ScoreBoard()
        let target = LoadTarget(server: course.server, dialect: course.dialect)
        let crew = try Crew.start(course.loopCount, connections: connections, board: board) { loop, index in
            let indices = course.share(of: connections, loop: index)
            return EchoMember(SocketGroup(on: loop, target, as: .echo, indices: indices, board: board), board: board)
        }
        return try course.measure(
            "echo", "\(payloadBytes) B, \(connections.grouped) connections", connections: connections, crew: crew,
            times: ["there and back"])
    }
}

/// - Confinement: loop
private final class EchoMember: CrewMember {
    private let group: SocketGroup
    private let board: ScoreBoard
    private var orders: [ArrivalOrder] = []
    /// Messages sent on each connection.
    private var sent: [Int] = []
    private var sentAt: [ContinuousClock.Instant] = []
    private var places: [Int: Int] = [:]
    private var times = Latencies()
    private var isSending = false

    init(_ group: SocketGroup, board: ScoreBoard) {
        self.group = group
        self.board = board
        group.onReady = { board.readyLoops.add(1, ordering: .relaxed) }
        group.onHeard = { [unowned self] heard, socket in receive(heard, socket) }
    }

    func connect() { group.connect() }

    func begin() {
        isSending = true
        orders = Array(repeating: ArrivalOrder(), count: group.sockets.count)
        sent = Array(repeating: 0, count: group.sockets.count)
        sentAt = Array(repeating: .now, count: group.sockets.count)
        for (place, socket) in group.sockets.enumerated() {
            places[socket.index] = place
            send(place, socket)
        }
    }

    func measure() { times.forget() }

    func finish() { isSending = false }

    func close() {
        board.add(times, as: "there and back")
        // One message per connection may still be on its way, unless the load has settled.
        for (order, sent) in zip(orders, sent) { order.close(sent: isSending ? order.next : sent, on: board) }
    }

    private func send(_ place: Int, _ socket: LeanSocket) {
        sentAt[place] = .now
        board.owed.add(1, ordering: .relaxed)
        let payload = Marker.bytes(sent[place])
        sent[place] += 1
        socket.publish(payload + [UInt8](repeating: 0x2E, count: EchoScenario.payloadBytes - payload.count))
    }

    private func receive(_ heard: Heard, _ socket: LeanSocket) {
        guard case .delivery(let number) = heard, let place = places[socket.index] else { return }
        guard let number else { return board.fail("an echo came back without its number") }
        // A repeated answer answers nothing: it is not counted, and no message follows it.
        let isAnswer = number == orders[place].next
        orders[place].receive(number)
        guard isAnswer else { return }
        times.record(.now - sentAt[place])
        board.count.add(1, ordering: .relaxed)
        if isSending { send(place, socket) }
    }
}

@available(*, unavailable)
extension EchoMember: Sendable {}
