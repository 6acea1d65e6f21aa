import CNATS
package import EventLoop

/// The only code that talks to NATS: it appends to the journal, reads it in order, asks about its stream, and carries
/// signals between nodes.
///
/// It connects to one of several servers, and again for ever. A thread of its own opens connections; it and libnats'
/// threads only post values into a mailbox of the owner's loop. Everything else runs on that loop, which also reads and
/// writes the socket: a message comes to its owner in the turn in which it is read, and no thread is woken for it.
///
/// Its owner must `close()` it before the loop stops.
/// - Confinement: loop
@safe
package final class JournalClient {
    /// libnats' version, for example `3.4.1`.
    package static var libraryVersion: String { unsafe String(cString: nats_GetVersion()) }

    let loop: Loop
    /// The place of the journal.
    package let options: JournalOptions
    /// The counts so far.
    package internal(set) var counts = JournalCounts()
    /// The server of the open connection; nil without one.
    package private(set) var server: JournalServer?
    private let events: (JournalLinkEvent) -> Void
    private let inputs = Mailbox<LinkInput>()
    private let opener: (thread: LoopThread, orders: Mailbox<ConnectionOpener.Order>)
    private(set) var connection: NATSConnection?
    let requests: OpenRequests
    /// The socket of the open connection.
    private var watcher: SocketWatcher?
    /// Signals wanted.
    var signals: [SignalSubscription] = []
    /// All reads that were not ended.
    var reads: [JournalReader] = []
    private var timer: LoopTimer?
    private var connectionNumber = 1
    private var subscriptionNumber = 0
    private var pause = JournalLimits.pauseMilliseconds.lowerBound
    private var openAt: Int64?
    private var openedAt: Int64 = 0
    private var tickedAt: Int64
    private var reported: Set<String> = []

    /// Starts to connect.
    /// - Parameters:
    ///   - loop: The loop of the calling thread.
    ///   - first: A number by chance: the address to begin with.
    ///   - events: Called on the loop, never during a call of the owner.
    /// - Throws: when there is no thread or descriptor.
    package init(
        on loop: Loop, _ options: JournalOptions, beginning first: Int = 0,
        _ events: @escaping (JournalLinkEvent) -> Void
    ) throws {
        loop.preconditionOnLoop()
        self.loop = loop
        self.options = options
        self.events = events
        tickedAt = loop.now
        requests = OpenRequests(on: loop)
        opener = try ConnectionOpener.start(options, beginning: first, into: inputs)
        timer = LoopTimer(on: loop) { [unowned self] in tick() }
        timer?.start(
            afterMilliseconds: JournalLimits.tickMilliseconds, repeatingMilliseconds: JournalLimits.tickMilliseconds
        )
        try inputs.open(
            taking: { [unowned self] batch in
                for input in batch { take(input) }
                batch.removeAll(keepingCapacity: true)
            },
            on: loop
        )
        opener.orders.post(.open(number: connectionNumber))
    }

    deinit { precondition(timer == nil, "JournalClient was dropped without close()") }

    /// Ends all requests (with `noAnswer`, appends with `unknown`), reads and subscriptions; waits until the connection
    /// is closed, at most as long as a connection may take to open. Nothing is called afterwards.
    package func close() {
        guard let timer else { return }
        loop.preconditionOnLoop()
        timer.close()
        self.timer = nil
        unwatch()
        if let connection { opener.orders.post(.close(connection)) }
        opener.orders.post(.end)
        connection = nil
        server = nil
        inputs.close()
        for reader in reads { reader.stop() }
        signals = []
        requests.close()
        opener.thread.join()
    }

    /// A number for a subscription; unique in this client.
    func nextNumber() -> Int {
        subscriptionNumber += 1
        return subscriptionNumber
    }

    private func take(_ input: LinkInput) {
        // The owner may have closed the client while it took an earlier input.
        guard timer != nil else { return }
        switch input {
        case .opened(let connection, let server, let address): opened(connection, server, address)
        case .unfit(let sentence): report(.unfit(sentence))
        case .failed(let reason):
            rest()
            report(.disconnected(reason: reason))
        case .closed(let number, let reason):
            if number == connectionNumber { closed(reason) }
        case .trouble(let number, let reason):
            if number == connectionNumber { events(.trouble(reason)) }
        case .unwritten(let number):
            if number == connectionNumber { write() }
        }
    }

    private func opened(_ connection: NATSConnection, _ server: JournalServer, _ address: JournalAddress) {
        guard connection.number == connectionNumber else { return }
        self.connection = connection
        self.server = server
        counts.connections += 1
        openedAt = loop.now
        reported = []
        watch(connection)
        guard requests.begin(on: connection) else { return }
        for signal in signals { signal.begin(on: connection) }
        events(.connected(server, address))
        for reader in reads { reader.connected() }
    }

    /// Ends the open connection, and goes to the next address: its server does not do what it should.
    package func changeServer(because reason: String) {
        loop.preconditionOnLoop()
        if connection != nil, options.addresses.count > 1 { closed(reason) }
    }

    private func closed(_ reason: String) {
        let ended = connection
        unwatch()
        connection = nil
        server = nil
        connectionNumber += 1
        for signal in signals { signal.end() }
        for reader in reads { reader.disconnected() }
        requests.endAll()
        if let ended { opener.orders.post(.close(ended)) }
        // A server that ends each connection soon is not asked all the time.
        if loop.now - openedAt > JournalLimits.pauseMilliseconds.upperBound {
            pause = JournalLimits.pauseMilliseconds.lowerBound
            openAt = loop.now
        } else {
            rest()
        }
        report(.disconnected(reason: reason))
    }

    /// Opens the next connection after a pause, which grows.
    private func rest() {
        openAt = loop.now + pause
        pause = min(pause * 2, JournalLimits.pauseMilliseconds.upperBound)
    }

    // MARK: The socket

    private func watch(_ connection: NATSConnection) {
        do {
            watcher = try SocketWatcher(on: loop, descriptor: connection.descriptor) { [unowned self] ready in
                if ready.contains(.writing) { write() }
                if ready.contains(.reading) { read() }
            }
            watcher?.wait(for: .reading)
        } catch {
            // It is closed as if the server had ended it.
            inputs.post(.closed(connection: connection.number, reason: "the socket cannot be watched: \(error)"))
        }
    }

    private func unwatch() {
        watcher?.close()
        watcher = nil
    }

    /// Takes what has come, and hands it to those who wait for it.
    private func read() {
        connection?.read()
        requests.receive()
        // Owners begin and end reads and subscriptions meanwhile, and may close the client.
        for reader in reads { reader.receive() }
        for signal in signals where timer != nil { signal.receive() }
    }

    /// Writes what waits, and waits for the kernel to take the rest.
    private func write() {
        guard let connection else { return }
        connection.write()
        watcher?.wait(for: connection.bufferedBytes > 0 ? [.reading, .writing] : .reading)
    }

    /// Reports each text once until a connection is open.
    private func report(_ event: JournalLinkEvent) {
        if reported.insert(event.description).inserted { events(event) }
    }

    private func tick() {
        let now = loop.now
        defer { tickedAt = now }
        // After a loop has stood still, answers wait in the mailbox that are not late: they are taken before the next tick.
        guard now - tickedAt < JournalLimits.standstillMilliseconds else { return }
        if let at = openAt, at <= loop.now {
            openAt = nil
            connectionNumber += 1
            opener.orders.post(.open(number: connectionNumber))
        }
        requests.tick(now: loop.now)
        for reader in reads { reader.tick() }
    }
}

@available(*, unavailable)
extension JournalClient: Sendable {}
