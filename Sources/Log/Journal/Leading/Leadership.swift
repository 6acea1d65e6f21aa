/// Decides whether this node leads: the state machine of one node. The page "Leading" has its states and transitions.
///
/// A value without input and output: the owner passes in what happened, with the time, and performs the tasks of the
/// answer in their order. Of all nodes that believe that they lead only one can write, since the journal takes one
/// successor for each entry; this machine never relies on its clock for that.
///
/// - Confinement: any
package struct Leadership: Sendable {
    let node: NodeIdentity
    /// The number of the database's newest migration.
    package internal(set) var schema: Int
    var stage = LeadershipStage.following
    /// How far it has read.
    package internal(set) var place: ReadingPlace
    var heard = HeardNodes()
    /// Why it did not stand when it last could have; nil when a leader is heard, or it stands.
    package internal(set) var waits: LeadershipWait?
    var obstacles: LeadingObstacles
    var journal: JournalWatch
    var clock: LeadingClock
    /// The newest term whose node said that it leads no more: late entries are no sign of it.
    var endedTerm: UInt64 = 0
    /// The number of the newest publication.
    var lastNumber: UInt64 = 0

    /// A node that has just opened its database, or has repaired it: it follows, and waits for ``LeadershipInput/journal(_:)``.
    ///
    /// - Parameters:
    ///   - schema: the number of the database's newest migration.
    ///   - applied: `meta.journal` of the database.
    ///   - term: `meta.term` of the database.
    ///   - author: the node whose term it is, if the database knows it.
    ///   - obstacles: those that are known already.
    ///   - chance: 0 to ``LeadingLimits/chanceMax`` milliseconds that the node waits longer than others before it
    ///     stands, at random.
    ///   - now: monotonic milliseconds.
    package init(
        _ node: NodeIdentity, schema: Int, applied: UInt64, term: UInt64, author: String? = nil,
        obstacles: Set<LeadingObstacle> = [], chance: Int64, at now: Int64
    ) {
        self.node = node
        self.schema = schema
        self.obstacles = LeadingObstacles(obstacles, at: now)
        journal = JournalWatch(at: now)
        place = ReadingPlace(applied: applied, term: term, author: author)
        clock = LeadingClock(at: now, chance: chance)
    }

    package var role: LeadershipRole { stage.role }

    /// The term of the newest entry that was read.
    package var term: UInt64 { place.term }

    /// The sequence of the newest entry that the database has.
    package var applied: UInt64 { place.applied }

    /// The node whose ``term`` it is, to which commands are handed; nil when it is not known. It may be gone.
    package var author: String? { place.author ?? heard.author(of: place.term) }

    /// The node that leads; nil when none is known.
    package var leader: String? {
        if case .leading = stage { return node.name }
        return heard.leader(from: place.term, at: clock.now)
    }

    /// Takes something that happened, and answers what is to be done about it.
    ///
    /// - Parameter time: monotonic milliseconds.
    package mutating func take(_ input: LeadershipInput, at time: Int64) -> [LeadershipAction] {
        if clock.advance(to: time) { noteStandstill() }
        if case .stopped(let reason) = stage { return takeStopped(input, reason) }
        switch input {
        case .tick: return tick()
        case .heartbeat(let heartbeat): return hear(heartbeat)
        case .lastSequence(let last, let first): return compare(last: last, first: first)
        case .entry(let entry): return read(entry)
        case .applied(let sequence, let schema):
            self.schema = schema
            place.noteApplied(sequence)
            return []
        case .submit(let parts): return submit(parts)
        case .acknowledged(let number, let sequence): return acknowledge(number, sequence)
        case .refused(let number, let last): return refuse(number, last: last)
        case .noAnswer(let number): return missAnswer(number)
        case .journal(let state): return note(state)
        case .hindered(let obstacle): return hinder(obstacle)
        case .cleared(let obstacle):
            obstacles.remove(obstacle)
            return []
        case .halted(let reason): return stop(reason)
        case .stepDown:
            obstacles.beginOrder(at: clock.now)
            return hinder(.order)
        }
    }

    /// This process stood still: it has not listened, so the silence of others says nothing.
    private mutating func noteStandstill() {
        clock.waitForSilence()
        journal.noteWhole()
    }

    /// A node that knows more than the journal goes on to say what it has applied, so that no node leads without it.
    private mutating func takeStopped(_ input: LeadershipInput, _ reason: LeadershipStop) -> [LeadershipAction] {
        switch (input, reason) {
        case (.submit, _): [.rollBack]
        case (.tick, .knowsMore): beat()
        default: []
        }
    }

    // MARK: Time

    private mutating func tick() -> [LeadershipAction] {
        obstacles.tick(at: clock.now)
        let heartbeat = beat()
        switch stage {
        case .following: return heartbeat + watch()
        case .standing(let publish): return heartbeat + pursue(publish)
        case .leading(let publish?):
            if clock.now - publish.since >= LeadingLimits.unanswered { return follow(.noAnswer) }
            return heartbeat + pursue(publish)
        case .leading(nil): return journal.isCutOff(at: clock.now) ? follow(.cutOff) : heartbeat
        case .stopped: return []
        }
    }

    mutating func beat(early: Bool = false) -> [LeadershipAction] {
        guard clock.isTimeToBeat(early: early) else { return [] }
        return [.heartbeat(term: place.term, leads: role == .leading, applied: place.applied)]
    }

    // MARK: Transitions of more than one input

    /// → following. An open transaction is rolled back.
    mutating func follow(_ reason: LeadershipEnd) -> [LeadershipAction] {
        let undone = undoing
        stage = .following
        clock.waitForSilence()
        return undone + [.follow(reason)] + beat(early: true)
    }

    /// → stopped, for good.
    mutating func stop(_ reason: LeadershipStop) -> [LeadershipAction] {
        let undone = undoing
        stage = .stopped(reason)
        return undone + [.stop(reason)]
    }

    private var undoing: [LeadershipAction] { stage.hasTransaction ? [.rollBack] : [] }
}
