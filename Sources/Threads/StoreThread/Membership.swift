import EventLoop
import Execution
import Journal
import Model
import Quotas
import Services
import Store
import Telemetry
import ThreadMessages

/// The writer's part in a cluster: whether it leads or follows.
///
/// A node that follows applies the journal's entries and hands on the writes of its own clients (``WaitingWrites``). One
/// that leads commits all writes, each batch as an entry of the journal.
///
/// - Confinement: store
final class Membership {
    let member: WriterMember
    let writer: Writer
    let publisher: CommitPublisher
    let order: JournalOrder
    let following: Following
    let metrics: Metrics
    let health: WriterHealth
    let storage: StorageHealth
    let log: ServerLog
    /// The number of this node's leadership; nil while it follows.
    private(set) var term: UInt64?
    let waiting: WaitingWrites
    /// Gets the tables as they are after an entry that asks for their digests, and the number of that entry.
    var marked: (_ tables: DatabaseSnapshot, _ number: UInt64) -> Void = { _, _ in }
    /// Called when the node has ceased to lead.
    var lost: () -> Void = {}

    /// - Parameter mailbox: of the thread that connects this node with the others.
    init(
        _ member: WriterMember, _ writer: Writer, _ publisher: CommitPublisher, _ mailbox: Mailbox<ClusterMessage>,
        order: JournalOrder, _ health: WriterHealth, _ storage: StorageHealth, _ clock: WallClock, _ metrics: Metrics,
        _ log: ServerLog, on loop: Loop
    ) {
        self.member = member
        self.writer = writer
        self.publisher = publisher
        self.order = order
        self.health = health
        self.storage = storage
        self.metrics = metrics
        self.log = log
        waiting = WaitingWrites(
            member, publisher, order, mailbox, metrics, known: writer.place?.sequence ?? 0, at: clock.now())
        following = Following(writer, storage, health, mailbox, log, on: loop)
        // It refuses all commits until the node leads.
        writer.order = order
        following.applied = { [unowned self] in applied($0, at: $1, isNew: $2) }
        health.recovered = { [unowned self] in following.recover() }
        health.damaged = { [unowned self] in following.leave($0) }
        // The probe at the start has failed.
        if storage.fault != nil { following.postFailure() }
    }

    var leads: Bool { term != nil }

    /// This node leads: the entry of its `lead` is at this place.
    ///
    /// - Returns: the writes that waited, in their order, for this node to commit; nil when its database cannot be written.
    func lead(at place: JournalPlace) -> [WriteOrder]? {
        let orders = waiting.takeAll()
        do {
            // With an entry that is not applied, or a disk that fails, another node should lead.
            if let fault = storage.fault { throw Unable(reason: fault.reason) }
            guard !following.isBehind, !following.isStopped else { throw Unable(reason: "entries are not applied") }
            try storage.duringCommit { try writer.pass(place, leadBy: member.node) }
        } catch {
            if !(error is Unable) { health.failed(error) }
            log.warning("this node cannot lead", ["reason": "\(error)"])
            following.postFailure()
            waiting.adopt(orders)
            return nil
        }
        waiting.note(known: place.sequence)
        term = place.term
        order.lead(inTerm: place.term)
        writer.order = order
        following.postApplied()
        return orders
    }

    /// This node leads no more, or does not lead yet.
    func follow() {
        guard leads else { return }
        leave()
        lost()
    }

    /// No commit is ordered from here on. ``lost`` must follow, when the writes that came before those of the queue have
    /// their place.
    private func leave() {
        term = nil
        order.lead(inTerm: nil)
        writer.order = order
    }

    /// Takes writes that have come.
    ///
    /// - Returns: those that this node commits; none while it follows.
    func take(_ orders: [WriteOrder]) -> [WriteOrder] {
        guard let term else {
            waiting.adopt(orders)
            return []
        }
        guard orders.contains(where: { $0.origin.map { $0.term != term } ?? false }) else { return orders }
        // Handed to an earlier leadership of this node: their node has handed them on again since.
        return orders.filter { order in
            guard let origin = order.origin, origin.term != term else { return true }
            metrics.release(order)
            return false
        }
    }

