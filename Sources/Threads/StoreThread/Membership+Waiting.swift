import EventLoop
import Journal
import ThreadMessages
import Model
import Store
import Telemetry

// The writes of this node's clients while another node leads, or none does.
extension Membership {
    /// Takes writes that have come.
    ///
    /// - Returns: those that this node commits; none while it follows.
    func take(_ orders: [WriteOrder]) -> [WriteOrder] {
        guard let term else {
            adopt(orders)
            return []
        }
        let orders = withoutOutdated(orders)
        guard orders.contains(where: { $0.origin.map { $0.term != term } ?? false }) else { return orders }
        // Handed to an earlier leadership of this node: their node has handed them on again since.
        return orders.filter { order in
            guard let origin = order.origin, origin.term != term else { return true }
            metrics.release(order)
            return false
        }
    }

    /// Hands writes on, or lets them wait for the batch whose outcome is not known.
    func adopt(_ orders: [WriteOrder]) {
        let now = SteadyTime.now
        var commands: [HandedCommand] = []
        for order in withoutOutdated(orders) {
            guard order.origin == nil, let source = order.source else {
                // Another node hands its own writes on again; and threads that work for all nodes stop with the duty.
                if order.origin == nil { publisher.answer(order, .failure(StorageRefusal.elsewhere)) }
                metrics.release(order)
                continue
            }
            if doubt == nil {
                commands.append(handed.add(order, source, at: now))
            } else {
                held.append((order, now))
            }
        }
        if !commands.isEmpty { cluster.post(.hand(commands)) }
    }

    /// Takes writes back of which nothing was committed; the caller is about to release them.
    func takeBack(_ batch: [WriteOrder]) {
        for order in batch { metrics.hold(order) }
        adopt(batch)
    }

    /// Keeps a batch until the journal says what became of it; the caller is about to release its writes.
    func doubt(_ batch: [WriteOrder], _ attempt: JournalOrder.Attempt, _ term: UInt64?) {
        guard let term, let committed = attempt.committed else { return takeBack(batch) }
        for order in batch { metrics.hold(order) }
        let count = committed.items.count
        let now = SteadyTime.now
        doubt = DoubtfulBatch(
            committed, of: Array(batch.prefix(count)), inTerm: term, after: known, at: now)
        adopt(Array(batch.dropFirst(count)))
    }

    /// The journal has a commit that this node could not finish. If the database has it all the same, it stands.
    func settleDoubt(_ place: JournalPlace?) {
        guard let place, doubt != nil, writer.place == place else { return }
        known = place.sequence
        settleDoubt(isCommitted: true)
    }

    /// On a primary no journal says what became of a batch whose commit failed: the database does.
    func settleOwnDoubt() {
        guard doubt != nil, (try? writer.settle()) != nil, let place = writer.place, place.sequence > known else {
            return
        }
        known = place.sequence
        settleDoubt(isCommitted: true)
    }

    /// The doubtful batch is in the journal, or will never be.
    func settleDoubt(isCommitted: Bool) {
        guard let batch = doubt else { return }
        doubt = nil
        if isCommitted {
            publisher.publish(batch.shown, of: batch.orders, delivering: 0, leads: false)
            for order in batch.orders { metrics.release(order) }
        } else {
            adopt(batch.orders)
        }
        let later = held
        held = []
        adopt(later.map(\.order))
    }

    /// Takes answers that wrote nothing: they may show what an earlier write of the same client has done, so they wait
    /// until the database has it.
    func take(_ answers: [UnwrittenAnswer]) {
        handed.add(answers)
        answerUnwritten()
    }

    func answerUnwritten() {
        for (order, outcome) in handed.takeAnswered(upTo: known) {
            publisher.answer(order, outcome)
            metrics.release(order)
        }
    }

    /// Takes out everything that waits, in its order. A batch in doubt was not committed: this node's next `lead` stands
    /// where its entry would.
    func takeWaiting() -> [WriteOrder] {
        let orders = handed.takeAll() + (doubt?.orders ?? []) + held.map(\.order)
        doubt = nil
        held = []
        return orders.filter { order in
            guard order.origin != nil else { return true }
            metrics.release(order)
            return false
        }
    }

    /// Refuses the writes that have waited since before `tick`.
    func refuseOverdue(at tick: Int64) {
        let overdue = handed.takeOverdue(since: tick)
        let late = (doubt?.takeOverdue(since: tick) ?? []) + held.filter { $0.since <= tick }.map(\.order)
        held.removeAll { $0.since <= tick }
        if !overdue.isEmpty { cluster.post(.forget(overdue.map(\.ticket))) }
        for order in overdue.map(\.order) + late {
            // Another node's write in a doubtful batch: that node refuses it.
            if order.origin == nil {
                publisher.answer(order, .failure(StorageRefusal.unanswered(seconds: member.waitMilliseconds / 1000)))
            }
            metrics.release(order)
        }
    }
}
