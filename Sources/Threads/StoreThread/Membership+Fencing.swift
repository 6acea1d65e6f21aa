import EventLoop
import Execution
import ThreadMessages
import Store
import Telemetry

// Copies of writes that their clients may have sent again, through another node or after a refusal.
extension Membership {
    /// Devices have connected to other nodes, and writes were refused by the node that leads: the copies that wait here are
    /// not done any more, as far as that node has not begun them.
    func note(_ claims: [WriteClaim], _ writes: [RefusedWrite]) {
        guard !claims.isEmpty || !writes.isEmpty else { return }
        let now = SteadyTime.now
        for claim in claims { fence.note(claim, at: now) }
        for write in writes { refused.note(write, at: now) }
        let outdated = handed.take { ticket, order in
            order.claim.map { fence.note($0, at: now) != nil } == true
                || refused.isOvertaken(order, handed: .init(node: member.node, ticket: ticket))
        }
        guard !outdated.isEmpty else { return }
        cluster.post(.forget(outdated.map(\.ticket)))
        for (_, order) in outdated { drop(order) }
    }

    /// Refuses the writes of sessions whose devices have later sessions, and copies of writes that were refused meanwhile.
    ///
    /// - Returns: the other ones.
    func withoutOutdated(_ orders: [WriteOrder]) -> [WriteOrder] {
        let now = SteadyTime.now
        var later: Set<WriteClaim> = []
        var outdated: Set<Int> = []
        for (index, order) in orders.enumerated() {
            if let claim = order.claim, let known = fence.note(claim, at: now) {
                outdated.insert(index)
                later.insert(known)
            } else if refused.isOvertaken(order) {
                outdated.insert(index)
            }
        }
        guard !outdated.isEmpty else { return orders }
        // The session may be the later one all the same, on a node whose clock was set back.
        for claim in later { cluster.post(.signal(.outdated(claim))) }
        for index in outdated.sorted() { drop(orders[index]) }
        return orders.indices.filter { !outdated.contains($0) }.map { orders[$0] }
    }

    /// Remembers which writes of a commit were refused, and says it to the other nodes.
    func noteRefused(_ committed: CommittedBatch<Outcome>, of batch: [WriteOrder]) {
        for index in committed.items.indices {
            guard let write = batch[index].refused(by: committed.items[index].outcome) else { continue }
            refused.note(write, at: SteadyTime.now)
            cluster.post(.signal(.refused(write)))
        }
    }

    private func drop(_ order: WriteOrder) {
        let outcome = Outcome.failure(StorageRefusal.outdated)
        // Nor may the next node that leads do it, if the answer does not arrive.
        if leads, let origin = order.origin { self.order.noteUnwritten(origin, outcome) }
        publisher.answer(order, outcome)
        metrics.release(order)
    }
}
