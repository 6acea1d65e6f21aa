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
    let connection: SessionConnection
    let outbox: StoredOutbox
    /// Replies, by the number of the command.
    var replyHandlers: [Int64: (ClientReply) -> Void] = [:]
    var hello: ClientHello?
    /// The history of the connection, once its `hello` is answered: positions before that move nothing.
    private(set) var epoch: Epoch?
    /// The server's time in milliseconds since 1970, less the clock's ticks.
    var offset: Int64 = 0
    /// Up to where the store has everything.
    var cursor: ResumePoint?
    /// Events on their way into the store.
    var batch = EventBatch()
    /// Whether events wait: until the state is fetched, no position may be stored, since it would say that all before it
    /// is here.
    private(set) var isHolding = false
    var isStopped = false
    private(set) lazy var fetching = Fetching(self)

    private var replacedAt: [Int64] = []
    /// How the last connection ended.
    private var connectionEnd: TransportEnd?
    /// The number of the connection that was greeted last: what follows on the same one is a new token.
    private var greeted: Int?
    let batchTimer: Deadline

    init(
        _ settings: EngineSettings, _ store: DeviceStore, owner: any EngineOwner, token: @escaping TokenSource,
        transport: @escaping @Sendable (TransportInbox) throws -> any SessionTransport
    ) {
        self.settings = settings
        self.store = store
        self.owner = owner
        connection = SessionConnection(
            settings.clock, token: AskedToken(token, within: settings.tokenWithin), transport: transport)
        outbox = StoredOutbox(settings, store, owner: owner)
        batchTimer = Deadline(settings.clock)
        outbox.submit = { [weak self] command, handler in
            if let self { submit(command, then: handler) } else { handler(.lost) }
        }
        outbox.wrote = { [weak self] entry, document in
            self?.batch.settling.append(entry)
            self?.push(.document(document))
        }
        batchTimer.fire = { [weak self] in self?.flush() }
        connection.owner = self
    }

    var now: Int64 { settings.clock.ticks() }
    var isLive: Bool { connection.session?.status == .live }
    var state: ConnectionState {
        ConnectionState(connection.session?.status ?? .idle, at: now, after: connectionEnd)
    }

    /// Reads the store.
    /// - Parameter isForeign: Whether the store is a copy of one that another device uses.
    func start(isForeign: Bool = false) throws {
        let (cursor, preferences, limits, entries) = try store.read { reader in
            (
                try reader.note("cursor").flatMap(ResumePoint.init), try reader.note("preferences"),
                try reader.note("limits"), try reader.entries()
            )
        }
        self.cursor = cursor
        outbox.feed { outbox, _ in
            if let most = limits?["messageBytes"]?.integerValue { outbox.limits(messageBytes: most) }
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
        if let session = connection.session, !session.isEnded {
            // The user may have signed in again.
            if session.isRefused { connection.hint(.woke) }
            return
        }
        var configuration = ClientSessionConfiguration(device: settings.device)
        configuration.user = settings.user
        configuration.since = cursor
        configuration.locale = settings.locale
        configuration.client = settings.client
        configuration.storesEvents = true
        configuration.returnsAfterReplacement = true
        configuration.retriesRefusals = true
        configuration.retriesTokens = true
        try connection.start(configuration, seed: settings.seed)
    }

    /// Ends the connection; what has come is in the store afterwards.
    func disconnect() {
        guard connection.session != nil else { return }
        connection.stop()
        flush()
        owner?.engineChanged(to: .idle)
    }

    /// Ends it for good.
    func stop() {
        isStopped = true
        connection.shutDown()
        flush()
        outbox.stop()
        batchTimer.set(nil)
        let handlers = replyHandlers.values
        replyHandlers = [:]
        for handler in handlers { handler(.lost) }
    }

    /// Gives something to the session and performs what it asks for.
    func input(_ change: (inout ClientSessionState, Int64) -> Void) { connection.input(change) }

    /// Submits a command; the handler gets its reply at its place among the events.
    /// - Returns: its number; nil when there is no session, so that it is lost.
    @discardableResult
    func submit(_ command: ClientCommand, then handler: @escaping (ClientReply) -> Void) -> Int64? {
        guard connection.session != nil else {
            handler(.lost)
            return nil
        }
        var number: Int64?
        input { session, now in
            let id = session.submit(command, at: now)
            replyHandlers[id] = handler
            number = id
        }
        return number
    }

    /// Nobody waits for the answer of a command any more: it is not sent, if it has not been sent.
    func withdraw(_ number: Int64) {
        guard replyHandlers.removeValue(forKey: number) != nil else { return }
        input { session, _ in session.abandon(number) }
    }

    private func online(_ hello: ClientHello) {
        self.hello = hello
        epoch = hello.epoch
        if greeted != connection.number, connection.session?.fetchedAt != nil { isHolding = true }
        greeted = connection.number
        if let limits = hello.body["limits"], let most = limits["messageBytes"]?.integerValue {
            outbox.feed { outbox, _ in outbox.limits(messageBytes: most) }
            push(.changes([.note("limits", ["messageBytes": .integer(most)])]))
        }
        if let time = hello.body["time"]?.stringValue.flatMap(Timestamp.init) { offset = time.milliseconds - now }
        push(
            .event([
                "type": "unread", "chats": .integer(hello.unread.chats),
                "notifications": .integer(hello.unread.notifications),
            ]))
    }

    private func reached(_ position: Position) {
        guard let epoch else { return }
        if connection.session?.fetchedAt != nil {
            let number = connection.number
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
        connectionEnd = end
        if isHolding {
            // The next connection begins at the same point, and brings these events again.
            batch.items.removeAll(where: \.hasPosition)
            isHolding = false
        }
        // Its events are stored as those of its epoch.
        flush()
        epoch = nil
        outbox.feed { outbox, _ in outbox.offline(end) }
        if case .closed(CloseCode.replaced.rawValue, _) = end { noteReplaced() }
        fetching.disconnected()
    }

    /// This many replacements within a minute show that another device bears the same name.
    private func noteReplaced() {
        replacedAt = replacedAt.filter { now - $0 < 60_000 } + [now]
        if replacedAt.count >= 3 { owner?.engineIsCopied() }
    }

    /// Watches begin again, then the outbox goes.
    private func wentLive() async {
        let number = connection.number
        await fetching.watchAgain()
        flush()
        guard number == connection.number, isLive else { return }
        let time = now + offset
        outbox.feed { outbox, now in outbox.live(time: time, at: now) }
    }

    /// The state is fetched and stored in one transaction with the cursor; events wait until then.
    private func refetch(_ point: ResumePoint, _ number: Int) async {
        while number == connection.number, !isStopped, !isLive {
            do {
                let changes = try await fetching.everything()
                guard number == connection.number else { return }
                isHolding = false
                batch.items.insert(.replaced(changes, point), at: 0)
                return flush()
            } catch {
                guard number == connection.number else { return }
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }
}

extension Engine: SessionConnectionOwner {
    func take(_ report: ClientSessionReport) {
        switch report {
        case .online(let hello): online(hello)
        case .live(let position): reached(position)
        case .reset(let reason):
            isHolding = true
            outbox.feed { outbox, _ in outbox.reset() }
            owner?.engineReceived(["type": "reset", "reason": .string(reason)])
        case .event(let event): receive(event)
        case .reply(let id, let reply): replyHandlers.removeValue(forKey: id)?(reply)
        case .violation(let violation):
            owner?.engineReceived(["type": "violation", "violation": .string("\(violation)")])
        case .offline(let end, _): offline(end)
        case .ended: offline(nil)
        }
    }

    func reach(_ point: ResumePoint) { push(.reached(point)) }

    func changed(to status: ClientSessionStatus) {
        owner?.engineChanged(to: state)
        if status == .live { Task { await wentLive() } }
    }

    func willSayHello() { flush() }
    func turnEnded() { if isLive { flush() } }
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
