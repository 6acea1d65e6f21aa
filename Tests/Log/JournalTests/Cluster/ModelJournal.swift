@testable import Journal

/// The replicated journal, as its clients see it: append with an expectation. Its own servers elect a leader, and what
/// the old one had accepted and not stored is stored by the new one, or gone.
struct ModelJournal {
    struct Proposal {
        let node: Int
        let life: Int
        let number: UInt64
        let attempt: Int
        let entry: ModelEntry
    }

    enum Answer {
        case accepted
        case refused(last: Int)
        case silence
    }

    /// The stored entries, which stay for ever.
    private(set) var log: [ModelEntry] = []
    private var proposals: [Proposal] = []
    /// Of the journal's own leader.
    private(set) var epoch = 0
    private(set) var hasLeader = true
    /// A server that lost its majority and does not know it yet answers the nodes of `staleNodes` with this length.
    private(set) var staleCount = 0
    private(set) var staleNodes: Set<Int> = []

    /// The entries that a node can see.
    func count(for node: Int) -> Int { staleNodes.contains(node) ? staleCount : log.count }

    func isSilent(for node: Int) -> Bool { !hasLeader && !staleNodes.contains(node) }

    /// - Parameter expecting: nil if the publisher forgets it.
    mutating func append(_ proposal: Proposal, expecting: Int?) -> Answer {
        if staleNodes.contains(proposal.node) {
            return expecting == nil || expecting == staleCount ? .silence : .refused(last: staleCount)
        }
        guard hasLeader else { return .silence }
        let last = log.count + proposals.count
        guard expecting == nil || expecting == last else { return .refused(last: last) }
        proposals.append(proposal)
        return .accepted
    }

    /// Stores the oldest proposal.
    mutating func store(epoch: Int) -> Proposal? {
        guard epoch == self.epoch, !proposals.isEmpty else { return nil }
        let proposal = proposals.removeFirst()
        log.append(proposal.entry)
        return proposal
    }

    /// Its leader is gone. Nobody hears of the proposals that the others have kept.
    mutating func loseLeader(kept: Int) {
        log += proposals.prefix(kept).map(\.entry)
        proposals = []
        hasLeader = false
        epoch += 1
    }

    /// The newest entries are gone, although they were acknowledged: its servers did not flush.
    mutating func loseEntries(_ count: Int) {
        log.removeLast(count)
        proposals = []
        epoch += 1
    }

    mutating func beginOldAnswers(to nodes: Set<Int>) {
        staleNodes = nodes
        staleCount = log.count
    }

    mutating func endOldAnswers() { staleNodes = [] }

    var proposalCount: Int { proposals.count }

    mutating func electLeader() { hasLeader = true }
}
