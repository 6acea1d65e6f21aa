/// A task for the owner of a ``Leadership``. The tasks of one answer are done in their order.
///
/// - Confinement: any
package enum LeadershipAction: Sendable, Hashable {
    /// Publish, and report the outcome under the number. The header `Nats-Expected-Last-Sequence` has `expecting`. The
    /// same number comes again with the same content when no answer came.
    case publish(number: UInt64, PublishedContent, expecting: UInt64)
    /// Ask the stream for its last and its first sequence.
    case askLastSequence
    /// Read the journal from this sequence on, until the next such task; entries may come twice.
    case read(from: UInt64)
    /// Apply the entry of this sequence, or the one that consists of these parts. Parts before the range that were not
    /// applied are void.
    case apply(ClosedRange<UInt64>)
    /// `COMMIT` the open transaction, with this sequence in `meta.journal`.
    case commit(sequence: UInt64)
    /// `ROLLBACK` the open transaction. If its entry is in the journal all the same, it is applied from there.
    case rollBack
    /// Note the sequence and the term in the database, forget what the writer remembers, begin the duties, take commands.
    case lead(term: UInt64, sequence: UInt64)
    /// Take no commands, and end the duties.
    case follow(LeadershipEnd)
    /// Send a heartbeat now.
    case heartbeat(term: UInt64, leads: Bool, applied: UInt64)
    /// Neither read nor write, and tell the operator why.
    case stop(LeadershipStop)
}

/// The content of a message to the journal.
///
/// - Confinement: any
package enum PublishedContent: Sendable, Hashable {
    /// An entry of the kind `lead`, which the owner encodes. A node publishes one for each term, always with the same
    /// bytes.
    case lead(term: UInt64)
    /// The bytes of an entry, or of a part of one.
    case entry([UInt8])
}

/// Why a node leads no more.
///
/// - Confinement: any
package enum LeadershipEnd: Sendable, Hashable {
    /// The entry of another node stands where this node's was to stand.
    case fenced(by: EntryStamp)
    /// Another node leads, and nothing was under way.
    case deposed(by: String, term: UInt64)
    /// The journal did not answer for ``LeadingLimits/unanswered``. The outcome is not known yet.
    case noAnswer
    /// The journal was unreachable for ``LeadingLimits/unanswered``, and nothing was under way.
    case cutOff
    case hindered(LeadingObstacle)

    /// For the log.
    package var sentence: String {
        switch self {
        case .fenced(let stamp):
            "this node no longer leads: an entry of node '\(stamp.node)', term \(stamp.term), came before its own"
        case .deposed(let node, let term): "this node no longer leads: node '\(node)' leads, in term \(term)"
        case .noAnswer: "this node no longer leads: the journal did not say for 5 s whether it stored an entry"
        case .cutOff: "this node no longer leads: it has not reached the journal for 5 s"
        case .hindered(let obstacle): "this node no longer leads: \(obstacle.sentence)"
        }
    }
}

/// Why a node takes no more part. It begins again only with a new ``Leadership``.
///
/// - Confinement: any
package enum LeadershipStop: Sendable, Hashable {
    /// Entries that this node applied, or read, are gone from the journal.
    case knowsMore(read: UInt64, last: UInt64)
    /// The stream no longer has the next entry: the node must join as a new one.
    case tooFarBehind(next: UInt64, first: UInt64)
    /// An entry of a term that did not begin here.
    case outOfTurn(EntryFacts, term: UInt64)
    /// Two nodes have led in the same term: entries that this node has are gone, and others stand in their places.
    case twoAuthors(term: UInt64, known: String, other: String)
    /// The journal acknowledged an entry at another place than the one that was expected.
    case otherPlace(expected: UInt64, sequence: UInt64)
    /// The author of an entry counts other entries before it than this node does.
    case otherPrevious(EntryFacts, here: UInt64)
    /// Another node has the same name.
    case nameTaken(node: String, address: String)
    /// An entry of the journal cannot be read.
    case unreadable(sequence: UInt64, JournalProblem)
    /// An entry cannot be applied, since the database is not that of the others.
    case diverged(String)
    /// An entry is for the tables of another program.
    case otherTables(String)

    /// For the operator: what is wrong and what to do.
    package var sentence: String {
        switch self {
        case .knowsMore(let read, let last):
            "the journal has less than this node: it ends with entry \(last), and this node has entry \(read); "
                + "acknowledged entries are gone from the journal: "
                + "run 'watchwise cluster reseed' with the node that is furthest"
        case .tooFarBehind(let next, let first):
            "the journal no longer has entry \(next), which this node needs; the next one that it has is entry "
                + "\(first): it must join as a new node"
        case .outOfTurn(let entry, let term):
            "entry \(entry.sequence) of the journal is of node '\(entry.stamp.node)', term \(entry.stamp.term), and "
                + "that cannot follow an entry of term \(term): the journal was changed by something else than the nodes"
        case .twoAuthors(let term, let known, let other):
            "this node has entries of node '\(known)' of term \(term), and node '\(other)' leads in that term: the journal "
                + "lost acknowledged entries, and others took their places: look at both databases before one is removed"
        case .otherPlace(let expected, let sequence):
            "the journal stored an entry as number \(sequence) that was to be number \(expected): "
                + "its servers do not check 'Nats-Expected-Last-Sequence'"
        case .otherPrevious(let entry, let here):
            "entry \(entry.sequence) of node '\(entry.stamp.node)' follows entry \(entry.previous ?? 0) there, and entry "
                + "\(here) here: one of the two has passed over entries of the other, so their secrets were not the same: "
                + "this node must join as a new node, with the secret files of the others"
        case .nameTaken(let node, let address):
            "the node at \(address) is called '\(node)', too: give each node a name of its own with --node"
        case .unreadable(let sequence, let problem):
            "entry \(sequence) of the journal cannot be read: \(problem.description): "
                + "run the newest program of the nodes here, too"
        case .diverged(let sentence):
            "the database of this node is not that of the others: \(sentence): it must join as a new node"
        case .otherTables(let sentence): sentence
        }
    }

    /// Whether the node can take part again with the database of another one, which its next start fetches.
    package var isMendedByJoining: Bool {
        switch self {
        case .tooFarBehind, .diverged, .otherPrevious: true
        case .knowsMore, .outOfTurn, .twoAuthors, .otherPlace, .nameTaken, .unreadable, .otherTables:
            false
        }
    }
}
