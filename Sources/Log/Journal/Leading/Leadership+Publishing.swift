extension Leadership {
    /// A transaction is to be put in the journal.
    mutating func submit(_ parts: [EncodedEntry]) -> [LeadershipAction] {
        if stage.hasTransaction { preconditionFailure("a second transaction while one is under way") }
        guard stage == .leading(nil), obstacles.isEmpty, place.isUpToDate, !parts.isEmpty else { return [.rollBack] }
        return publish(.parts(parts))
    }

    /// - Parameter since: the time of the first try; nil for now.
    private mutating func publish(_ content: PublishUnderWay.Content, since: Int64? = nil) -> [LeadershipAction] {
        let publish = begin(content, since: since)
        stage = .leading(publish)
        return [publish.action]
    }

    /// The same bytes with the same expectation again: at most one of them finds its place.
    mutating func republish(_ publish: PublishUnderWay) -> [LeadershipAction] {
        if publish.isPartOfTransaction, let obstacle = obstacles.first { return follow(.hindered(obstacle)) }
        change(publish, .published(until: clock.now + LeadingLimits.unanswered))
        return [publish.action]
    }

    /// Its place was taken by something that is of nobody in this cluster: the next one is tried, in the same time.
    mutating func move(_ publish: PublishUnderWay) -> [LeadershipAction] {
        obstacles.first.map { follow(.hindered($0)) } ?? self.publish(publish.content, since: publish.since)
    }

    /// The publication goes on in another phase.
    private mutating func change(_ publish: PublishUnderWay, _ phase: PublishUnderWay.Phase) {
        var changed = publish
        changed.phase = phase
        stage = LeadershipStage(changed)
    }

    // MARK: The outcomes

    /// The journal has stored it, or an earlier try of it.
    mutating func acknowledge(_ number: UInt64, _ sequence: UInt64) -> [LeadershipAction] {
        guard let publish = stage.underWay, publish.number == number else { return [] }
        guard sequence == publish.sequence else {
            return stop(.otherPlace(expected: publish.sequence, sequence: sequence))
        }
        return complete(publish)
    }

    /// The journal's last sequence is not the one that was expected: the entry in its place decides.
    mutating func refuse(_ number: UInt64, last: UInt64?) -> [LeadershipAction] {
        guard let publish = stage.underWay, publish.number == number, publish.phase != .refused else { return [] }
        if let last, last <= publish.expectation {
            return missAnswer(number) + (last < publish.expectation ? noteJournalShort(last: last) : [])
        }
        change(publish, .refused)
        clock.noteReading()
        return [.read(from: publish.sequence)]
    }

    /// It is not known whether the journal has stored it.
    mutating func missAnswer(_ number: UInt64) -> [LeadershipAction] {
        guard let publish = stage.underWay, publish.number == number, publish.phase != .refused else { return [] }
        if publish.isPartOfTransaction, let obstacle = obstacles.first { return follow(.hindered(obstacle)) }
        change(publish, .unanswered(again: clock.now + LeadingLimits.again))
        return []
    }

    /// Time passes while the outcome is open.
    mutating func pursue(_ publish: PublishUnderWay) -> [LeadershipAction] {
        if publish.phase == .refused { return ask() }
        return publish.isDue(at: clock.now) ? republish(publish) : []
    }

    /// It is in the journal.
    mutating func complete(_ publish: PublishUnderWay) -> [LeadershipAction] {
        _ = place.take(publish.facts(node: node.name, term: place.term))
        journal.noteWhole()
        switch publish.content {
        case .lead(let term):
            stage = .leading(nil)
            return [.lead(term: term, sequence: publish.sequence)] + beat(early: true)
        case .parts(let parts) where parts.count > 1:
            if let obstacle = obstacles.first { return follow(.hindered(obstacle)) }
            return self.publish(.parts(Array(parts.dropFirst())))
        case .parts:
            stage = .leading(nil)
            return [.commit(sequence: publish.sequence)] + (obstacles.first.map { follow(.hindered($0)) } ?? [])
        }
    }

    // MARK: Obstacles

    /// The node may lead no more. An entry that was sent is waited for, because its answer is all but there; nothing
    /// else is published, not even that entry again.
    mutating func hinder(_ obstacle: LeadingObstacle) -> [LeadershipAction] {
        obstacles.insert(obstacle)
        switch stage {
        case .following, .stopped: return []
        case .standing:
            stage = .following
            return []
        case .leading(nil): return follow(.hindered(obstacle))
        case .leading(let publish?):
            if case .unanswered = publish.phase { return follow(.hindered(obstacle)) }
            return []
        }
    }
}
