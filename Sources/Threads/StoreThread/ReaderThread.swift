import ClientProtocol
package import EventLoop
package import Execution
import Fanout
package import Model
package import Quotas
package import Searching
import Services
package import Store
package import Telemetry
package import ThreadMessages

/// A thread with a connection that reads: the loops never touch the database.
///
/// - Confinement: store (its own thread)
package final class ReaderThread {
    private let reader: Reader
    private let search: SearchReader?
    private let metrics: Metrics
    private let epoch: Epoch
    private let collections: TopicCollections
    private let profile: [String]
    private let rules: RulesInForce
    private let log: ServerLog
    private let memory: PeerMemory
    private let loops: [Mailbox<LoopMessage>]
    private let others: Mailbox<ClusterMessage>?
    private var watch = WorkWatch()
    /// Reads that wait for their turn.
    private var queue = FairQueue<ReadOrder>()
    /// Goes on with the queue, when what has come meanwhile stands in it.
    private var nextTimer: LoopTimer?

    /// - Parameters:
    ///   - rules: the configured ones, in force until others are put.
    ///   - profile: members of the documents of users that `chats` shows.
    ///   - search: nil on a server without search.
    ///   - others: the way to the other nodes; nil when there are none.
    package init(
        reader: Reader, search: SearchReader?, epoch: Epoch, collections: TopicCollections, rules: AccessRules,
        profile: [String], metrics: Metrics, log: ServerLog, memory: PeerMemory,
        tellingLoops loops: [Mailbox<LoopMessage>],
        _ others: Mailbox<ClusterMessage>? = nil, on loop: Loop
    ) {
        self.loops = loops
        self.others = others
        self.memory = memory
        self.rules = RulesInForce(configured: rules)
        self.reader = reader
        self.search = search
        self.metrics = metrics
        self.epoch = epoch
        self.collections = collections
        self.profile = profile
        self.log = log
        nextTimer = LoopTimer(on: loop) { [unowned self] in performNext() }
    }

    /// Takes what other threads say. Reads that came together share a snapshot.
    ///
    /// - Returns: true when it was asked to stop, and has.
    package func receive(_ messages: [ReaderMessage]) -> Bool {
        for message in messages {
            switch message {
            case .read(let order): queue.append(order, to: order.lane, expected: order.expectedMicroseconds)
            case .stop:
                while !queue.isEmpty { perform() }
                stop()
                return true
            }
        }
        performNext()
        return false
    }

    /// Does a part of the waiting reads. The rest follows after the loop has taken its new messages.
    private func performNext() {
        perform()
        if !queue.isEmpty { nextTimer?.start(afterMilliseconds: 0) }
    }

    private func perform() {
        guard !queue.isEmpty else { return }
        var again = read(isLast: false) { queue.next() }[...]
        // The disk failed to read for a moment, or the connection holds what it misread: a new one reads again.
        if !again.isEmpty { _ = read(isLast: true) { again.popFirst() } }
    }

    /// Reads on one snapshot, for some milliseconds if there is another try.
    ///
    /// - Parameter isLast: whether reads that the disk failed are answered so; otherwise they are worth another try.
    /// - Returns: those.
    private func read(isLast: Bool, next: () -> ReadOrder?) -> [ReadOrder] {
        var left: [ReadOrder] = []
        var fault: (any Error)?
        watch.begin()
        let ends = watch.now + Limits.readBatchMilliseconds * 1000
        do {
            try reader.read { transaction in
                while isLast || watch.now < ends, let order = next() {
                    do {
                        answered(order, by: try answer(order, in: transaction))
                    } catch  where !isLast && StorageFault(error).doubtsConnection {
                        fault = error
                        left.append(order)
                    } catch {
                        answered(order, by: [refused(order, error)])
                        fault = error
                    }
                    let microseconds = watch.lap()
                    order.account?.charge(microseconds: microseconds, at: order.tick)
                    order.account?.read.note(microseconds)
                    if order.isSearch { metrics.durations.search.observe(microseconds) }
                    queue.charge(order.lane, microseconds: microseconds - Int64(order.expectedMicroseconds))
                }
            }
            if let fault, reader.doubt(after: fault), !isLast { noteRetry(fault) }
            return left
        } catch {
            while let order = next() { left.append(order) }
            if !isLast, StorageFault(error).doubtsConnection {
                noteRetry(error)
                return left
            }
            log.error("the database cannot be read", ["error": "\(error)"])
            for order in left { answered(order, by: [failure(of: order)]) }
            return []
        }
    }

    private func answered(_ order: ReadOrder, by messages: [LoopMessage]) {
        post(messages, to: order)
        metrics.durations.read.observe(BootClock.microseconds - order.arrived)
        memory.wait(-order.bytes, for: order.account)
    }

    private func noteRetry(_ error: any Error) {
        log.warning("a read of the database failed; reading again", ["error": "\(error)"])
    }

    private func post(_ messages: [LoopMessage], to order: ReadOrder) {
        for message in messages {
            if case .outcome(_, _, let outcome) = message { memory.sent(outcome.bodyBytes) }
            if case .signal(let inboxes, let signal) = message {
                for loop in loops { loop.post(message) }
                others?.post(.signal(.ephemeral(inboxes, signal.event)))
            } else {
                loops[order.address.loop].post(message)
            }
        }
    }

    private func refused(_ order: ReadOrder, _ error: any Error) -> LoopMessage {
        let refusal = StateMachine.refusal(for: error)
        guard refusal.code != .internal else {
            log.error("read failed", ["error": "\(error)"])
            return failure(of: order)
        }
        return failure(of: order, refusal)
    }

    private func answer(_ order: ReadOrder, in transaction: Transaction) throws -> [LoopMessage] {
        let address = order.address
        switch order.work {
        case .useCase(let useCase, let actor, let now, let ticket):
            let context = context(for: actor, at: now, in: transaction)
            return [.outcome(address, ticket, .success(try useCase.encodedAnswer(in: context)))]
        case .start(let name, let since, let device, let deviceLanguage):
            guard let start = try SessionStart(of: name, device: device, in: transaction) else {
                return [.started(address, nil)]
            }
            return [.started(address, try reading(start, since: since, deviceLanguage, in: transaction))]
        case .watched(let reading, let actor, let now):
            let context = context(for: actor, at: now, in: transaction)
            return [.watched(address, .success(try reading.snapshot(epoch: epoch, in: context)))]
        case .page(let id, let position, let deviceLanguage, let watched):
            let user = try user(id, in: transaction)
            let start = try SessionStart(user, in: transaction)
            do {
                let page = try LogPage(
                    of: user, after: position, deviceLanguage: deviceLanguage, limit: Limits.resumePageEvents,
                    watched: watched, head: start.head, in: transaction)
                return [.page(address, SessionReading(start: start, reset: nil, page: page))]
            } catch is LogPage.Trimmed {
                // So slow that what it waits for has meanwhile become too old.
                return [.page(address, SessionReading(start: start, reset: .retention, page: nil))]
            }
        case .counts(let id):
            let counts = try transaction.unread(of: user(id, in: transaction))
            return [.counts(id, counts, asOf: try transaction.log.head())]
        case .watch(let names, let id, let ticket):
            let visible = try VisiblePeople.visible(names, to: user(id, in: transaction), in: transaction)
            return [.watch(address, ticket, visible.map { Person(id: $0.0, name: $0.1) })]
        case .typing(let chat, let isOn, let id, let now, let ticket):
            let user = try user(id, in: transaction)
            let audience = try TypingAudience.members(of: chat, besides: user, at: now, in: transaction)
            let event = Event.typing(chat: chat, user: user.name, on: isOn)
            return [
                .signal(audience, FramedSignal(event)),
                .outcome(address, ticket, .success(EncodedAnswer(Array("{}".utf8)))),
            ]
        }
    }

    private func context(for actor: Actor, at now: Timestamp, in transaction: Transaction) -> ReadContext {
        ReadContext(
            transaction: transaction, actor: actor, now: now, collections: collections, rules: rules, profile: profile,
            search: search)
    }

    private func reading(
        _ start: SessionStart, since: ResumePoint?, _ deviceLanguage: LanguageTag?, in transaction: Transaction
    ) throws -> SessionReading {
        guard let since else { return SessionReading(start: start, reset: nil, page: nil) }
        // A device that has everything is answered without a look at the log.
        if since.epoch == epoch, since.seq == start.head {
            return SessionReading(start: start, reset: nil, page: nil)
        }
        switch try Resumption(
            of: start.user, since: since, epoch: epoch, deviceLanguage: deviceLanguage, head: start.head,
            in: transaction)
        {
        case .page(let page): return SessionReading(start: start, reset: nil, page: page)
        case .reset(let reason): return SessionReading(start: start, reset: reason, page: nil)
        }
    }

    private func user(_ id: StreamID, in transaction: Transaction) throws -> UserEntry {
        guard let user = try transaction.users.find(id) else { throw StoredValueProblem(place: "users.id") }
        return user
    }

    private func failure(
        of order: ReadOrder,
        _ refusal: Refusal = Refusal(.internal, "the server failed on this; its log says why; repeat it")
    ) -> LoopMessage {
        switch order.work {
        case .useCase(_, _, _, let ticket), .watch(_, _, let ticket), .typing(_, _, _, _, let ticket):
            .outcome(order.address, ticket, .failure(refusal))
        case .watched:
            .watched(order.address, .failure(refusal))
        case .start, .page:
            .readingFailed(order.address)
        case .counts(let user):
            .countingFailed(user)
        }
    }

    private func stop() {
        nextTimer?.close()
        nextTimer = nil
        do {
            try search?.close()
            try reader.close()
        } catch {
            log.error("a reader did not close cleanly", ["error": "\(error)"])
        }
    }
}

@available(*, unavailable)
extension ReaderThread: Sendable {}
