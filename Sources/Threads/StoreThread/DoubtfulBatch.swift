import Journal
import Store
import ThreadMessages

/// A batch that the journal may have or not: this node led, and got no answer, or it has the answer and its own disk
/// failed.
///
/// The next entry that the node applies says what became of it. Each entry has one successor, so its own commit is the
/// next one, or will never be.
///
/// - Confinement: store
struct DoubtfulBatch {
    /// The leadership in which it was tried.
    let term: UInt64
    /// The batch as it is published if the journal has it.
    let committed: CommittedBatch<Outcome>
    /// The writes of the outcomes.
    private(set) var orders: [WriteOrder]
    /// The newest entry before it that the database had.
    private let after: UInt64
    private let since: Int64

    init(
        _ committed: CommittedBatch<Outcome>, of orders: [WriteOrder], inTerm term: UInt64, after: UInt64,
        at tick: Int64
    ) {
        self.committed = committed
        self.orders = orders
        self.term = term
        self.after = after
        since = tick
    }

    /// Whether an entry is the commit; nil when the entry stands before it and says nothing.
    func isIn(_ entry: JournalEntry, at place: JournalPlace, of node: String) -> Bool? {
        guard place.sequence > after else { return nil }
        guard case .commit = entry.content else { return false }
        return entry.author.node == node && entry.author.term == term
    }

    /// The commit for those that still wait for it.
    var shown: CommittedBatch<Outcome> {
        guard orders.isEmpty else { return committed }
        return CommittedBatch(
            items: [], steps: committed.steps, head: committed.head, webhooks: committed.webhooks,
            pushes: committed.pushes)
    }

    /// Takes out its writes if they have waited since before `tick`: they are to be refused.
    mutating func takeOverdue(since tick: Int64) -> [WriteOrder] {
        guard since <= tick else { return [] }
        defer { orders = [] }
        return orders
    }
}
