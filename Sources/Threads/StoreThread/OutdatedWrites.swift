import Execution
import Store
import ThreadMessages

/// Which writes are copies that their clients may have sent again, through another node or after a refusal. Such a copy is
/// not done any more.
///
/// - Confinement: store
struct OutdatedWrites {
    /// Which sessions of devices are the latest.
    private var fence = DeviceFence()
    /// The writes that were refused for good while this node leads.
    private var refused = RefusedKeys()

    /// Devices have connected to other nodes, and the node that leads has refused writes.
    mutating func note(_ claims: [WriteClaim], _ writes: [RefusedWrite], at now: Int64) {
        for claim in claims { fence.note(claim, at: now) }
        for write in writes { refused.note(write, at: now) }
    }

    /// Whether a write that was handed to the node that leads is outdated.
    mutating func contains(_ order: WriteOrder, handed: RefusedWrite.Handed, at now: Int64) -> Bool {
        order.claim.map { fence.note($0, at: now) != nil } == true || refused.isOvertaken(order, handed: handed)
    }

    /// Looks at writes that have come.
    ///
    /// - Returns: the places of those that are outdated, and the claims of the later sessions.
    mutating func find(in orders: [WriteOrder], at now: Int64) -> (places: Set<Int>, later: Set<WriteClaim>) {
        var later: Set<WriteClaim> = []
        var places: Set<Int> = []
        for (index, order) in orders.enumerated() {
            if let claim = order.claim, let known = fence.note(claim, at: now) {
                places.insert(index)
                later.insert(known)
            } else if refused.isOvertaken(order) {
                places.insert(index)
            }
        }
        return (places, later)
    }

    /// Remembers which writes of a commit were refused.
    ///
    /// - Returns: the facts that the other nodes are to know.
    mutating func noteRefused(
        _ committed: CommittedBatch<Outcome>, of batch: [WriteOrder], at now: Int64
    ) -> [RefusedWrite] {
        let writes = committed.items.indices.compactMap { batch[$0].refused(by: committed.items[$0].outcome) }
        for write in writes { refused.note(write, at: now) }
        return writes
    }

    /// Forgets what is too old for any write that is on its way.
    mutating func forget(at now: Int64) {
        fence.forget(at: now)
        refused.forget(at: now)
    }
}
