import ClientProtocol
import JSON
import Model
import Session

/// The one that connects: the machines of the session and of the outbox, with a socket, timers and the store.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class Engine {
    let settings: EngineSettings
    let store: DeviceStore
    private(set) weak var owner: (any EngineOwner)?
    private let makeTransport: @Sendable (TransportInbox) throws -> any SessionTransport
    private let token: TokenSource

    var session: ClientSessionState?
    var outbox: Outbox
    /// Replies, by the number of the command.
    var replyHandlers: [Int64: (ClientReply) -> Void] = [:]
    var hello: ClientHello?
    /// The server's time in milliseconds since 1970, less the clock's ticks.
    var offset: Int64 = 0
    /// Up to where the store has everything.
    var cursor: ResumePoint?
    /// Events on their way into the store.
    var batch = EventBatch()
    var isHolding = false
    var isStopped = false
    private(set) lazy var fetching = Fetching(self)

    private var transport: (any SessionTransport)?
    private let inbox = TransportInbox()
    private var receiving: Task<Void, Never>?
    private var connection = 0
    private var toldStatus = ClientSessionStatus.idle
    private var todo: [ClientSessionAction] = []
    private var isPerforming = false
    private var tokenAsked: Task<String?, any Error>?
    private var connectToken: Task<String?, any Error>?
    private var isSystemOffline = false
    private var isVisible = true
    private var replacedAt: [Int64] = []
    private let sessionTimer: Deadline
    let outboxTimer: Deadline
    let batchTimer: Deadline

    init(
        _ settings: EngineSettings, _ store: DeviceStore, owner: any EngineOwner, token: @escaping TokenSource,
        transport: @escaping @Sendable (TransportInbox) throws -> any SessionTransport
    ) {
        self.settings = settings
        self.store = store
        self.owner = owner
        self.token = token
        makeTransport = transport
        var configuration = Outbox.Configuration(user: settings.user)
        configuration.asksAboutConflicts = settings.asksAboutConflicts
        outbox = Outbox(configuration, chance: Chance(seed: settings.seed))
        sessionTimer = Deadline(settings.clock)
        outboxTimer = Deadline(settings.clock)
        batchTimer = Deadline(settings.clock)
        sessionTimer.fire = { [weak self] in self?.input { $0.tick(at: $1) } }
        outboxTimer.fire = { [weak self] in self?.feed { _, _ in } }
        batchTimer.fire = { [weak self] in self?.flush() }
    }

    var now: Int64 { settings.clock.ticks() }
    var isLive: Bool { session?.status == .live }
    var state: ConnectionState { ConnectionState(session?.status ?? .idle, at: now) }

    /// Reads the store.
    /// - Parameter isForeign: Whether the store is a copy of one that another device uses.
    func start(isForeign: Bool = false) throws {
        let (cursor, preferences, entries) = try store.read { reader in
            (try reader.note("cursor").flatMap(ResumePoint.init), try reader.note("preferences"), try reader.entries())
        }
        self.cursor = cursor
        feed { outbox, _ in
            outbox.restore(entries, isForeign: isForeign)
            if let preferences { outbox.fetched(preferences: preferences) }
            if cursor == nil { outbox.reset() }
        }
        try fetching.load()
    }

    /// Connects, and goes on connecting.
    /// - Throws: ``WatchWiseError`` when the server's address is not valid.
    func connect() throws {
        if isStopped { return }
        if let session, !session.isEnded { return }
        if transport == nil {
            transport = try makeTransport(inbox)
            receive()
        }
        var configuration = ClientSessionConfiguration(device: settings.device)
        configuration.since = cursor
        configuration.locale = settings.locale
        configuration.client = settings.client
        configuration.storesEvents = true
        configuration.returnsAfterReplacement = true
        session = ClientSessionState(configuration, seed: settings.seed &+ UInt64(connection))
        let (offline, visible) = (isSystemOffline, isVisible)
        input { session, now in
            if offline { session.hint(.offline, at: now) }
            session.hint(visible ? .visible : .hidden, at: now)
            session.start(at: now)
        }
    }

    /// Ends the connection; what has come is in the store afterwards.
    func disconnect() {
        guard session != nil else { return }
        toldStatus = .closed  // Of the session; the library is not closed.
        input { session, _ in session.stop() }
        session = nil
        flush()
        toldStatus = .idle
        owner?.engineChanged(to: .idle)
    }

    /// Ends it for good.
    func stop() {
        isStopped = true
        if session != nil {
            toldStatus = .closed
            input { session, _ in session.stop() }
        }
        flush()
        session = nil
        for timer in [sessionTimer, outboxTimer, batchTimer] { timer.set(nil) }
        receiving?.cancel()
        inbox.finish()
        transport?.shutDown()
        let handlers = replyHandlers.values
        replyHandlers = [:]
        for handler in handlers { handler(.lost) }
    }

    /// Takes a word of the system.
    func hint(_ hint: ClientSessionState.Hint) {
        switch hint {
        case .offline, .online: isSystemOffline = hint == .offline
        case .visible, .hidden: isVisible = hint == .visible
        case .woke: break
        }
        input { session, now in session.hint(hint, at: now) }
    }

    // MARK: The session

    /// Gives something to the session and performs what it asks for.
    func input(_ change: (inout ClientSessionState, Int64) -> Void) {
        guard var state = session.take() else { return }
        change(&state, now)
        session = state
        perform()
    }

    /// Submits a command; the handler gets its reply at its place among the events.
    func submit(_ command: ClientCommand, then handler: @escaping (ClientReply) -> Void) {
        guard session != nil else { return handler(.lost) }
        input { session, now in replyHandlers[session.submit(command, at: now)] = handler }
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
        sessionTimer.set(isStopped ? nil : session?.nextDeadline)
        tellState()
    }

    private func act(_ action: ClientSessionAction) {
        switch action {
        case .connect: openSocket()
        case .send(let message): transport?.send(message)
        case .disconnect(let code):
            transport?.close(code: code)
            connection += 1  // Its events do not matter any more.
            session?.transportEnded(.lost(nil), at: now)
        case .renewToken: renewToken()
        case .reached(let point): push(.reached(point))
        case .report(let report): take(report)
        }
    }

    private func tellState() {
        guard let status = session?.status, status != toldStatus else { return }
        toldStatus = status
        owner?.engineChanged(to: state)
        if status == .live { Task { await wentLive() } }
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
        for (number, event) in events where number == connection {
            switch event {
            case .opened: opened(number)
            case .received(let message): input { $0.receive(message, at: $1) }
            case .heard: input { $0.heard(at: $1) }
            case .ended(let end): input { $0.transportEnded(end, at: $1) }
            }
        }
        if isLive { flush() }
    }

    // MARK: Tokens

    private func openSocket() {
        connection += 1
        let number = connection
        let asked = Task { try await askToken(.connect) }
        connectToken = asked
        transport?.open(number)
        Task {
            guard case .failure(let error) = await asked.result, number == connection else { return }
            transport?.close(code: 1000)
            connection += 1
            input { $0.transportEnded(.lost("the source of tokens failed: \(error)"), at: $1) }
        }
    }

    private func opened(_ number: Int) {
        guard let connectToken else { return }
        Task {
            guard case .success(let token) = await connectToken.result, number == connection else { return }
            flush()  // The cursor that is named is the store's.
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

    /// One question for all that wait.
    private func askToken(_ reason: TokenReason) async throws -> String? {
        if let tokenAsked { return try await tokenAsked.value }
        let asked = Task { [token] in try await token(reason) }
        tokenAsked = asked
        defer { tokenAsked = nil }
        return try await asked.value
    }

    // MARK: Reports

    private func take(_ report: ClientSessionReport) {
        switch report {
        case .online(let hello): online(hello)
        case .live(let position): reached(position)
        case .reset(let reason):
            feed { outbox, _ in outbox.reset() }
            owner?.engineReceived(["type": "reset", "reason": .string(reason)])
        case .event(let event): receive(event)
        case .reply(let id, let reply): replyHandlers.removeValue(forKey: id)?(reply)
        case .violation(let violation):
            owner?.engineReceived(["type": "violation", "violation": .string("\(violation)")])
        case .offline(let end, _): offline(end)
        case .ended: offline(nil)
        }
    }

    private func online(_ hello: ClientHello) {
        self.hello = hello
        if let time = hello.body["time"]?.stringValue.flatMap(Timestamp.init) { offset = time.milliseconds - now }
        push(
            .event([
                "type": "unread", "chats": .integer(hello.unread.chats),
                "notifications": .integer(hello.unread.notifications),
            ]))
    }

    private func reached(_ position: Position) {
        guard let epoch = hello?.epoch else { return }
        if session?.fetchedAt != nil {
            let number = connection
            Task { await refetch(ResumePoint(epoch: epoch, seq: position), number) }
        } else {
            push(.reached(ResumePoint(epoch: epoch, seq: position)))
        }
    }

    private func receive(_ event: ClientEvent) {
        guard event.position != nil else {
            if event.type == "unread" { return push(.event(event.body)) }
            if event.type == "unwatched" { fetching.unwatched(event.body) }
            owner?.engineReceived(event.body)
            return
        }
        settle(event.body)
        push(.event(event.body))
    }

    private func offline(_ end: TransportEnd?) {
        feed { outbox, _ in outbox.offline() }
        if case .closed(CloseCode.replaced.rawValue, _) = end { noteReplaced() }
        isHolding = false
        fetching.disconnected()
    }

    /// This many replacements within a minute show that another device bears the same name.
    private func noteReplaced() {
        replacedAt = replacedAt.filter { now - $0 < 60_000 } + [now]
        if replacedAt.count >= 3 { owner?.engineIsCopied() }
    }

    /// Watches begin again, then the outbox goes.
    private func wentLive() async {
        let number = connection
        await fetching.watchAgain()
        flush()
        guard number == connection, isLive else { return }
        let time = now + offset
        feed { outbox, now in outbox.live(time: time, at: now) }
    }

    /// The state is fetched and stored in one transaction with the cursor; events wait until then.
    private func refetch(_ point: ResumePoint, _ number: Int) async {
        flush()
        isHolding = true
        while number == connection, !isStopped, !isLive {
            do {
                let changes = try await fetching.everything()
                guard number == connection else { return }
                isHolding = false
                batch.items.insert(.replaced(changes, point), at: 0)
                return flush()
            } catch {
                guard number == connection else { return }
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }
}

extension ResumePoint {
    /// Reads a point as it is stored.
    init?(_ value: JSONValue) {
        guard let epoch = value["epoch"]?.stringValue.flatMap(Epoch.init), let seq = value["seq"]?.integerValue else {
            return nil
        }
        self.init(epoch: epoch, seq: Position(seq))
    }

    var json: JSONValue { ["epoch": .string(epoch.text), "seq": .integer(seq.value)] }
}
