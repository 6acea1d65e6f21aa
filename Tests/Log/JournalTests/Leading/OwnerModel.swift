@testable import Journal

/// A rule of leading that was broken.
struct BrokenRule: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// An owner that performs the tasks of a ``Leadership`` on a database of numbers, and checks that each task is allowed.
/// It knows nothing of time and of the journal: what the machine is notified of need not be possible.
struct OwnerModel {
    private(set) var machine: Leadership
    private(set) var now: Int64 = 10_000
    private var isTransactionOpen = false
    private var leads = false
    private var isStopped = false
    /// The newest entry that the database has.
    private var applied: UInt64 = 10
    /// The entries that the machine has seen, in their order and without gaps.
    private var read: UInt64 = 10
    /// The publication whose outcome is open.
    private(set) var open: Open?
    /// The content that was published at each place in each term: one successor to each entry.
    private var published: [Place: PublishedContent] = [:]

    struct Open: Hashable {
        let number: UInt64
        let expecting: UInt64
        let content: PublishedContent
    }

    private struct Place: Hashable {
        let term: UInt64
        let expecting: UInt64
    }

    /// An input as a test of all orders names it, without numbers: those follow from the state.
    enum Step: CaseIterable {
        case tick, longTick, pause, submit, submitParts, acknowledge, refuse, refuseOld, noAnswer, ownEntry, newLeader,
            foreignCommit, foreignPart, oldEntry, entryOfOldTerm, otherSecret, stray, otherPrevious, leaderSpeaks,
            newerLeaderSpeaks,
            leaderLeaves, last, lastMore,
            lastLess, cut, reached, withoutLeader, diskFull, diskFree, stepDown, stopping
    }

    init(obstacles: Set<LeadingObstacle> = []) {
        machine = Leadership(
            NodeIdentity(name: "a", address: "http://a"), schema: 24, applied: 10, term: 5,
            obstacles: obstacles, chance: 0, at: now)
    }

    private static let parts = [EncodedEntry(bytes: [1], crc: 1), EncodedEntry(bytes: [2], crc: 2)]

    /// Whether the owner of the machine can give this input at all.
    func allows(_ step: Step) -> Bool {
        switch step {
        case .submit, .submitParts: !isTransactionOpen
        case .acknowledge, .refuse, .refuseOld, .noAnswer, .ownEntry: open != nil
        default: true
        }
    }

    mutating func take(_ step: Step) throws {
        switch step {
        case .tick: now += 300
        case .longTick: now += 950
        case .pause: now += 6000
        default: now += 10
        }
        if step == .submit || step == .submitParts { isTransactionOpen = true }
        let input = input(step)
        let before = machine
        let tasks = machine.take(input, at: now)
        try note(input)
        for task in tasks { try perform(task, after: input) }
        if isTransactionOpen, open == nil { throw BrokenRule("a transaction stays open with nothing under way") }
        guard leads == (machine.role == .leading) else { throw BrokenRule("the owner does not know that it leads") }
        guard machine.role != .leading || before.role != .leading || machine.term == before.term else {
            throw BrokenRule("the term changed while it led")
        }
    }

    // MARK: Inputs

    private func entry(
        _ sequence: UInt64, _ kind: EntryFacts.Kind, _ node: String, _ term: UInt64, _ crc: UInt32 = 9
    ) -> LeadershipInput {
        .entry(EntryFacts(sequence: sequence, kind: kind, stamp: EntryStamp(node: node, term: term, crc: crc)))
    }

    private func heartbeat(_ node: String, _ term: UInt64, leads: Bool, secret: String = "s") -> LeadershipInput {
        .heartbeat(
            NodeHeartbeat(
                node: node, term: term, leads: leads, applied: 10, head: 0, schema: 24, program: "1",
                fingerprint: secret, sessions: 0, address: "http://\(node)", isOurs: secret == "s"))
    }

    private func input(_ step: Step) -> LeadershipInput {
        let (number, place) = (open?.number ?? 0, (open?.expecting ?? read) + 1)
        let author = machine.place.author ?? "b"
        return switch step {
        case .tick, .longTick, .pause: .tick
        case .submit: .submit(Array(Self.parts.prefix(1)))
        case .submitParts: .submit(Self.parts)
        case .acknowledge: .acknowledged(number: number, sequence: place)
        case .refuse: .refused(number: number, last: place)
        case .refuseOld: .refused(number: number, last: read - 1)
        case .noAnswer: .noAnswer(number: number)
        case .ownEntry: ownEntry(place)
        case .newLeader: entry(read + 1, .lead, "b", machine.term + 1)
        case .foreignCommit: entry(read + 1, .commit(hasMoreParts: false), author, machine.term)
        case .foreignPart: entry(read + 1, .commit(hasMoreParts: true), author, machine.term)
        case .stray: .entry(EntryFacts(foreignAt: read + 1))
        case .otherPrevious:
            .entry(
                EntryFacts(
                    sequence: read + 1, kind: .commit(hasMoreParts: false),
                    stamp: EntryStamp(node: author, term: machine.term, crc: 9), previous: machine.place.newest + 7))
        case .oldEntry: entry(read, .commit(hasMoreParts: false), author, machine.term)
        case .entryOfOldTerm: entry(read + 1, .commit(hasMoreParts: false), author, machine.term - 1)
        case .otherSecret: heartbeat("b", machine.term, leads: true, secret: "other")
        case .leaderSpeaks: heartbeat("b", machine.term, leads: true)
        case .newerLeaderSpeaks: heartbeat("b", machine.term + 1, leads: true)
        case .leaderLeaves: heartbeat("b", machine.term, leads: false)
        case .last: .lastSequence(read, first: 1)
        case .lastMore: .lastSequence(read + 1, first: 1)
        case .lastLess: .lastSequence(read - 1, first: 1)
        case .cut: .journal(.unreachable)
        case .reached: .journal(.reachable)
        case .withoutLeader: .journal(.withoutLeader)
        case .diskFull: .hindered(.diskFull)
        case .diskFree: .cleared(.diskFull)
        case .stepDown: .stepDown
        case .stopping: .hindered(.stopping)
        }
    }

