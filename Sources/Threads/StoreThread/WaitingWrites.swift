import EventLoop
import Execution
import Journal
import Model
import Store
import Telemetry
import ThreadMessages

/// The writes of this node's clients while another node leads, or none does: they wait for the answer of the node that
/// leads, or until the journal says what became of a batch.
///
/// - Confinement: store
final class WaitingWrites {
    private let member: WriterMember
    private let publisher: CommitPublisher
    private let order: JournalOrder
    private let cluster: Mailbox<ClusterMessage>
    private let metrics: Metrics
    private var handed: HandedOrders
    /// The batch that the journal may have or not.
    private(set) var doubt: DoubtfulBatch?
    /// The writes that came after ``doubt``: they are handed on after its writes, if these must be.
    private var held: [(order: WriteOrder, since: Int64)] = []
    /// The newest entry that the database had when that was last sure.
    private(set) var known: UInt64

    init(
        _ member: WriterMember, _ publisher: CommitPublisher, _ order: JournalOrder,
        _ cluster: Mailbox<ClusterMessage>, _ metrics: Metrics, known: UInt64, at now: Timestamp
    ) {
        self.member = member
        self.publisher = publisher
        self.order = order
        self.cluster = cluster
        self.metrics = metrics
        self.known = known
        handed = HandedOrders(at: now)
    }

    /// The database has an entry.
    func note(known sequence: UInt64) { known = sequence }

    // MARK: Waiting

    /// Hands writes on, or lets them wait for the batch whose outcome is not known.
    func adopt(_ orders: [WriteOrder]) {
        let now = SteadyTime.now
        var commands: [HandedCommand] = []
        for order in orders {
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

    /// Takes out the write that an entry answers; nil when its ticket is forgotten.
    func take(_ ticket: UInt64) -> WriteOrder? { handed.take(ticket) }

    /// Takes answers that wrote nothing: they may show what an earlier write of the same client has done, so they wait
    /// until the database has it.
    func take(_ answers: [UnwrittenAnswer]) {
        handed.add(answers)
        answerUnwritten()
    }

    /// Gives the answers that the database shows by now.
    func answerUnwritten() {
        for (order, outcome) in handed.takeAnswered(upTo: known) {
            publisher.answer(order, outcome)
            metrics.release(order)
        }
    }

    /// Takes out everything that waits, in its order. A batch in doubt was not committed: this node's next `lead` stands
    /// where its entry would.
    func takeAll() -> [WriteOrder] {
        let orders = handed.takeAll() + (doubt?.orders ?? []) + held.map(\.order)
        doubt = nil
        held = []
        return orders.filter { order in
            guard order.origin != nil else { return true }
            metrics.release(order)
            return false
        }
    }

    /// Once a second or so: refuses the writes that have waited too long.
    func look(at now: Int64) {
        let tick = now - member.waitMilliseconds
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

    // MARK: A batch in doubt

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
}

@available(*, unavailable)
extension WaitingWrites: Sendable {}
