import EventLoop
import Execution
import Journal
import Model
import Store
import Telemetry
import ThreadMessages

/// Gives the commits of a node that leads to the journal: writes them as entries, and waits until the journal has them.
///
/// On a member every commit goes through it, also while the node follows: then it refuses, so that no row changes that
/// the journal does not know.
///
/// - Confinement: store
final class JournalOrder: CommitOrder {
    /// The result of the last commit, as far as it is known.
    ///
    /// - Confinement: store
    struct Attempt {
        /// The entry of the commit; nil when the journal does not have it for sure, or nothing was written.
        var place: JournalPlace?
        /// The commit as it would be published; nil when it was not given to the journal.
        var committed: CommittedBatch<Outcome>?
    }

    private let node: String
    private let schema: Int
    private let cluster: Mailbox<ClusterMessage>
    private let clock: WallClock
    private let metrics: JournalMetrics
    /// Lets the other loops of a simulation work; nil with threads.
    private let turn: (@Sendable () -> Void)?
    /// Nil while the node does not lead.
    private var entries: EntryWriter?
    private var batch: [WriteOrder] = []
    private var outcomes: [Outcome] = []
    private var attempt = Attempt()
    /// When the journal was last asked to take an entry that it took, so that this node led then; nil before the first one of
    /// a leadership. In milliseconds of ``/Telemetry/SteadyTime``.
    private var ledAt: Int64?
    /// How long such an entry counts.
    private let ledMilliseconds: Int64
    /// Answers to other nodes' writes that wrote nothing, since the last entry. The next entry has them too, before its
    /// own: if this node dies, and the message with such an answer is lost, the next leading node must not decide that
    /// write again after later ones of the same client.
    private var unwritten: [JournalReply] = []

    init(
        _ member: WriterMember, schema: Int, _ cluster: Mailbox<ClusterMessage>, _ clock: WallClock,
        _ metrics: JournalMetrics
    ) {
        node = member.node
        turn = member.turn
        ledMilliseconds = member.ledMilliseconds
        self.schema = schema
        self.cluster = cluster
        self.clock = clock
        self.metrics = metrics
    }

    /// Whether the node leads.
    var leads: Bool { entries != nil }

    /// The node leads from now on, or leads no more.
    func lead(inTerm term: UInt64?) {
        entries = term.map { EntryWriter(JournalEntry.Author(term: $0, node: node, schema: schema)) }
        unwritten = []
        ledAt = nil
    }

    // MARK: A commit

    /// A batch of writes begins.
    func begin(_ batch: [WriteOrder]) {
        finish()
        self.batch = batch
    }

    /// The next write of the batch has ended.
    func note(_ outcome: Outcome) { outcomes.append(outcome) }

    /// A write of another node was answered, and wrote nothing; nor did the others of its batch.
    func noteUnwritten(_ origin: HandedOrigin, _ outcome: Outcome) {
        if unwritten.count >= MemberLimits.unwrittenAnswersMax { unwritten.removeFirst(unwritten.count / 2) }
        unwritten.append(
            JournalReply(
                node: origin.node, ticket: origin.ticket, stepCount: 0, outcome: JournalReply.Outcome(outcome)))
    }

    /// All writes of the batch run again.
    func revert() { outcomes.removeAll(keepingCapacity: true) }

    /// The commit is over, however it ended.
    ///
    /// - Returns: what is known of it.
    @discardableResult
    func finish() -> Attempt {
        defer {
            batch = []
            outcomes.removeAll(keepingCapacity: true)
            attempt = Attempt()
        }
        return attempt
    }

    /// "You follow it already" and "not found" write nothing, and say what the database shows. A node that was deposed and
    /// does not know it would show an old one. So it gives such answers only for a second after an entry of its own, and
    /// later with an entry: other nodes lead after 1.5 s at the earliest.
    var ordersEmpty: Bool {
        guard batch.contains(where: { $0.address != nil || $0.origin != nil }) else {
            return false
        }
        return ledAt.map { SteadyTime.now - $0 >= ledMilliseconds } ?? true
    }

    func order(_ record: CommitRecord) throws(OrderProblem) -> JournalPlace {
        guard let entries else { throw .fenced }
        let messages: [[UInt8]]
        do {
            messages = try entries.commit(
                record, at: clock.now(), replies: unwritten + replies(record.stepCounts))
        } catch { throw .entry(error) }
        attempt.committed = CommittedBatch(
            items: zip(outcomes, record.stepCounts).map { (outcome: $0, stepCount: $1) }, steps: record.steps,
            head: record.head, webhooks: record.webhooks, pushes: record.pushes)
        metrics.entryCommands.observe(Int64(record.stepCounts.count))
        metrics.entryBytes.observe(messages.reduce(0) { $0 + Int64($1.count) })
        return try store(messages, head: record.head)
    }

    /// Gives the journal an entry at which every node digests its tables.
    ///
    /// - Returns: its place, which the database does not have yet.
    func mark(_ number: UInt64) throws(OrderProblem) -> JournalPlace {
        finish()
        guard let entries else { throw .fenced }
        return try store([entries.mark(number)])
    }

    /// Blocks until the journal has the messages of an entry, or will not have them.
    private func store(_ messages: [[UInt8]], head: Position? = nil) throws(OrderProblem) -> JournalPlace {
        let wait = CommitWait(turningOthers: turn)
        let began = SteadyTime.now
        // A closed mailbox: the server is about to end.
        let parts = messages.map { EncodedEntry(message: $0, head: head) }
        guard cluster.post(.order(parts, wait)) else { throw .fenced }
        let outcome = wait.wait()
        let milliseconds = SteadyTime.now - began
        metrics.publishMilliseconds.observe(milliseconds)
        switch outcome {
        case .stored(let place):
            attempt.place = place
            unwritten = []
            ledAt = began
            return place
        case .fenced: throw .fenced
        case .tooLarge(let bytesMax): throw .entry(.tooLarge(bytesMax: bytesMax))
        case .unknown: throw .unanswered(seconds: Int(milliseconds / 1000))
        }
    }

    /// The answers to the writes that other nodes have handed on, for these nodes.
    private func replies(_ stepCounts: [Int]) -> [JournalReply] {
        outcomes.indices.compactMap { index in
            batch[index].origin.map { origin in
                JournalReply(
                    node: origin.node, ticket: origin.ticket, stepCount: stepCounts[index],
                    outcome: JournalReply.Outcome(outcomes[index]))
            }
        }
    }
}

@available(*, unavailable)
extension JournalOrder: Sendable {}
