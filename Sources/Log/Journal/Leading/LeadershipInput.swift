/// Something that a ``Leadership`` must know.
///
/// - Confinement: any
package enum LeadershipInput: Sendable, Hashable {
    /// Time has passed. At least every 250 ms; more often makes pauses more exact.
    case tick
    /// Another node speaks. A heartbeat of the node's own address is ignored.
    case heartbeat(NodeHeartbeat)
    /// The answer to ``LeadershipAction/askLastSequence``: the sequence of the stream's newest entry, and of the oldest
    /// that it still has.
    case lastSequence(UInt64, first: UInt64)
    /// The journal delivers an entry: also one's own, also again.
    case entry(EntryFacts)
    /// The database has all entries up to this one, after ``LeadershipAction/apply(_:)``,
    /// ``LeadershipAction/commit(sequence:)`` and ``LeadershipAction/lead(term:sequence:)``. `schema` is its newest
    /// migration.
    case applied(UInt64, schema: Int)
    /// A transaction is ready: the bytes that are to be in the journal before its `COMMIT`, as one entry or as the parts
    /// of one. No other transaction may be open.
    case submit([EncodedEntry])
    /// The journal stored what was published under the number.
    case acknowledged(number: UInt64, sequence: UInt64)
    /// The journal refused it (`10071`), for its last sequence is another one than was expected; nil if it did not say
    /// which. That number counts entries that it has not stored yet, too.
    case refused(number: UInt64, last: UInt64?)
    /// No answer came, or one by which the entry may be published again: without a leader, or without a connection.
    case noAnswer(number: UInt64)
    case journal(JournalLinkState)
    /// The node may not lead.
    case hindered(LeadingObstacle)
    /// The obstacle is gone.
    case cleared(LeadingObstacle)
    /// The owner found that the node cannot go on.
    case halted(LeadershipStop)
    /// The operator wants another node to lead.
    case stepDown
}

/// The way to the journal.
///
/// - Confinement: any
package enum JournalLinkState: Sendable, Hashable, CaseIterable {
    case unreachable
    /// Its servers are there and elect a leader of their own.
    case withoutLeader
    case reachable
}

/// Why a node may not lead.
///
/// - Confinement: any
package enum LeadingObstacle: Sendable, Hashable, CaseIterable {
    /// It ends (SIGTERM).
    case stopping
    case diskFull
    /// Its database fails for another reason than a full disk.
    case storage
    /// Its clock differs from the clocks of the others by more than 5 s.
    case clock
    /// It hears no other node, and the journal shows no majority of its servers.
    case isolated
    /// The configuration says `--lead never`.
    case never
    /// The operator ordered it; ends by itself after ``LeadingLimits/refrain``.
    case order
    /// Its program, or that of other nodes, is being exchanged for one with newer tables.
    case upgrade

    /// For the log.
    package var sentence: String {
        switch self {
        case .stopping: "it stops"
        case .diskFull: "its disk is full"
        case .storage: "its database cannot be written"
        case .clock: "its clock differs from the clocks of the other nodes by more than 5 s"
        case .isolated: "it hears no other node, and the journal shows no majority"
        case .never: "its configuration says 'lead never'"
        case .order: "an operator ordered it to step down"
        case .upgrade: "the nodes' programs are being exchanged for one with newer tables"
        }
    }
}
