import Execution
import Model
import ThreadMessages

/// The writes of this node's clients that wait for the answer of the node that leads, by their tickets.
///
/// - Confinement: store
struct HandedOrders {
    /// A write, and when it began to wait.
    private struct Waiting {
        let order: WriteOrder
        let since: Int64
    }

    private var next: UInt64
    private var waiting: [UInt64: Waiting] = [:]
    /// Answers that wrote nothing, and that wait until the database shows what they were based on.
    private var unwritten: [UnwrittenAnswer] = []

    /// Tickets begin with the time, so that no answer to an earlier run of the process is taken for one of this run: the
    /// journal keeps them.
    ///
    /// - Parameter now: the wall clock.
    init(at now: Timestamp) { next = UInt64(max(1, now.milliseconds)) << 16 }

    /// Gives a write the next ticket.
    ///
    /// - Returns: the form in which it travels.
    mutating func add(_ order: WriteOrder, _ work: HandedWork, at tick: Int64) -> HandedCommand {
        defer { next += 1 }
        waiting[next] = Waiting(order: order, since: tick)
        return HandedCommand(ticket: next, actor: order.request.actor, at: order.request.at, work: work)
    }

    /// Takes out a write that is answered; nil when its ticket is forgotten, or is another run's.
    mutating func take(_ ticket: UInt64) -> WriteOrder? { waiting.removeValue(forKey: ticket)?.order }

    /// Takes out all writes, in the order of their tickets.
    mutating func takeAll() -> [WriteOrder] {
        unwritten = []
        defer { waiting = [:] }
        return waiting.sorted { $0.key < $1.key }.map(\.value.order)
    }

    /// Takes out the writes that have waited since before `tick`, in the order of their tickets.
    mutating func takeOverdue(since tick: Int64) -> [(ticket: UInt64, order: WriteOrder)] {
        let overdue = waiting.filter { $0.value.since <= tick }.sorted { $0.key < $1.key }
        for (ticket, _) in overdue { waiting[ticket] = nil }
        return overdue.map { ($0.key, $0.value.order) }
    }

    /// Takes answers that wrote nothing.
    mutating func add(_ answers: [UnwrittenAnswer]) { unwritten += answers }

    /// Takes out the answers that may be shown, with their writes, in their order.
    ///
    /// - Parameter sequence: the newest entry that the database has.
    mutating func takeAnswered(upTo sequence: UInt64) -> [(order: WriteOrder, outcome: Outcome)] {
        guard !unwritten.isEmpty else { return [] }
        let shown = unwritten.filter { $0.after <= sequence }
        unwritten.removeAll { $0.after <= sequence }
        return shown.compactMap { answer in take(answer.ticket).map { ($0, answer.outcome) } }
    }
}
