extension Leadership {
    // MARK: Following → standing

    /// Time passes while the node follows.
    mutating func watch() -> [LeadershipAction] {
        guard journal.state != .unreachable else { return [] }
        let reading = heard.newestApplied.sequence > place.read ? readOn() : []
        return isTimeToStand || journal.isShort ? reading + ask() : reading
    }

    private var isTimeToStand: Bool { obstacles.isEmpty && clock.isTimeToStand && place.isUpToDate }

    /// Why the node may not lead: it has not everything, or another node knows less than it or more than the journal.
    ///
    /// - Parameter last: the stream's last sequence.
    private func reasonToWait(last: UInt64) -> LeadershipWait? {
        if !place.isUpToDate || last != place.read { return .reading(applied: place.applied, last: last) }
        return heard.objection(to: schema, inTerm: place.term, last: last, at: clock.now)
    }

    /// Following → standing, if it is time and nothing speaks against it.
    ///
    /// - Parameter last: the stream's last sequence.
    private mutating func standIfPossible(last: UInt64) -> [LeadershipAction] {
        guard obstacles.isEmpty, clock.isTimeToStand else { return [] }
        waits = reasonToWait(last: last)
        guard waits == nil else { return [] }
        let publish = begin(.lead(term: place.term + 1))
        stage = .standing(publish)
        return [publish.action]
    }

    /// A publication whose place is after the newest entry.
    mutating func begin(_ content: PublishUnderWay.Content, since: Int64? = nil) -> PublishUnderWay {
        lastNumber += 1
        return PublishUnderWay(
            number: lastNumber, content: content, expectation: place.read, since: since ?? clock.now,
            phase: .published(until: clock.now + LeadingLimits.unanswered))
    }

    // MARK: The other nodes

    /// Another node speaks.
    mutating func hear(_ heartbeat: NodeHeartbeat) -> [LeadershipAction] {
        guard heartbeat.isOurs else {
            heard.noteStranger(heartbeat, at: clock.now)
            return []
        }
        if heartbeat.node == node.name {
            return role != .leading && node.isTaken(by: heartbeat)
                ? stop(.nameTaken(node: node.name, address: heartbeat.address)) : []
        }
        heard.note(heartbeat, isOfJournal: place.mayHave(heartbeat.applied, inTerm: heartbeat.term), at: clock.now)
        guard heartbeat.term >= place.term else { return [] }
        guard heartbeat.leads else {
            guard heartbeat.node == place.author else { return [] }
            endedTerm = heartbeat.term
            clock.endWait()
            return stage == .following ? watch() : []
        }
        if let contradiction = heard.contradiction(of: heartbeat, to: place) { return stop(contradiction) }
        clock.waitForSilence()
        waits = nil
        // With something under way the answer decides: the entry may be in the journal, before that of the other node.
        guard stage == .leading(nil), heartbeat.term > place.term else { return [] }
        return follow(.deposed(by: heartbeat.node, term: heartbeat.term))
    }

    // MARK: The journal

    /// The stream's last and first sequence are known.
    mutating func compare(last: UInt64, first: UInt64) -> [LeadershipAction] {
        if first > place.read + 1 { return stop(.tooFarBehind(next: place.read + 1, first: first)) }
        guard last >= place.read else { return noteJournalShort(last: last) }
        journal.noteWhole()
        switch stage {
        case .standing(let publish), .leading(let publish?):
            guard publish.phase == .refused else { return [] }
            // The entry for which it was refused has vanished with a leader of the journal.
            return last == publish.expectation ? republish(publish) : readOn()
        case .following:
            return (last > place.read ? readOn() : []) + standIfPossible(last: last)
        case .leading(nil): return last > place.read ? readOn() : []
        case .stopped: return []
        }
    }

    /// The journal answers with less than this node has read: the answer is old, or entries are lost.
    mutating func noteJournalShort(last: UInt64) -> [LeadershipAction] {
        journal.noteShort(at: clock.now) ? stop(.knowsMore(read: place.read, last: last)) : []
    }

    /// The way to the journal changes.
    mutating func note(_ state: JournalLinkState) -> [LeadershipAction] {
        let old = journal.note(state, at: clock.now)
        guard state != .unreachable else { return [] }
        var tasks: [LeadershipAction] = []
        if old == .unreachable {
            // It could hear nobody, so it listens first.
            clock.waitForSilence()
            clock.noteReading()
            tasks = [.read(from: place.read + 1)] + ask()
        }
        guard state == .reachable, old != .reachable, let publish = stage.underWay, publish.phase != .refused else {
            return tasks
        }
        return tasks + republish(publish)
    }

    mutating func ask() -> [LeadershipAction] { clock.isTimeToAsk() ? [.askLastSequence] : [] }

    /// Asks for the next entry, unless entries come.
    mutating func readOn() -> [LeadershipAction] { clock.isTimeToRead() ? [.read(from: place.read + 1)] : [] }

    /// The journal delivers an entry.
    mutating func read(_ entry: EntryFacts) -> [LeadershipAction] {
        guard let publish = stage.underWay, entry.sequence == publish.sequence else { return advance(entry) }
        if publish.isEntry(entry, node: node.name, term: place.term) { return complete(publish) }
        guard publish.isPartOfTransaction else {
            stage = .following
            // Its author may lead with another secret, and says so in the meantime.
            if entry.kind == .foreign { clock.waitForSilence() }
            return advance(entry)
        }
        guard entry.kind != .foreign else { return advance(entry) + move(publish) }
        return follow(.fenced(by: entry.stamp)) + advance(entry)
    }

    /// Reads an entry that is not the one under way.
    private mutating func advance(_ entry: EntryFacts) -> [LeadershipAction] {
        let step = place.take(entry)
        var tasks: [LeadershipAction] = []
        switch step {
        case .known: return []
        case .gap: return readOn()
        case .outOfTurn: return stop(.outOfTurn(entry, term: place.term))
        case .otherPrevious: return stop(.otherPrevious(entry, here: place.newest))
        case .foreign:
            clock.noteReading()
            journal.noteWhole()
            return []
        case .kept: break
        case .apply(let range): tasks = [.apply(range)]
        }
        clock.noteReading()
        if entry.stamp.term > endedTerm { clock.waitForSilence() }
        journal.noteWhole()
        guard role == .leading else { return tasks }
        return follow(.deposed(by: entry.stamp.node, term: entry.stamp.term)) + tasks
    }
}
