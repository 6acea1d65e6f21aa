/// The one message to the journal whose outcome is open.
///
/// - Confinement: any
struct PublishUnderWay: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        /// The node stands for election.
        case lead(term: UInt64)
        /// The first part is under way; a small entry has no other.
        case parts([EncodedEntry])
    }

    enum Phase: Sendable, Hashable {
        /// The outcome is awaited, and at this time given up.
        case published(until: Int64)
        /// It is published again at this time.
        case unanswered(again: Int64)
        /// Something stands at its place: its own first try, or the entry of another node.
        case refused
    }

    /// The same for each try.
    let number: UInt64
    let content: Content
    /// The sequence of the entry before it.
    let expectation: UInt64
    /// The time of the first try.
    let since: Int64
    var phase: Phase

    var sequence: UInt64 { expectation + 1 }

    var isPartOfTransaction: Bool {
        if case .parts = content { true } else { false }
    }

    /// Whether it is time to publish it again.
    func isDue(at now: Int64) -> Bool {
        switch phase {
        case .published(let until): now >= until
        case .unanswered(let again): now >= again
        case .refused: false
        }
    }

    /// The entry, once it is in the journal.
    ///
    /// - Parameter term: Of the node that leads.
    func facts(node: String, term: UInt64) -> EntryFacts {
        switch content {
        case .lead(let new):
            EntryFacts(sequence: sequence, kind: .lead, stamp: EntryStamp(node: node, term: new, crc: 0))
        case .parts(let parts):
            EntryFacts(
                sequence: sequence, kind: .commit(hasMoreParts: parts.count > 1),
                stamp: EntryStamp(node: node, term: term, crc: parts[0].crc))
        }
    }

    /// Whether an entry of the journal is this one. All entries `lead` of a node and a term have the same bytes.
    func isEntry(_ entry: EntryFacts, node: String, term: UInt64) -> Bool {
        let own = facts(node: node, term: term)
        guard entry.sequence == own.sequence else { return false }
        guard case .lead = content else { return entry.stamp == own.stamp }
        return entry.kind == .lead && entry.stamp.node == node && entry.stamp.term == own.stamp.term
    }

    /// The task of publishing it, for the first time or again.
    var action: LeadershipAction {
        let published: PublishedContent =
            switch content {
            case .lead(let term): .lead(term: term)
            case .parts(let parts): .entry(parts[0].bytes)
            }
        return .publish(number: number, published, expecting: expectation)
    }
}