    private func ownEntry(_ place: UInt64) -> LeadershipInput {
        switch open?.content {
        case .lead(let term): entry(place, .lead, "a", term)
        case .entry([1]): entry(place, .commit(hasMoreParts: true), "a", machine.term, 1)
        case .entry, nil: entry(place, .commit(hasMoreParts: false), "a", machine.term, 2)
        }
    }

    // MARK: Tasks

    private mutating func note(_ input: LeadershipInput) throws {
        if case .entry(let entry) = input, entry.sequence == read + 1, machine.place.read > read { read += 1 }
        if case .acknowledged = input, machine.place.read > read { read += 1 }
        guard machine.place.read == read else { throw BrokenRule("it has read \(machine.place.read), not \(read)") }
    }

    private mutating func perform(_ task: LeadershipAction, after input: LeadershipInput) throws {
        guard !isStopped || task == .rollBack else { throw BrokenRule("\(task) after the stop") }
        switch task {
        case .publish(let number, let content, let expecting):
            try publish(Open(number: number, expecting: expecting, content: content))
        case .askLastSequence, .read: break
        case .apply(let range): try apply(range)
        case .commit(let sequence): try commit(sequence, after: input)
        case .rollBack:
            guard isTransactionOpen else { throw BrokenRule("no transaction is open") }
            (isTransactionOpen, open) = (false, nil)
        case .lead(let term, let sequence): try lead(term, sequence, after: input)
        case .follow:
            guard leads, !isTransactionOpen else { throw BrokenRule("it follows and led not, or wrote") }
            (leads, open) = (false, nil)
        case .heartbeat(let term, let leads, let applied):
            guard leads == self.leads, term <= machine.term, applied <= self.applied else {
                throw BrokenRule("a wrong heartbeat")
            }
        case .stop:
            guard !isTransactionOpen else { throw BrokenRule("stopped in a transaction") }
            (isStopped, leads, open) = (true, false, nil)
        }
        if machine.role == .following { open = nil }
    }

    private mutating func publish(_ publish: Open) throws {
        guard machine.obstacles.isEmpty else { throw BrokenRule("published with an obstacle") }
        guard publish.expecting == read else { throw BrokenRule("published at a wrong place") }
        let term: UInt64
        switch publish.content {
        case .lead(let new):
            term = new
            let hasAll = applied == machine.place.newest || machine.place.parts != nil
            guard machine.role == .standing, new == machine.term + 1, hasAll else {
                throw BrokenRule("stands without all entries, or for a wrong term")
            }
        case .entry:
            term = machine.term
            guard leads, isTransactionOpen else { throw BrokenRule("published without a transaction") }
        }
        let before = published.updateValue(publish.content, forKey: Place(term: term, expecting: publish.expecting))
        guard before == nil || before == publish.content else { throw BrokenRule("two successors to one entry") }
        open = publish
    }

    private mutating func apply(_ range: ClosedRange<UInt64>) throws {
        guard !isTransactionOpen, !leads else { throw BrokenRule("applied in a transaction") }
        guard range.upperBound == read, range.lowerBound > applied else { throw BrokenRule("applied out of order") }
        applied = range.upperBound
        _ = machine.take(.applied(applied, schema: 24), at: now)
    }

    private mutating func commit(_ sequence: UInt64, after input: LeadershipInput) throws {
        guard isTransactionOpen, sequence == read else { throw BrokenRule("a commit without a transaction") }
        try checkStored(after: input)
        (isTransactionOpen, open, applied) = (false, nil, sequence)
        _ = machine.take(.applied(applied, schema: 24), at: now)
    }

    private mutating func lead(_ term: UInt64, _ sequence: UInt64, after input: LeadershipInput) throws {
        guard sequence == read, open?.content == .lead(term: term) else {
            throw BrokenRule("leads without an election")
        }
        try checkStored(after: input)
        (leads, open, applied) = (true, nil, sequence)
        _ = machine.take(.applied(applied, schema: 24), at: now)
    }

    /// Only an acknowledgement, or the entry itself, ends a publication well.
    private func checkStored(after input: LeadershipInput) throws {
        switch input {
        case .acknowledged(let number, _) where number == open?.number: break
        case .entry(let entry) where entry.stamp.node == "a" && entry.sequence == read: break
        default: throw BrokenRule("done before the journal had it, after \(input)")
        }
    }
}
