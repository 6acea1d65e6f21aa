import EventLoop
import Synchronization

/// Messages sent and back, one under way on each connection. With a broker: through a subject of the connection's own.
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
        // One is under way on each connection unless the load has settled.
        for order in orders { order.close(sent: order.next, on: board) }
        board.add(.lost, isSending ? 0 : orders.count - arrivedLast)
    }

    /// Connections whose last message came back after `finish`.
    private var arrivedLast = 0

    private func send(_ place: Int, _ socket: LeanSocket) {
        sentAt[place] = .now
        board.owed.add(1, ordering: .relaxed)
        let payload = Marker.bytes(orders[place].next)
        socket.publish(payload + [UInt8](repeating: 0x2E, count: EchoScenario.payloadBytes - payload.count))
    }

    private func receive(_ heard: Heard, _ socket: LeanSocket) {
        guard case .delivery(let number) = heard, let place = places[socket.index] else { return }
        times.record(.now - sentAt[place])
        board.count.add(1, ordering: .relaxed)
        guard let number else { return board.fail("an echo came back without its number") }
        orders[place].receive(number)
        if isSending { send(place, socket) } else { arrivedLast += 1 }
    }
}

@available(*, unavailable)
extension EchoMember: Sendable {}
