package import Journal

/// Puts the commits of the writer into an order that all nodes share, before each is flushed here.
///
/// To the writer it is a slow fsync: ``order(_:)`` returns when the journal has the commit for good. A node that is alone
/// has none; then nothing is recorded.
///
/// - Confinement: store
package protocol CommitOrder: AnyObject {
    /// Gives a commit to the journal, on the writer's thread, within its transaction.
    ///
    /// Nothing may be written in it, and no other commit begins meanwhile. When this returns, the commit is done, even if
    /// this node fails to flush it: then the node reads it from the journal.
    ///
    /// - Returns: the commit's place in the journal, which the same transaction notes.
    /// - Throws: ``OrderProblem``; the transaction is then undone.
    func order(_ record: CommitRecord) throws(OrderProblem) -> JournalPlace

    /// Whether the commit is to be ordered even if nothing was written, since its answers are true only if this node leads.
    var ordersEmpty: Bool { get }
}

extension CommitOrder {
    package var ordersEmpty: Bool { false }
}

/// Why a commit was not ordered.
///
/// - Confinement: any
package enum OrderProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// Another entry stands where the commit was to stand: another node leads, and this one must follow.
    case fenced
    /// The journal did not answer. Whether it has the commit is not known: the node reads on, and finds it or not.
    case unanswered(seconds: Int)
    /// The commit cannot be written as an entry.
    case entry(JournalProblem)

    package var description: String {
        switch self {
        case .fenced: "another node leads"
        case .unanswered(let seconds): "the journal has not answered for \(seconds) s"
        case .entry(let problem): problem.description
        }
    }
}
