@testable import Journal

// The facts that must be true.
extension Cluster {
    /// The time from the end of the last fault to quiet.
    static let settlingMax = 30_000
    /// Before it the nodes elect a leader, and nothing goes wrong.
    static let faultsAt = 4000
    /// From the end of the last fault to the first commit, as when the leading node is killed.
    static let leadingMax = 3000

    /// All commands are answered, and every node has everything.
    var isSettled: Bool {
        leadsAgainAt != nil && clients.allSatisfy(\.isDone) && journal.proposalCount == 0
            && nodes.allSatisfy { $0.isAlive && $0.open == nil && $0.database.applied == journal.log.count }
    }

    /// A node that leads has committed.
    func noteCommit() {
        if now >= Self.faultsAt { longestPause = max(longestPause, now - committedAt) }
        committedAt = now
        if now > quietAt, leadsAgainAt == nil { leadsAgainAt = now }
    }

    /// A node leads no more.
    func noteEnd(_ reason: LeadershipEnd, _ node: Int) throws {
        switch reason {
        case .fenced:
            marks.note(.fenced)
            try checkFence(node)
        case .deposed: marks.note(.deposed)
        case .noAnswer: marks.note(.unanswered)
        case .hindered: marks.note(.hindered)
        case .cutOff: marks.note(.cutOff)
        }
    }

    /// A leader is fenced only by the entry of another one.
    private func checkFence(_ node: Int) throws {
        let stamp = journal.log[Int(nodes[node].machine.place.read) - 1].stamp
        guard stamp.node != Self.names[node] || stamp.term != nodes[node].leads else {
            throw Broken("\(Self.names[node]) is fenced by its own entry \(nodes[node].machine.place.read)")
        }
    }

    /// - Throws: ``Broken``
    func audit() throws {
        try checkTerms()
        let truth = try replay()
        for node in nodes {
            let database = node.database
            guard database.digests == truth.digests, database.counts == truth.counts, database.results == truth.results
            else {
                throw Broken(
                    "\(Self.names[node.index]) has \(database.results.count) commands, not those of the journal")
            }
        }
        for client in clients {
            for (id, result) in client.answers where truth.results[id] != result {
                throw Broken(
                    "\(id) was acknowledged as \(result), and is \(truth.results[id].map { "\($0)" } ?? "lost")")
            }
        }
        let pause = (leadsAgainAt ?? .max) - quietAt
        guard pause <= Self.leadingMax else { throw Broken("it led again \(pause) ms after the last fault") }
    }

    /// Each term is of one node, begins with `lead` and never comes back.
    private func checkTerms() throws {
        var current = EntryStamp(node: "", term: 0, crc: 0)
        for (sequence, entry) in zip(1..., journal.log) {
            let stamp = entry.stamp
            let isInTurn =
                entry.kind == .lead
                ? stamp.term > current.term : (stamp.term, stamp.node) == (current.term, current.node)
            guard isInTurn else { throw Broken("entry \(sequence) of \(stamp) follows one of \(current)") }
            current = stamp
        }
    }

    /// The database that the journal describes, read as simply as possible. No command may be in it twice, and those of
    /// a client must be in their order.
    private func replay() throws -> ModelDatabase {
        var truth = ModelDatabase()
        var parts: [ModelEffect] = []
        var last = [Int](repeating: 0, count: clients.count)
        for entry in journal.log {
            if entry.kind == .lead {
                if !parts.isEmpty { marks.note(.voidParts) }
                parts = []
            }
            parts += entry.effects
            if entry.kind == .commit(hasMoreParts: true) { continue }
            for effect in parts {
                let command = effect.command
                guard command.id > last[command.client] else {
                    throw Broken("\(command.id) is doubled or out of order")
                }
                last[command.client] = command.id
            }
            guard truth.apply(parts) else {
                throw Broken("a result in the journal does not follow from the entries before")
            }
            parts = []
        }
        return truth
    }
}
