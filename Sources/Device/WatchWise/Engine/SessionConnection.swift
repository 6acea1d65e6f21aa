import ClientProtocol
import Session

/// The owner of a session's connection.
@WatchWiseActor
protocol SessionConnectionOwner: AnyObject {
    /// The session reports something.
    func take(_ report: ClientSessionReport)
    /// The store may move its cursor to here.
    func reach(_ point: ResumePoint)
    /// The session has another state.
    func changed(to status: ClientSessionStatus)
    /// The socket is open: the cursor that is named next must be the store's.
    func willSayHello()
    /// All that came in this turn was taken.
    func turnEnded()
}

/// A session's machine with a socket, a timer and a source of tokens.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class SessionConnection {
    /// The session; nil before `start` and after `stop`.
    private(set) var session: ClientSessionState?
    /// The number of the socket: it counts up with each one that is opened or given up.
    private(set) var number = 0
    weak var owner: (any SessionConnectionOwner)?

    private let clock: ClientClock
    private let makeTransport: @Sendable (TransportInbox) throws -> any SessionTransport
    private let askToken: AskedToken
    private let timer: Deadline
    private var transport: (any SessionTransport)?
    private let inbox = TransportInbox()
    private var receiving: Task<Void, Never>?
    private var toldStatus = ClientSessionStatus.idle
    private var todo: [ClientSessionAction] = []
    private var isPerforming = false
    private var connectToken: Task<String?, any Error>?
    private var isSystemOffline = false
    private var isVisible = true

    init(
        _ clock: ClientClock, token: AskedToken,
        transport: @escaping @Sendable (TransportInbox) throws -> any SessionTransport
    ) {
        self.clock = clock
        askToken = token
        makeTransport = transport
        timer = Deadline(clock)
        timer.fire = { [weak self] in self?.input { $0.tick(at: $1) } }
    }

    private var now: Int64 { clock.ticks() }

    /// Begins a session.
    /// - Throws: ``WatchWiseError`` when the server's address is not valid.
    func start(_ configuration: ClientSessionConfiguration, seed: UInt64) throws {
        if transport == nil {
            transport = try makeTransport(inbox)
            receive()
        }
        session = ClientSessionState(configuration, chance: Chance(seed: seed &+ UInt64(number)))
        let (offline, visible) = (isSystemOffline, isVisible)
        input { session, now in
            if offline { session.hint(.offline, at: now) }
            session.hint(visible ? .visible : .hidden, at: now)
            session.start(at: now)
        }
    }

    /// Ends the session; another one can begin.
    func stop() {
        guard session != nil else { return }
        toldStatus = .closed  // Of the session; the library is not closed.
        input { session, _ in session.stop() }
        session = nil
        timer.set(nil)
        toldStatus = .idle
    }

    /// Ends the socket and its thread, too.
    func shutDown() {
        stop()
        receiving?.cancel()
        inbox.finish()
        transport?.shutDown()
    }

    /// Takes a word of the system, also for sessions to come.
    func hint(_ hint: SystemHint) {
        switch hint {
        case .offline, .online: isSystemOffline = hint == .offline
        case .visible, .hidden: isVisible = hint == .visible
        case .woke: break
        }
        input { session, now in session.hint(hint, at: now) }
    }

    /// Gives something to the session and performs what it asks for.
    func input(_ change: (inout ClientSessionState, Int64) -> Void) {
        guard var state = session.take() else { return }
        change(&state, now)
        session = state
        perform()
    }

    private func perform() {
        todo += session?.takeActions() ?? []
        guard !isPerforming else { return }
        isPerforming = true
        var next = 0
        while next < todo.count {
            let action = todo[next]
            next += 1
            act(action)
            todo += session?.takeActions() ?? []
        }
        todo = []
        isPerforming = false
        timer.set(session?.nextDeadline)
        tellState()
    }

    private func act(_ action: ClientSessionAction) {
        switch action {
        case .connect: openSocket()
        case .send(let message): transport?.send(message)
        case .disconnect(let code):
            transport?.close(code: code)
            number += 1  // Its events do not matter any more.
            session?.transportEnded(.lost(nil), at: now)
        case .renewToken: renewToken()
        case .reached(let point): owner?.reach(point)
        case .report(let report): owner?.take(report)
        }
    }

    private func tellState() {
        guard let status = session?.status, status != toldStatus else { return }
        toldStatus = status
        owner?.changed(to: status)
    }

    private func receive() {
        receiving = Task { [weak self, inbox] in
            for await _ in inbox.signals {
                guard let self else { return }
                take(inbox.take())
            }
        }
    }

    private func take(_ events: [(connection: Int, event: TransportEvent)]) {
        for (connection, event) in events where connection == number {
            switch event {
            case .opened: opened(connection)
            case .received(let message): input { $0.receive(message, at: $1) }
            case .heard: input { $0.heard(at: $1) }
            case .ended(let end): input { $0.transportEnded(end, at: $1) }
            }
        }
        owner?.turnEnded()
    }

    // MARK: Tokens

    private func openSocket() {
        number += 1
        let opened = number
        let asked = Task { try await askToken(.connect) }
        connectToken = asked
        transport?.open(opened)
        Task {
            guard case .failure(let error) = await asked.result, opened == number else { return }
            transport?.close(code: 1000)
            number += 1
            input { $0.transportEnded(.lost("the source of tokens failed: \(error)"), at: $1) }
        }
    }

    private func opened(_ connection: Int) {
        guard let connectToken else { return }
        Task {
            guard case .success(let token) = await connectToken.result, connection == number else { return }
            owner?.willSayHello()
            input { $0.opened(token: token, at: $1) }
        }
    }

    private func renewToken() {
        Task {
            do {
                let token = try await askToken(.expiring)
                input { $0.renew(token: token, at: $1) }
            } catch {
                input { session, _ in session.renewalFailed() }
            }
        }
    }
}
