import ClientProtocol
import EventLoop
import Execution
import Fanout
import Journal
import Model
import Quotas
import Store
import Telemetry
import ThreadMessages

/// Sends the steps and the outcomes of commits to the loops and to the other threads.
///
/// - Confinement: store
final class CommitPublisher {
    private let writer: Writer
    private let mail: Mailboxes
    /// The loops that deliver commits.
    private let loops: [Mailbox<LoopMessage>]
    private let metrics: Metrics
    /// Bytes that one user may write in an hour.
    private let writeBytesAnHour: Int
    /// Gets each commit whose delivery takes the loops long.
    var noteHeavy: (HeavyDelivery) -> Void = { _ in }
    /// The node's own part of erasures.
    var erasures: ErasureTraces?
    /// Called when a commit has an erasure.
    var noteErasure: () -> Void = {}

    init(
        _ writer: Writer, _ mail: Mailboxes, _ loops: [Mailbox<LoopMessage>], _ metrics: Metrics, writeBytesAnHour: Int
    ) {
        self.writer = writer
        self.mail = mail
        self.loops = loops
        self.metrics = metrics
        self.writeBytesAnHour = writeBytesAnHour
    }

    /// Sends steps and outcomes to the loops: a reply comes after the events of its own write.
    ///
    /// - Parameters:
    ///   - batch: the writes of the outcomes, and perhaps others after them.
    ///   - delivering: the microseconds that it takes the loops.
    ///   - leads: whether this node has decided, and works for what has become due: webhooks and pushes.
    func publish(
        _ committed: CommittedBatch<Outcome>, of batch: [WriteOrder], delivering: Int64, leads: Bool = true
    ) {
        let kept = committed.steps.map(Self.keptStep)
        let isLedgerKept = keepLedger(of: committed)
        var steps = DeliverySteps(capacity: kept.count + batch.count)
        var cost = 0
        for step in kept { cost += step.cost }
        var next = 0
        for index in committed.items.indices {
            let order = batch[index]
            let end = committed.items[index].stepCount
            let outcome = isLedgerKept ? committed.items[index].outcome : committed.items[index].outcome.withoutErasure
            for step in kept[next..<end] { steps.append(step) }
            // Between two answers on a node that follows are also the steps of other nodes' writes.
            charge(order, outcome, leads ? kept[next..<end] : [])
            next = end
            if let address = order.address {
                metrics.peerMemory.sent(outcome.bodyBytes)
                steps.append(address, order.ticket, outcome)
            }
            tellFeeds(order, outcome)
        }
        for step in kept[next...] { steps.append(step) }
        let delivered = steps.finish()
        let isHeavy = delivering >= Limits.heavyDeliveryMilliseconds * 1000
        let heavy = isHeavy ? HeavyDelivery(loops: loops.count) : nil
        if let heavy { noteHeavy(heavy) }
        let now = BootClock.microseconds
        for loop in loops {
            loop.post(.committed(delivered, kept: kept, cost: cost, head: committed.head, heavy: heavy, at: now))
        }
        noteWrites(of: batch, at: now)
        if leads { tellOthers(committed) }
    }

    /// Times the writes of clients: those of one turn of a loop have come together.
    private func noteWrites(of batch: [WriteOrder], at now: Int64) {
        var (arrived, count) = (Int64(0), 0)
        for order in batch where order.address != nil {
            if order.arrived != arrived {
                if count > 0 { metrics.durations.write.observe(now - arrived, times: count) }
                (arrived, count) = (order.arrived, 0)
            }
            count += 1
        }
        if count > 0 { metrics.durations.write.observe(now - arrived, times: count) }
    }

    /// Puts erasures into the ledger, before their answers go out.
    ///
    /// - Returns: false when that failed: then the answer is that it is to be repeated.
    private func keepLedger(of committed: CommittedBatch<Outcome>) -> Bool {
        var isErased = false
        for case .change(let change) in committed.steps {
            if case .erased = change { isErased = true }
            if case .erasureEnded = change { erasures?.end() }
        }
        guard isErased else { return true }
        noteErasure()
        return erasures?.note() ?? true
    }

    /// Counts what was decided here, and wakes the threads that have something to do by it.
    private func tellOthers(_ committed: CommittedBatch<Outcome>) {
        metrics.count(committed.steps)
        if committed.webhooks.isTouched {
            metrics.webhooks.add(committed.webhooks)
            mail.webhooks?.post(.look)
        }
        if committed.pushes.isTouched { mail.push?.post(.look) }
    }

    /// Answers writes of which nothing is committed.
    func refuse(_ orders: [WriteOrder], _ refusal: Refusal) {
        for order in orders { answer(order, .failure(refusal)) }
    }

    /// Answers a write apart from a commit.
    func answer(_ order: WriteOrder, _ outcome: Outcome) {
        tellFeeds(order, outcome)
        if let origin = order.origin { answer(origin, outcome) }
        guard let address = order.address else { return }
        metrics.peerMemory.sent(outcome.bodyBytes)
        loops[address.loop].post(.outcome(address, order.ticket, outcome))
    }

    /// Answers a write that another node has handed to this one, and of which no entry is in the journal.
    func answer(_ origin: HandedOrigin, _ outcome: Outcome) {
        mail.cluster?.post(.answer(origin, after: writer.place?.sequence ?? 0, outcome))
    }

    /// Sends the feeds' thread what concerns it: the outcomes of its own writes, and changes of the feeds.
    private func tellFeeds(_ order: WriteOrder, _ outcome: Outcome) {
        if let number = order.feedWrite { mail.feeds?.post(.written(number, outcome)) }
        guard case .success(let answer) = outcome else { return }
        switch answer.fact {
        case .feedsChanged: mail.feeds?.post(.changed)
        case .feedRun(let name): mail.feeds?.post(.run(name))
        case .none, .version, .due, .swept, .deleted, .feedWritten, .erased: break
        }
    }

    /// A user pays for what a write made: the event that others get, and the answer, which may be a whole document.
    private func charge(_ order: WriteOrder, _ outcome: Outcome, _ steps: ArraySlice<KeptStep>) {
        guard let account = order.account else { return }
        switch outcome {
        case .success(let answer):
            var written = max(0, order.bytes - Limits.orderBytes) + answer.body.count
            for step in steps { written += step.bytes }
            account.wrote(written, anHour: writeBytesAnHour, at: order.tick)
            let deliveries = steps.count * account.sessionCount
            account.charge(written / Limits.bytesPerWeight + deliveries / Limits.deliveriesPerWeight, at: order.tick)
        case .failure(let refusal):
            account.charge((refusal.found?.data?.count ?? 0) / Limits.bytesPerWeight, at: order.tick)
        }
    }

    private static func keptStep(_ step: CommittedStep) -> KeptStep {
        switch step {
        case .change(let change): .change(change)
        case .publication(let publication): .publication(FramedPublication(publication))
        }
    }
}

@available(*, unavailable)
extension CommitPublisher: Sendable {}

extension Outcome {
    /// An erasure that the ledger does not have yet is to be repeated; every other outcome stays.
    fileprivate var withoutErasure: Outcome {
        guard case .success(let answer) = self, case .erased = answer.fact else { return self }
        return .failure(Refusal(.unavailable, "the ledger of erasures cannot be written; the server's log says why"))
    }
}

extension KeptStep {
    /// Bytes of the event that it wrote to the log.
    fileprivate var bytes: Int {
        switch self {
        case .publication(let framed): framed.publication.payload[nil].count
        case .change: 0
        }
    }
}
