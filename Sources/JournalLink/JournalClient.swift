import CNATS
package import EventLoop

/// The only code that talks to NATS: it appends to the journal, reads it in order, asks about its stream, and carries
/// signals between nodes.
///
/// It connects to one of several servers, and again for ever. A thread of its own opens connections; libnats' threads
/// bring messages. Both only post values into a mailbox of the owner's loop, on which everything else runs.
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
    /// Signals wanted, by the number of their sink.
    var signals: [Int: SignalSubscription] = [:]
    /// Reads, by the number of their sink of this round.
    var readers: [Int: JournalReader] = [:]
    /// All reads that were not ended.
    var reads: [JournalReader] = []
    private var timer: LoopTimer?
    private var connectionNumber = 1
    private var sinkNumber = 0
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
                for reader in reads { reader.deliver() }
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
        if let connection { opener.orders.post(.close(connection)) }
        opener.orders.post(.end)
        connection = nil
        server = nil
        inputs.close()
        for reader in reads { reader.stop() }
        signals = [:]
        requests.close()
        opener.thread.join()
    }

    /// A number for a new sink.
    func nextSink(messagesMax: Int, bytesMax: Int) -> NATSSink {
        sinkNumber += 1
        return NATSSink(number: sinkNumber, into: inputs, messagesMax: messagesMax, bytesMax: bytesMax)
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
        case .message(let sink, let message):
            sink.release(message.bytes.count)
            receive(message, from: sink)
        }
    }

    private func opened(_ connection: NATSConnection, _ server: JournalServer, _ address: JournalAddress) {
        guard connection.number == connectionNumber else { return }
        self.connection = connection
        self.server = server
        counts.connections += 1
        openedAt = loop.now
        reported = []
        let sink = nextSink(messagesMax: .max, bytesMax: .max)
        guard requests.begin(on: connection, into: sink) else { return }
        for signal in signals.values { signal.begin(on: connection) }
        events(.connected(server, address))
        for reader in reads { reader.connected() }
    }

    private func closed(_ reason: String) {
        let ended = connection
        connection = nil
        server = nil
        connectionNumber += 1
        for signal in signals.values { signal.end() }
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

    private func receive(_ message: NATSMessage, from sink: NATSSink) {
        if sink.number == requests.sinkNumber {
            requests.answered(message)
        } else if let reader = readers[sink.number] {
            reader.receive(message)
        } else if let signal = signals[sink.number] {
            signal.handle(JournalSignal(subject: message.subject, reply: message.reply, bytes: message.bytes))
        }
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
        for signal in signals.values { counts.droppedSignals += signal.takeDropped() }
        for reader in reads { reader.tick() }
        for reader in reads { reader.deliver() }
    }
}

@available(*, unavailable)
extension JournalClient: Sendable {}
