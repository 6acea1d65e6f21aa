import EventLoop
import JSON

/// A read of the journal that goes on; see ``JournalClient/follow(from:_:ended:)``.
/// - Confinement: loop
package final class JournalReader {
    private unowned let client: JournalClient
    private let handle: ([JournalMessage]) -> Void
    private let ended: (JournalReadEnd) -> Void
    private var reading: JournalReading
    private(set) var subscription: NATSSubscription?
    /// Of the subscription, in its client.
    private var number = 0
    private var consumer = ""
    /// Entries of this turn, in order.
    private var batch: [JournalMessage] = []

    init(
        of client: JournalClient, from sequence: UInt64, _ handle: @escaping ([JournalMessage]) -> Void,
        ended: @escaping (JournalReadEnd) -> Void
    ) {
        self.client = client
        self.handle = handle
        self.ended = ended
        reading = JournalReading(from: sequence)
    }

    /// How often an entry was missing and was read again.
    package var gaps: Int { reading.gaps }
    /// How often the read began, the first time included.
    package var rounds: Int { reading.round }

    /// The owner has done its work with all entries up to this one: more may come. It may be called while entries are
    /// handed over.
    package func consumed(through sequence: UInt64) {
        client.loop.preconditionOnLoop()
        perform(reading.consumed(through: sequence, now: client.loop.now))
    }

    /// The journal is known to have more than was delivered: a read that stands still begins again.
    package func expectsMore() {
        client.loop.preconditionOnLoop()
        perform(reading.expected(now: client.loop.now))
    }

    /// Ends the read; nothing is called afterwards.
    package func stop() {
        leave()
        batch = []
        client.reads.removeAll { $0 === self }
    }

    func connected() { perform(reading.connected(now: client.loop.now)) }

    func disconnected() {
        leave()
        reading.disconnected()
    }

    func tick() { perform(reading.tick(now: client.loop.now)) }

    /// Takes what has come, and hands over the entries.
    func receive() {
        // Another round has another subscription.
        taking: while let subscription {
            switch subscription.take() {
            case .nothing: break taking
            case .nobody: perform(reading.nobodyAnswered(now: client.loop.now))
            case .message(let message): receive(message)
            }
        }
        deliver()
    }

    /// An entry, or the server's word on a request for entries.
    private func receive(_ message: NATSMessage) {
        let now = client.loop.now
        if let status = message.status, let number = message.subjectNumber {
            perform(reading.status(status, message.statusText, pull: number, round: reading.round, now: now))
        } else if let sequence = message.streamSequence {
            let (delivers, actions) = reading.received(sequence, round: reading.round, now: now)
            if delivers { batch.append(JournalMessage(sequence: sequence, bytes: message.bytes)) }
            perform(actions)
        }
    }

    /// Hands over the entries of this turn.
    private func deliver() {
        guard !batch.isEmpty else { return }
        let entries = batch
        batch = []
        handle(entries)
    }

    private func leave() {
        subscription = nil
    }

    private func perform(_ actions: [JournalReading.Action]) {
        for action in actions {
            switch action {
            case .ask(let round): ask(round)
            case .create(let round, let start): create(round, from: start)
            case .pull(_, let request): pull(request)
            case .end(let reason):
                deliver()
                stop()
                ended(reason)
            }
        }
    }

    private func ask(_ round: Int) {
        leave()
        client.askState { [weak self] result in
            guard let self else { return }
            let bounds = (try? result.get()).map { ($0.first, $0.last) }
            perform(reading.answered(bounds, round: round, now: client.loop.now))
        }
    }

    private func create(_ round: Int, from start: UInt64) {
        guard let connection = client.connection else { return }
        number = client.nextNumber()
        consumer = "ww-\(connection.inbox.split(separator: ".").last ?? "")-\(number)"
        subscription = NATSSubscription(to: "\(connection.inbox).r\(number).*", on: connection)
        let configuration: JSONObject = [
            "name": .string(consumer), "deliver_policy": "by_start_sequence", "opt_start_seq": .integer(Int64(start)),
            "ack_policy": "none", "replay_policy": "instant", "num_replicas": 1, "mem_storage": true,
            "inactive_threshold": .integer(Int64(JournalLimits.forgetSeconds) * 1_000_000_000),
        ]
        let order: JSONObject = [
            "stream_name": .string(client.options.stream), "config": .object(configuration), "action": "create",
        ]
        let subject = "CONSUMER.CREATE.\(client.options.stream).\(consumer)"
        client.ask(subject, JSONValue.object(order).bytes) { [weak self] result in
            guard let self else { return }
            let isMade = (try? result.get()) != nil
            perform(reading.created(isMade, round: round, now: client.loop.now))
        }
    }

    private func pull(_ request: Int) {
        guard let connection = client.connection, subscription != nil else { return }
        let order: JSONObject = [
            "batch": .integer(Int64(JournalLimits.pullEntries)), "max_bytes": .integer(Int64(JournalLimits.pullBytes)),
            "expires": .integer(Int64(JournalLimits.pullMilliseconds) * 1_000_000),
            "idle_heartbeat": .integer(Int64(JournalLimits.heartbeatMilliseconds) * 1_000_000),
        ]
        let subject = "$JS.API.CONSUMER.MSG.NEXT.\(client.options.stream).\(consumer)"
        // A request that is not sent is missed by its heartbeats.
        _ = try? connection.publish(
            JSONValue.object(order).bytes, to: subject, reply: "\(connection.inbox).r\(number).\(request)"
        )
    }
}

@available(*, unavailable)
extension JournalReader: Sendable {}
