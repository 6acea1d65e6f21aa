package import Journal

/// Messages to the thread that connects this node with the others.
///
/// - Confinement: any
package enum ClusterMessage: Sendable {
    /// The writer has a transaction ready, and waits on its thread until the journal has it or will not have it.
    case order([EncodedEntry], CommitWait)
    /// The database has everything up to this entry. `schema` is its newest migration.
    case applied(JournalPlace, schema: Int)
    /// The database failed; the writer goes on from `place`, and tells when it can be written again by another
    /// ``applied(_:schema:)``.
    case databaseFailed(at: JournalPlace?, isFull: Bool)
    /// An entry cannot be applied: this node's database is not that of the others.
    case diverged(sentence: String)
    /// An entry cannot be applied by this program, which must be another one; the database is as good as that of the others.
    case unfit(sentence: String)
    /// This node's tables were digested, see ``WriterMessage/mark(_:)``.
    case digested(TableDigests)
    /// Writes of this node's clients, for the node that leads. Each comes once; the receiver repeats it until an entry
    /// or a refusal answers it, or it is forgotten.
    ///
    /// After ``WriterMessage/lead(_:)`` the writer takes everything that waits into its own queue. So all that comes before
    /// it has answered that by ``applied(_:schema:)`` or ``databaseFailed(at:isFull:)`` is void, as all that came before is.
    case hand([HandedCommand])
    /// The writer does not wait any more for the answers to these tickets.
    case forget([UInt64])
    /// The answer to a write that another node has handed to this one.
    case answer(HandedOrigin, after: UInt64, Outcome)
    /// For the other nodes, and kept by none of them.
    case signal(OwnSignal)
    /// An operator wants another node to lead.
    case stepDown
    /// The server is about to stop: the node leads no more, if another one can.
    case prepareToStop
    case stop
}
