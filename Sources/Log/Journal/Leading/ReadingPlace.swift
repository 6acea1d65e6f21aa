/// How far a node has read the journal and applied it. Entries count in their sequence, each once.
///
/// - Confinement: any
package struct ReadingPlace: Sendable, Hashable {
    /// The meaning of an entry for a node that stands here.
    enum Step: Sendable, Hashable {
        /// Read before.
        case known
        /// Entries before it are missing.
        case gap
        /// A part of an entry; the others follow.
        case kept
        /// An entry is complete. Parts before the range are void.
        case apply(ClosedRange<UInt64>)
        /// It is of nobody in this cluster.
        case foreign
        /// No node writes this here: only a new term can follow, which begins with `lead`.
        case outOfTurn
        /// Its author counts other entries before it than this node does.
        case otherPrevious
    }

    /// The newest entry that was read, all entries before it too.
    package private(set) var read: UInt64
    /// The newest of them that counts, so that the next one follows it: what came after it is of nobody in this cluster.
    package private(set) var newest: UInt64
    /// The newest entry that is to be applied.
    private var complete: UInt64
    /// The newest entry whose effects the database has.
    private(set) var applied: UInt64
    /// The term of the newest entry that was read.
    private(set) var term: UInt64
    /// The node whose term it is; nil when the database does not know it, until an entry names it.
    private(set) var author: String?
    /// The parts that were read of an entry that is not complete.
    private(set) var parts: ClosedRange<UInt64>?

    /// - Parameters:
    ///   - applied: `meta.journal` of the database.
    ///   - term: `meta.term` of the database.
    ///   - author: the node whose term it is, if the database knows it.
    init(applied: UInt64, term: UInt64, author: String? = nil) {
        self.author = author
        (read, newest, complete) = (applied, applied, applied)
        self.applied = applied
        self.term = term
    }

    /// Whether the database has all complete entries that were read.
    var isUpToDate: Bool { applied >= complete }

    /// Whether the database has all that was read, as far as it is known to be of this cluster: a node that passes over entries,
    /// and hears no leader with its own secret, may have a wrong one.
    package func hasEverything(hearing leader: String?) -> Bool {
        parts == nil && isUpToDate && (read == newest || leader != nil)
    }

    /// Whether the journal that was read may have an entry that another node has applied. One of an older term after the end of what
    /// was read is of another history: the `lead` of the newer term stands at its place, or before it.
    package func mayHave(_ applied: UInt64, inTerm other: UInt64) -> Bool { other >= term || applied <= read }

    /// Reads an entry.
    mutating func take(_ entry: EntryFacts) -> Step {
        guard entry.sequence > read else { return .known }
        guard entry.sequence == read + 1 else { return .gap }
        guard entry.kind != .foreign else {
            read = entry.sequence
            return .foreign
        }
        if let previous = entry.previous, previous != newest { return .otherPrevious }
        guard isInTurn(entry) else { return .outOfTurn }
        (read, newest) = (entry.sequence, entry.sequence)
        term = entry.stamp.term
        author = entry.stamp.node
        let first = parts?.lowerBound ?? entry.sequence
        switch entry.kind {
        case .lead:
            parts = nil
            complete = entry.sequence
            return .apply(entry.sequence...entry.sequence)
        case .commit(hasMoreParts: true):
            parts = first...entry.sequence
            return .kept
        case .commit(hasMoreParts: false), .schema, .mark:
            parts = nil
            complete = entry.sequence
            return .apply(first...entry.sequence)
        case .foreign: return .foreign
        }
    }

    private func isInTurn(_ entry: EntryFacts) -> Bool {
        switch entry.kind {
        case .lead: entry.stamp.term > term
        case .commit: isOfTerm(entry.stamp)
        case .schema, .mark: isOfTerm(entry.stamp) && parts == nil
        case .foreign: true
        }
    }

    private func isOfTerm(_ stamp: EntryStamp) -> Bool {
        stamp.term == term && stamp.node == author ?? stamp.node
    }

    /// The database has all entries up to this one.
    mutating func noteApplied(_ sequence: UInt64) { applied = min(read, max(applied, sequence)) }
}
