import Client
import EventLoop
import JSON
import Model
import Session

/// One loop's share of a storm: clients, and the feeders that write to them.
///
/// - Confinement: loop
final class StormLoop {
    /// The main thread's commands, in this order.
    enum Order: Sendable {
        /// Open all connections, a few at a time, and send the first message of every chat.
        case connect
        /// Half of the clients disconnect; they come back in the storm.
        case sendAway
        /// Send this many messages to each client.
        case feed(rounds: Int)
        /// Begin or stop to send a message from time to time, also in the storm.
        case drip(Bool)
        /// From now on, all clients that are away or will be cut off must come back.
        case awaitAll
        /// All clients that are away connect at once.
        case storm
        /// Deliver the results and end.
        case finish(notices: Int64, since: ContinuousClock.Instant)
    }

    /// The most connections that are being opened at once before the storm.
    private static let openingMax = 64
    /// Milliseconds between two messages of the drip.
    private static let dripMilliseconds: Int64 = 10
    /// The most connections from one source address, which has about 28,000 ports.
    private static let perAddressMax = 25_000

    private let loop: Loop
    private let plan: StormPlan
    private let board: StormBoard
    private var clients: [StormClient] = []
    private var feeders: [StormFeeder] = []
    private var opened = 0
    private var liveCount = 0
    private var areChatsOpen = false
    private var timer: LoopTimer?
    private var isDripping = false
    private var dripped = 0
    /// Whether the storm has begun: a client that loses its connection now reconnects at once.
    private(set) var isStorming = false

    init(_ number: Int, on loop: Loop, plan: StormPlan, board: StormBoard) {
        self.loop = loop
        self.plan = plan
        self.board = board
        for index in stride(from: number, to: plan.clients, by: plan.loops) {
            guard let user = plan.user("c\(index)") else { continue }
            clients.append(StormClient(index, user: user, of: self))
        }
        let feederCount = min(StormPlan.feedersMax, max(1, clients.count / 16))
        for feeder in 0..<feederCount {
            guard let user = plan.user("f\(number)-\(feeder)") else { continue }
            let share = stride(from: feeder, to: clients.count, by: feederCount).map { clients[$0] }
            feeders.append(StormFeeder(user, to: share, of: self))
        }
    }

    func receive(_ order: Order) {
        switch order {
        case .connect: connect()
        case .sendAway: for client in clients where plan.goesAway(client.index) { client.stop() }
        case .feed(let rounds): for feeder in feeders { feeder.feed(rounds: rounds) }
        case .drip(let isOn): isDripping = isOn
        case .awaitAll: for client in clients where !plan.staysConnected(client.index) { client.await() }
        case .storm:
            isStorming = true
            for client in clients { client.start(reconnects: true) }
        case .finish(let notices, let since): finish(notices, since)
        }
    }

    /// - Parameter isAway: whether it connects before the storm to the server that will be killed, if that is another one.
    func makeSession(
        _ configuration: ClientSessionConfiguration, for user: UserID, index: Int, isAway: Bool = false
    ) -> ClientSession {
        let server = isAway && !isStorming ? plan.before ?? plan.server : plan.server
        let from = try? SocketAddress(host: "127.0.0.\(1 + index / Self.perAddressMax)", port: 0)
        return ClientSession(
            on: loop, server: server, configuration: configuration, from: index < Self.perAddressMax ? nil : from
        ) { [mint = plan.mint] in mint.token(for: user) }
    }

    func fail(_ reason: String) { board.fail(reason) }

    /// Called when a client has got everything that it missed.
    func live(_ client: StormClient) {
        liveCount += 1
        if !areChatsOpen { openNext() }
    }

    /// Called when a connection has ended.
    func ended(_ end: TransportEnd, wasOnline: Bool) { board.ended(end, wasOnline: wasOnline) }

    private func connect() {
        for feeder in feeders { feeder.start() }
        for _ in 0..<Self.openingMax { openNext() }
        let timer = LoopTimer(on: loop) { [unowned self] in tick() }
        timer.start(afterMilliseconds: Self.dripMilliseconds, repeatingMilliseconds: Self.dripMilliseconds)
        self.timer = timer
    }

    private func openNext() {
        guard opened < clients.count else { return }
        opened += 1
        clients[opened - 1].start(reconnects: plan.mode != .kill)
    }

    private func tick() {
        if !areChatsOpen, liveCount == clients.count {
            areChatsOpen = true
            for feeder in feeders { feeder.openChats() }
        }
        if isDripping {
            dripped += 1
            feeders[dripped % feeders.count].feedOne()
        }
        board.set(status, loop: ObjectIdentifier(self))
    }

    private var status: StormBoard.Status {
        StormBoard.Status(
            live: clients.count(where: \.isLive), awaited: clients.count(where: \.isAwaited),
            acknowledged: feeders.reduce(0) { $0 + $1.acknowledgedCount },
            pending: feeders.reduce(0) { $0 + $1.pendingCount },
            received: clients.reduce(0) { $0 + $1.ledger.messages },
            noticed: clients.reduce(0) { $0 + $1.ledger.notices })
    }

    private func finish(_ notices: Int64, _ since: ContinuousClock.Instant) {
        timer?.close()
        timer = nil
        var books = StormBooks()
        for feeder in feeders {
            for (client, written) in feeder.books {
                books.add(client, client.close(messages: written, notices: notices), since: since)
            }
        }
        board.add(books)
        for client in clients { client.stop() }
        for feeder in feeders { feeder.stop() }
    }
}

@available(*, unavailable)
extension StormLoop: Sendable {}
