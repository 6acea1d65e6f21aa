import ClientProtocol
import EventLoop
import Execution
import Model
import Quotas
import Services
import Store
import Synchronization
import Telemetry
import ThreadMessages

/// Commits a batch of writes in one transaction, and measures the time that each takes.
///
/// - Confinement: store
final class BatchCommitter {
    /// A batch that is committed.
    ///
    /// - Confinement: store
    struct Result {
        let committed: CommittedBatch<Outcome>
        /// The microseconds that the delivery takes the loops.
        let delivering: Int64
    }

    private let writer: Writer
    private let stateMachine: StateMachine
    private let metrics: Metrics
    private let storage: StorageHealth
    private let log: ServerLog
    /// Nil on a node that is alone.
    private let order: JournalOrder?
    private var watch = WorkWatch()

    init(
        _ writer: Writer, _ stateMachine: StateMachine, _ metrics: Metrics, _ storage: StorageHealth, _ log: ServerLog,
        order: JournalOrder?
    ) {
        self.writer = writer
        self.stateMachine = stateMachine
        self.metrics = metrics
        self.storage = storage
        self.log = log
        self.order = order
    }

    /// - Parameter took: gets the microseconds that each command took, with what its delivery will take the loops.
    /// - Throws: what ``Writer`` throws; then the state machine has forgotten what it knew of the database.
    func commit(_ batch: [WriteOrder], _ took: inout [Int64]) throws -> Result {
        order?.begin(batch)
        watch.begin()
        let began = BootClock.microseconds
        // By the work and not by the time, which passes while others have the processor, too: on a busy machine the commits
        // would be small, and small ones cost more for each write.
        var ends = Limits.batchMilliseconds * 1000
        var answered = 0
        var delivering: Int64 = 0
        do {
            let committed = try storage.duringCommit {
                try writer.commit(batch) { order, transaction in
                    let before = transaction.steps.count
                    defer {
                        let worked = watch.lap()
                        let delivery = deliveryMicroseconds(of: order, transaction, from: before)
                        delivering += delivery
                        let microseconds = worked + delivery
                        took.append(microseconds)
                        note(order, took: microseconds)
                        if microseconds >= Limits.longWorkMilliseconds * 1000 {
                            ends = min(ends, Limits.longBatchMilliseconds * 1000)
                        }
                    }
                    let answer = try stateMachine.apply(order.request, in: transaction)
                    answered += answer.body.count
                    let outcome = Outcome.success(answer)
                    self.order?.note(outcome)
                    return outcome
                } refuse: { error in
                    let outcome = Outcome.failure(refusal(for: error))
                    answered += outcome.bodyBytes
                    order?.note(outcome)
                    return outcome
                } keep: { outcome, order, transaction in
                    guard case .failure(let refusal) = outcome else { return }
                    try stateMachine.keep(refusal, of: order.request, in: transaction)
                } revert: {
                    stateMachine.revert()
                    order?.revert()
                    // They begin again, and have as long.
                    (answered, delivering, ends) = (0, 0, watch.total + Limits.batchMilliseconds * 1000)
                    took.removeAll(keepingCapacity: true)
                } mayGoOn: {
                    watch.total + delivering < ends && answered < Limits.batchAnswerBytesMax
                }
            }
            stateMachine.committed()
            metrics.commits.add(1)
            metrics.writes.add(committed.items.count)
            metrics.durations.commit.observe(BootClock.microseconds - began)
            metrics.durations.commitWrites.observe(Int64(committed.items.count))
            return Result(committed: committed, delivering: delivering)
        } catch {
            stateMachine.forget()
            throw error
        }
    }

    /// The time that the events of a user's command take on the loop that has most to do for them.
    ///
    /// - Parameter first: the command's first step.
    private func deliveryMicroseconds(of order: WriteOrder, _ transaction: WriteTransaction, from first: Int) -> Int64 {
        guard order.account != nil else { return 0 }
        return metrics.peerMemory.crowds.microseconds(of: transaction.steps, from: first)
    }

    /// A command of a batch took this long.
    private func note(_ order: WriteOrder, took microseconds: Int64) {
        order.account?.write.note(microseconds)
        order.account?.charge(microseconds: microseconds, at: order.tick)
    }

    private func refusal(for error: any Error) -> Refusal {
        let refusal = StateMachine.refusal(for: error)
        if refusal.code == .internal { log.error("command failed", ["error": "\(error)"]) }
        return refusal
    }
}

@available(*, unavailable)
extension BatchCommitter: Sendable {}
