import EventLoop
import Model
import Quotas
import Synchronization
import Telemetry
import ThreadMessages

/// The writes that wait for the writer: which of them make up the next commit.
///
/// Writes that come while nothing waits, and fit into one commit, are committed in the order in which they came. Others
/// wait, lane by lane, so that nobody's many writes hold up the few of another.
///
/// - Confinement: store
final class WriteQueue {
    /// How the writer commits a batch.
    ///
    /// - Confinement: store
    struct Actions {
        /// Commits writes; returns how many were answered, from the first on; the others were not begun. `took` gets the
        /// microseconds of each, with what its delivery will take the loops.
        let commit: (_ batch: [WriteOrder], _ took: inout [Int64]) -> Int
        /// Refuses a write of which too much waits.
        let refuse: (WriteOrder) -> Void
    }

    private let metrics: Metrics
    private let actions: Actions
    private var queue = FairQueue<WriteOrder>()
    private var took: [Int64] = []
    /// The queue's time before each command of the last batch was taken from it.
    private var takenAt: [Int64] = []
    /// Commits that the loops have not delivered yet, and that take them long.
    private var heavyDeliveries: [HeavyDelivery] = []
    private var isStopping = false
    /// Goes on with the queue after the loop has taken its new messages.
    private var timer: LoopTimer?

    init(on loop: Loop, _ metrics: Metrics, _ actions: Actions) {
        self.metrics = metrics
        self.actions = actions
        timer = LoopTimer(on: loop) { [unowned self] in take([]) }
    }

    /// Takes writes that have come, and commits those whose turn it is.
    func take(_ orders: [WriteOrder]) {
        if areLoopsBusy {
            wait(orders[...])
        } else if queue.isEmpty, orders.count <= Limits.batchCommandsMax {
            if !orders.isEmpty { commitAtOnce(orders) }
        } else {
            wait(orders[...])
            commitNext()
        }
        if !queue.isEmpty { timer?.start(afterMilliseconds: areLoopsBusy ? 1 : 0) }
    }

    /// Takes the last writes, and commits everything that waits.
    func finish(_ orders: [WriteOrder]) {
        isStopping = true
        take(orders)
        while !queue.isEmpty { take([]) }
        timer?.close()
        timer = nil
    }

    /// Takes all waiting writes out of the queue, in the order of their turns; they stay counted as waiting.
    func removeAll() -> [WriteOrder] {
        var orders: [WriteOrder] = []
        while let order = queue.next() { orders.append(order) }
        return orders
    }

    /// A commit takes the loops long to deliver.
    func note(_ delivery: HeavyDelivery) { heavyDeliveries.append(delivery) }

    /// Whether the loops have as much to deliver as they may have before them. More commits would only stand in their
    /// line, where nobody's turn comes earlier than another's.
    var areLoopsBusy: Bool {
        guard !heavyDeliveries.isEmpty, !isStopping else { return false }
        heavyDeliveries.removeAll { $0.isDelivered }
        return heavyDeliveries.count >= Limits.heavyDeliveriesMax
    }

    private func wait(_ orders: ArraySlice<WriteOrder>) {
        for order in orders { queue.append(order, to: order.lane, expected: order.expectedMicroseconds) }
    }

    /// Commits writes that have come while nothing waited. Those that did not fit wait, after those that had their turn now.
    private func commitAtOnce(_ orders: [WriteOrder]) {
        wait(orders.dropFirst(commit(orders)))
        guard !queue.isEmpty else { return }
        for (order, took) in zip(orders, took) { queue.charge(order.lane, microseconds: took) }
    }

    /// Commits what is next in the queue.
    private func commitNext() {
        let batch = takeBatch()
        guard !batch.isEmpty else { return }
        let left = batch.dropFirst(commit(batch))
        if !left.isEmpty {
            queue.putBack(left, since: takenAt[left.startIndex]) { ($0.lane, $0.expectedMicroseconds) }
        }
        // The expected time counts already, since the order left the queue.
        for (order, took) in zip(batch, took) {
            queue.charge(order.lane, microseconds: took - Int64(order.expectedMicroseconds))
        }
    }

    /// Takes what is next off the queue, and refuses what is too much. It takes no more than is expected to fit into a
    /// commit: somebody who comes meanwhile, and wants little, has the next turn and not one after all that was taken.
    private func takeBatch() -> [WriteOrder] {
        var (batch, expected) = ([WriteOrder](), 0)
        takenAt.removeAll(keepingCapacity: true)
        while batch.count < Limits.batchCommandsMax, expected < Limits.batchMilliseconds * 1000 {
            let time = queue.time
            guard let order = queue.next() else { break }
            if isTooMuch(of: order) {
                metrics.refused(.waitingWork)
                actions.refuse(order)
                metrics.release(order)
            } else {
                expected += order.meanMicroseconds
                batch.append(order)
                takenAt.append(time)
            }
        }
        return batch
    }

    private func commit(_ batch: [WriteOrder]) -> Int {
        let count = actions.commit(batch, &took)
        for order in batch.prefix(count) { metrics.release(order) }
        return count
    }

    /// Whether more waits of a user than its part of the time that may wait: its writes take longer than was known when
    /// they were admitted.
    private func isTooMuch(of order: WriteOrder) -> Bool {
        guard let account = order.account else { return false }
        let part = max(Limits.smallWorkMilliseconds, Limits.waitingWorkMilliseconds / Int64(queue.laneCount + 1))
        let mean = account.write.mean
        // Nobody has more waiting than all together: nearly always that is enough, and no lane is looked up.
        guard (queue.count + 1) * mean > part * 1000 else { return false }
        let others = queue.count(in: order.lane)
        return others > 0 && (others + 1) * mean > part * 1000
    }
}

@available(*, unavailable)
extension WriteQueue: Sendable {}
