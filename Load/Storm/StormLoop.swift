import Client
import EventLoop
import JSON
import Model

/// One loop's share of a storm: clients, and the feeders who write to them.
///
/// - Confinement: loop
final class StormLoop {
    /// What the main thread wants, in this order.
    enum Order: Sendable {
        /// Open everything, a few at a time, and the first message of every chat.
        case connect
        /// Half of the clients go; they come back in the storm.
        case sendAway
        /// So many messages to each client.
        case feed(rounds: Int)
        /// A message now and then, also in the storm, until told to stop.
        case drip(Bool)
        /// All who are away, or will be cut off, are awaited from now on.
        case awaitAll
        /// All who are away come, at once.
        case storm
        /// Close the books and end.
        case finish(notices: Int64, since: ContinuousClock.Instant)
    }

    /// Connections under way at once before the storm.
    private static let openingMax = 64
    /// One message in so many milliseconds while it drips.
    private static let dripMilliseconds: Int64 = 10
    /// Connections from one source address, which has about 28,000 ports.
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
    /// Whether everybody is to come: who loses his connection now connects at once.
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

    func makeSession(_ configuration: ClientSessionConfiguration, for user: UserID, index: Int) -> ClientSession {
        let from = try? SocketAddress(host: "127.0.0.\(1 + index / Self.perAddressMax)", port: 0)
        return ClientSession(
            on: loop, server: plan.server, configuration: configuration, from: index < Self.perAddressMax ? nil : from
        ) { [mint = plan.mint] in mint.token(for: user) }
    }

    func fail(_ reason: String) { board.fail(reason) }

    /// A client has all that it missed.
    func live(_ client: StormClient) {
        liveCount += 1
        if !areChatsOpen { openNext() }
    }

    /// A connection is gone.
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
