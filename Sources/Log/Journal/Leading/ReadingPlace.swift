/// How far a node has read the journal and applied it. Entries count in their sequence, each once.
///
/// - Confinement: any
struct ReadingPlace: Sendable, Hashable {
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
        /// No node writes this here: only a new term can follow, which begins with `lead`.
        case outOfTurn
    }

    /// The newest entry that was read, all entries before it too.
    private(set) var read: UInt64
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
        read = applied
        self.applied = applied
        self.term = term
    }

    /// Whether the database has all complete entries that were read.
    var isUpToDate: Bool { applied + 1 == parts?.lowerBound ?? read + 1 }

    /// Reads an entry.
    mutating func take(_ entry: EntryFacts) -> Step {
        guard entry.sequence > read else { return .known }
        guard entry.sequence == read + 1 else { return .gap }
        guard isInTurn(entry) else { return .outOfTurn }
        read = entry.sequence
        term = entry.stamp.term
        author = entry.stamp.node
        let first = parts?.lowerBound ?? entry.sequence
        switch entry.kind {
        case .lead:
            parts = nil
            return .apply(entry.sequence...entry.sequence)
        case .commit(hasMoreParts: true):
            parts = first...entry.sequence
            return .kept
        case .commit(hasMoreParts: false), .schema, .mark:
            parts = nil
            return .apply(first...entry.sequence)
        }
    }

    private func isInTurn(_ entry: EntryFacts) -> Bool {
        switch entry.kind {
        case .lead: entry.stamp.term > term
        case .commit: isOfTerm(entry.stamp)
        case .schema, .mark: isOfTerm(entry.stamp) && parts == nil
        }
    }

    private func isOfTerm(_ stamp: EntryStamp) -> Bool {
        stamp.term == term && stamp.node == author ?? stamp.node
    }

    /// The database has all entries up to this one.
    mutating func noteApplied(_ sequence: UInt64) { applied = min(read, max(applied, sequence)) }
}
