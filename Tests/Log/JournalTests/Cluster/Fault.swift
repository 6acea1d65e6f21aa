@testable import Journal

/// Something that goes wrong for a time.
struct Fault {
    enum Kind {
        /// `kill -9`; `lostCommits` are gone from its database, too.
        case kill(lostCommits: Int)
        /// The same as soon as it publishes, before or after the message leaves.
        case killAtPublish
        case freeze
        /// SIGTERM, 300 ms later the end.
        case terminate
        case diskFull
        case stepDown
        case slowDisk
        case cut(isOut: Bool, isIn: Bool)
        /// The journal's own leader is gone.
        case journalLeader
        /// A server of the journal that lost its majority answers some nodes.
        case oldAnswers
        case loss, slowNetwork, slowStore, lostSignals
    }

    /// The node that it hits.
    enum Target {
        case leader, follower
        case node(Int)
    }

    let kind: Kind
    let target: Target
    let milliseconds: Int
}

extension Cluster {
    /// The most faults of a seed.
    private static let faultsMax = 6

    func plan(_ fault: Fault, at begin: Int) {
        queue.plan(.begin(fault), at: begin)
        quietAt = max(quietAt, begin + fault.milliseconds)
    }

    func planFaults() {
        for _ in 0..<dice.within(2...Self.faultsMax) {
            let begin = dice.within(1500...6500)
            let fault = drawFault()
            plan(fault, at: begin)
            // A leader of the journal that is cut off often goes on to answer for a while.
            guard case .journalLeader = fault.kind, dice.once(in: 2) else { continue }
            plan(Fault(kind: .oldAnswers, target: .leader, milliseconds: dice.within(1000...9000)), at: begin - 1)
        }
    }

    private func drawFault() -> Fault {
        let target: Fault.Target = dice.once(in: 2) ? .leader : .node(dice.below(3))
        func fault(_ kind: Fault.Kind, _ milliseconds: ClosedRange<Int>) -> Fault {
            Fault(kind: kind, target: target, milliseconds: dice.within(milliseconds))
        }
        return switch dice.below(16) {
        case 0: fault(.kill(lostCommits: dice.once(in: 2) ? dice.within(1...3) : 0), 100...5000)
        case 1: fault(.killAtPublish, 100...5000)
        case 2, 3: fault(.freeze, 300...8000)
        case 4: fault(.terminate, 500...3000)
        case 5: fault(.diskFull, 500...4000)
        case 6: fault(.stepDown, 5500...5500)
        case 7: fault(.slowDisk, 1000...5000)
        case 8: fault(.cut(isOut: true, isIn: true), 200...9000)
        case 9: fault(.cut(isOut: true, isIn: false), 200...7000)
        case 10: fault(.cut(isOut: false, isIn: true), 200...7000)
        case 11: fault(.journalLeader, dice.once(in: 2) ? 50...500 : 4000...9000)
        case 12: fault(.oldAnswers, 500...6000)
        case 13: fault(.loss, 1000...5000)
        case 14: fault(dice.once(in: 2) ? .slowNetwork : .slowStore, 1000...5000)
        default: fault(.lostSignals, 1000...5000)
        }
    }

    func begin(_ fault: Fault) throws {
        let leading = nodes.firstIndex { $0.isAlive && $0.machine.role == .leading } ?? dice.below(3)
        let node =
            switch fault.target {
            case .leader: leading
            case .follower: (leading + dice.within(1...2)) % 3
            case .node(let node): node
            }
        note("\(fault.kind) of \(Self.names[node]) for \(fault.milliseconds) ms")
        queue.plan(.end(fault, node: node), at: now + fault.milliseconds)
        weather.change(fault.kind, of: node, by: 1)
        switch fault.kind {
        case .kill(let lostCommits): kill(node, lostCommits: lostCommits)
        case .killAtPublish: nodes[node].diesAtPublish = true
        case .freeze: nodes[node].frozenUntil = max(nodes[node].frozenUntil, now + fault.milliseconds)
        case .terminate:
            tell(node, .hindered(.stopping))
            let kill = Fault(kind: .kill(lostCommits: 0), target: .node(node), milliseconds: fault.milliseconds - 300)
            queue.plan(.begin(kill), at: now + 300)
        case .diskFull:
            nodes[node].isDiskFull = true
            tell(node, .hindered(.diskFull))
        case .stepDown: tell(node, .stepDown)
        case .cut:
            if !dice.once(in: 3) { planLinks([node], within: 1500) }
            if dice.once(in: 2) { moveClients(from: node) }
        case .journalLeader:
            // Often just after it has accepted something.
            if dice.once(in: 3) { loseJournalLeader() } else { weather.isLeaderLostAtAppend = true }
        case .oldAnswers: journal.beginOldAnswers(to: [node, dice.below(3)])
        case .slowDisk, .loss, .slowNetwork, .slowStore, .lostSignals: break
        }
    }

    func end(_ fault: Fault, _ node: Int) throws {
        note("end of \(fault.kind) of \(Self.names[node])")
        weather.change(fault.kind, of: node, by: -1)
        switch fault.kind {
        case .kill, .killAtPublish:
            nodes[node].diesAtPublish = false
            if !nodes[node].isAlive { start(node) }
        case .diskFull:
            nodes[node].isDiskFull = false
            tell(node, .cleared(.diskFull))
        case .cut: planLinks([node], within: 300)
        case .journalLeader:
            guard weather.leaderless == 0 else { return }
            weather.isLeaderLostAtAppend = false
            journal.electLeader()
            for node in 0..<3 { deliver(to: node) }
            planLinks([0, 1, 2], within: 300)
        case .oldAnswers:
            journal.endOldAnswers()
            for node in 0..<3 { deliver(to: node) }
        case .freeze, .terminate, .stepDown, .slowDisk, .loss, .slowNetwork, .slowStore, .lostSignals: break
        }
    }

    func loseJournalLeader() {
        weather.isLeaderLostAtAppend = false
        let kept = dice.below(journal.proposalCount + 1)
        marks.note(.vanished, journal.proposalCount - kept)
        journal.loseLeader(kept: kept)
        planLinks([0, 1, 2].filter { _ in dice.once(in: 2) }, within: 1000)
    }

    func kill(_ node: Int, lostCommits: Int) {
        guard nodes[node].isAlive else { return }
        nodes[node].isAlive = false
        nodes[node].diesAtPublish = false
        nodes[node].open = nil
        nodes[node].frozenUntil = 0
        weather.reading[node] = nil
        if lostCommits > 0 {
            marks.note(.wentBack)
            nodes[node].database = nodes[node].database.wentBack(commits: lostCommits, journal.log)
        }
    }

    private func tell(_ node: Int, _ input: LeadershipInput) {
        queue.plan(.input(node: node, life: nodes[node].life, input), at: now)
    }

    private func planLinks(_ nodes: [Int], within milliseconds: Int) {
        for node in nodes {
            queue.plan(.link(node: node, life: self.nodes[node].life), at: now + dice.below(milliseconds))
        }
    }
}