    /// A commit has succeeded.
    ///
    /// - Parameters:
    ///   - committed: nil when it has no outcomes for clients.
    ///   - batch: the writes of its outcomes.
    func committed(_ committed: CommittedBatch<Outcome>? = nil, of batch: [WriteOrder] = []) {
        if let place = order.finish().place {
            waiting.note(known: place.sequence)
            following.postApplied()
        } else if let committed {
            for index in committed.items.indices {
                guard let origin = batch[index].origin else { continue }
                publisher.answer(origin, committed.items[index].outcome)
                order.noteUnwritten(origin, committed.items[index].outcome)
            }
        }
    }

    /// A commit has failed: its writes wait for another node, or are refused, or the journal will say what became of them.
    ///
    /// - Parameter batch: the caller releases these writes afterwards.
    func failed(_ error: any Error, of batch: [WriteOrder] = []) {
        let attempt = order.finish()
        let term = term
        switch error as? OrderProblem {
        case .fenced:
            leave()
            waiting.takeBack(batch)
            if term != nil { lost() }
        case .unanswered:
            leave()
            waiting.doubt(batch, attempt, term)
            if term != nil { lost() }
        case .entry(let problem):
            log.error("a commit cannot be an entry of the journal", ["reason": problem.description])
            publisher.refuse(batch, StorageRefusal.notAnEntry)
        case nil where attempt.place == nil && writer.fault(of: error) == .other:
            // No fault of the disk: another node would fail as well.
            log.error("commit failed", ["error": "\(error)", "commands": "\(batch.count)"])
            metrics.commitFailures.add(1)
            publisher.refuse(batch, StorageRefusal.failed(.other))
        case nil:
            leave()
            health.failed(error, commands: batch.count)
            following.postFailure()
            if attempt.place == nil { waiting.takeBack(batch) } else { waiting.doubt(batch, attempt, term) }
            settleDoubt(attempt.place)
            if term != nil { lost() }
        }
    }

    /// The journal has a commit that this node could not finish. If the database has it all the same, it stands.
    private func settleDoubt(_ place: JournalPlace?) {
        guard let place, waiting.doubt != nil, writer.place == place else { return }
        waiting.note(known: place.sequence)
        waiting.settleDoubt(isCommitted: true)
    }

    /// Once a second or so: refuses what has waited too long, and notes how far the database has come.
    func look() {
        waiting.look(at: SteadyTime.now)
        guard !leads, storage.fault == nil else { return }
        do {
            try writer.noteHead()
        } catch {
            log.error("the position of the log could not be recorded", ["error": "\(error)"])
        }
    }

    /// The server stops: no more answers will come.
    func stop() {
        for order in waiting.takeAll() {
            publisher.answer(order, .failure(StorageRefusal.elsewhere))
            metrics.release(order)
        }
        following.close()
    }

    /// An entry is in the database.
    private func applied(_ entry: JournalEntry, at place: JournalPlace, isNew: Bool) {
        defer {
            waiting.note(known: max(waiting.known, place.sequence))
            waiting.answerUnwritten()
        }
        if let isIn = waiting.doubt?.isIn(entry, at: place, of: member.node) {
            waiting.settleDoubt(isCommitted: isIn)
            if isIn { return }
        }
        if isNew, case .mark(let number) = entry.content { showTables(number) }
        guard isNew, case .commit(let commit) = entry.content else { return }
        metrics.commits.add(1)
        publish(commit)
    }

    /// Publishes another node's commit, with the answers that are for clients of this one.
    private func publish(_ commit: JournalEntry.Commit) {
        var (orders, items): ([WriteOrder], [(outcome: Outcome, stepCount: Int)]) = ([], [])
        for reply in commit.replies where reply.node == member.node {
            guard let order = waiting.take(reply.ticket) else { continue }
            orders.append(order)
            items.append((reply.outcome.outcome, reply.stepCount))
        }
        let committed = CommittedBatch(
            items: items, steps: commit.steps, head: commit.head, webhooks: commit.webhooks, pushes: commit.pushes)
        publisher.publish(
            committed, of: orders, delivering: metrics.peerMemory.crowds.microseconds(of: commit.steps),
            leads: false)
        for order in orders { metrics.release(order) }
    }
}

@available(*, unavailable)
extension Membership: Sendable {}

/// Why a node that was elected cannot lead.
///
/// - Confinement: any
private struct Unable: Error, CustomStringConvertible {
    let reason: String
    var description: String { reason }
}
