/// The bounds of a node that is one of several, each with its reason.
///
/// - Confinement: any
package enum MemberLimits {
    /// How long a session waits for a position that its client has seen on another node: a node that is ready lags by no
    /// more, see `lag-ready`.
    package static let headWaitMilliseconds: Int64 = 5_000
    /// How long a node may be cut off before it takes no sessions, and is not ready: a connection to the journal is replaced in
    /// less time, and its next answer comes sooner.
    package static let cutOffMilliseconds: Int64 = 2_000
    /// Then it leads no more: most others have chosen another node by then.
    package static let cutOffLeadingMilliseconds: Int64 = 5_000
    /// Then its sessions go to other nodes: longer than the journal takes to choose another leader, which may cut off all
    /// nodes alike.
    package static let cutOffClosingMilliseconds: Int64 = 15_000
    /// Without a proof of the journal for so long a node says that writes wait, since the one under way is given up.
    package static let unprovedWriteMilliseconds: Int64 = 5_000
    /// How long after an entry of its own a node gives answers that only a leading node may give.
    package static let ledMilliseconds: Int64 = 1_000
    /// Over how many seconds the sessions of a node that lags too much end.
    package static let leavingSeconds = 5
    /// Milliseconds for which a write on a node that does not lead waits for its answer.
    package static let handedMilliseconds: Int64 = 10_000
    /// Answers that wrote nothing and that a leading node keeps for its next entry.
    package static let unwrittenAnswersMax = 1000
    /// Entries of the journal, and statements in them, that a node applies in one transaction, so that they share an
    /// fsync.
    package static let appliedEntriesMax = 256
    package static let appliedStatementsMax = 20_000
}
