@testable import Journal

// The ways of messages: each may be late, lost, or come twice.
extension Cluster {
    // MARK: From a node

    func send(_ kind: JournalRequest.Kind, _ node: Int) {
        guard !weather.losesOut(node, &dice) else { return }
        let request = JournalRequest(node: node, life: nodes[node].life, kind: kind)
        queue.plan(.toJournal(request), at: now + weather.delay(&dice))
        if weather.loss > 0, dice.once(in: 30) { queue.plan(.toJournal(request), at: now + weather.delay(&dice)) }
    }

    func sendHeartbeat(_ node: Int) {
        guard !weather.losesOut(node, &dice), !weather.losesSignals(&dice) else { return }
        let heartbeat = nodes[node].heartbeat
        for other in 0..<3 where other != node && !weather.losesIn(other, &dice) {
            queue.plan(
                .input(node: other, life: nodes[other].life, .heartbeat(heartbeat)), at: now + weather.delay(&dice))
        }
    }

    /// Hands a command to another node.
    func sendCommand(_ command: ModelCommand, from node: Int, to other: Int) {
        guard !weather.losesOut(node, &dice), !weather.losesIn(other, &dice), !weather.losesSignals(&dice) else {
            return
        }
        queue.plan(.command(node: other, command), at: now + weather.delay(&dice))
    }

    // MARK: The journal

    func takeRequest(_ request: JournalRequest) {
        let node = request.node
        switch request.kind {
        case .append(let number, let entry, let expecting, let attempt):
            let proposal = ModelJournal.Proposal(
                node: node, life: request.life, number: number, attempt: attempt, entry: entry)
            switch journal.append(proposal, expecting: expecting) {
            case .accepted:
                storedAt = max(storedAt, now + weather.storeDelay(&dice))
                queue.plan(.store(epoch: journal.epoch), at: storedAt)
                if weather.isLeaderLostAtAppend { loseJournalLeader() }
            case .refused(let last):
                answer(request, attempt, .refused(number: number, last: UInt64(last)))
            case .silence:
                // Some clients notice that nobody answers.
                if dice.once(in: 2) { answer(request, attempt, .noAnswer(number: number)) }
            }
        case .lastSequence:
            guard !journal.isSilent(for: node) else { return }
            answer(request, nil, .lastSequence(UInt64(journal.count(for: node)), first: 1))
        case .read(let from):
            guard !journal.isSilent(for: node), nodes[node].life == request.life else { return }
            weather.reading[node] = from
            deliver(to: node)
        }
    }

    private func answer(_ request: JournalRequest, _ attempt: Int?, _ input: LeadershipInput) {
        guard !weather.losesIn(request.node, &dice) else { return }
        let at = now + weather.delay(&dice)
        if let attempt {
            queue.plan(.answered(node: request.node, life: request.life, attempt: attempt, input), at: at)
        } else {
            queue.plan(.input(node: request.node, life: request.life, input), at: at)
        }
    }

    func store(_ epoch: Int) {
        guard let proposal = journal.store(epoch: epoch) else { return }
        let sequence = journal.log.count
        note("the journal has \(sequence): \(proposal.entry.kind) of \(proposal.entry.stamp)")
        let request = JournalRequest(node: proposal.node, life: proposal.life, kind: .lastSequence)
        answer(
            request, proposal.attempt,
            .acknowledged(number: proposal.number, sequence: UInt64(sequence)))
        for node in 0..<3 { deliver(to: node) }
    }

    /// Sends a node the entries that it has not been sent.
    func deliver(to node: Int) {
        guard var next = weather.reading[node], nodes[node].isAlive else { return }
        let last = journal.count(for: node)
        while next <= last {
            weather.deliveredAt[node] = max(weather.deliveredAt[node], now + weather.delay(&dice))
            if !weather.losesIn(node, &dice) {
                queue.plan(
                    .entry(node: node, life: nodes[node].life, sequence: next), at: weather.deliveredAt[node])
            }
            next += 1
        }
        weather.reading[node] = next
    }

    /// The client library says how it reaches the journal, if that has changed.
    func noticeLink(_ node: Int) throws {
        let state: JournalLinkState =
            weather.isCut(node) ? .unreachable : journal.isSilent(for: node) ? .withoutLeader : .reachable
        guard state != nodes[node].link else { return }
        nodes[node].link = state
        note("\(Self.names[node]): the journal is \(state)")
        try give(.journal(state), to: node)
    }
}
