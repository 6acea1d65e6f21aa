@testable import Journal

/// A node: its machine, its database, and what it does with commands.
final class ModelNode {
    let index: Int
    var machine: Leadership
    var database = ModelDatabase()
    /// The open transaction: the database as it will be, and its commands.
    var open: (database: ModelDatabase, effects: [ModelEffect])?
    /// Commands that wait for a leader, or for the end of the open transaction.
    var held: [ModelCommand] = []
    /// The number of its process; a message for an earlier one is lost.
    var life = 0
    var isAlive = true
    var frozenUntil = 0
    /// The entries, or their parts, that are read and not applied.
    var toApply: [ClosedRange<UInt64>] = []
    /// The tries to publish that nobody has answered.
    var attempts: Set<Int> = []
    var attemptCount = 0
    /// The state of the connection that the client library has reported.
    var link = JournalLinkState.unreachable
    /// The newest term that it has led.
    var leads: UInt64 = 0
    /// Whether its publication was refused, before the newest input.
    var wasRefused = false
    /// See ``Fault/Kind/killAtPublish``.
    var diesAtPublish = false
    /// An obstacle that lasts over a restart.
    var isDiskFull = false
    private let clockPercent: Int
    private let clockOffset: Int

    init(_ index: Int, clockPercent: Int, clockOffset: Int) {
        self.index = index
        self.clockPercent = clockPercent
        self.clockOffset = clockOffset
        machine = ModelNode.machine(index, ModelDatabase(), [], chance: 0, at: 0)
    }

    /// The time of its own clock, which is slower or faster than others.
    func clock(_ now: Int) -> Int64 { Int64(now * clockPercent / 100 + clockOffset) }

    /// A new process opens the database.
    func restart(chance: Int, at now: Int) {
        life += 1
        isAlive = true
        (open, held, toApply, attempts, link) = (nil, [], [], [], .unreachable)
        machine = Self.machine(
            index, database, isDiskFull ? [.diskFull] : [], chance: Int64(chance), at: clock(now))
    }

    private static func machine(
        _ index: Int, _ database: ModelDatabase, _ obstacles: Set<LeadingObstacle>, chance: Int64, at now: Int64
    ) -> Leadership {
        Leadership(
            NodeIdentity(name: Cluster.names[index], address: Cluster.names[index]), schema: 1,
            applied: UInt64(database.applied), term: database.term, obstacles: obstacles, chance: chance, at: now)
    }

    var heartbeat: NodeHeartbeat {
        NodeHeartbeat(
            node: Cluster.names[index], term: machine.term, leads: machine.role == .leading, applied: machine.applied,
            head: 0, schema: 1, program: "1", fingerprint: "s", sessions: 0, address: Cluster.names[index])
    }
}

// MARK: The owner of the machine

extension Cluster {
    func start(_ node: Int) {
        nodes[node].restart(chance: dice.below(501), at: now)
        let life = nodes[node].life
        queue.plan(.tick(node: node, life: life), at: now + dice.below(100))
        queue.plan(.link(node: node, life: life), at: now + dice.below(300))
    }

    func give(_ input: LeadershipInput, to node: Int) throws {
        nodes[node].wasRefused = nodes[node].machine.stage.underWay?.phase == .refused
        let tasks = nodes[node].machine.take(input, at: nodes[node].clock(now))
        for task in tasks where nodes[node].isAlive { try perform(task, node, after: input) }
    }

    private func perform(_ task: LeadershipAction, _ node: Int, after input: LeadershipInput) throws {
        switch task {
        case .heartbeat: sendHeartbeat(node)
        case .publish(let number, let content, let expecting): publish(number, content, Int(expecting), node)
        case .askLastSequence: send(.lastSequence, node)
        case .read(let from): send(.read(from: Int(from)), node)
        case .apply(let range): try apply(range, node)
        case .commit(let sequence):
            if case .entry = input { marks.note(nodes[node].wasRefused ? .refusedAndOwn : .readBeforeAnswer) }
            try commit(Int(sequence), node)
        case .rollBack:
            note("\(Self.names[node]) rolls back")
            // The same commands again, to the next leader: they have keys.
            nodes[node].held += nodes[node].open?.effects.map(\.command) ?? []
            nodes[node].open = nil
        case .lead(let term, let sequence):
            note("\(Self.names[node]) leads term \(term)")
            nodes[node].database.note(applied: Int(sequence), term: term)
            nodes[node].leads = term
            marks.note(.elections)
            try give(.applied(sequence, schema: 1), to: node)
        case .follow(let reason):
            note("\(Self.names[node]) follows: \(reason.sentence)")
            try noteEnd(reason, node)
        case .stop(let reason):
            guard stops != nil else { throw Broken("\(Self.names[node]) stops: \(reason.sentence)") }
            stops?[node] = reason
        }
    }

    /// Runs what is held, or hands it to the node that leads.
    func work(_ node: Int) throws {
        guard nodes[node].isAlive, !nodes[node].held.isEmpty else { return }
        guard nodes[node].machine.role == .leading else {
            guard let name = nodes[node].machine.leader, let leader = Self.names.firstIndex(of: name) else { return }
            for command in nodes[node].held { sendCommand(command, from: node, to: leader) }
            nodes[node].held = []
            return
        }
        guard nodes[node].open == nil, nodes[node].database.applied == nodes[node].machine.place.read else { return }
        let commands = nodes[node].held
        nodes[node].held = []
        try runTransaction(commands, node)
    }

    private func runTransaction(_ commands: [ModelCommand], _ node: Int) throws {
        var database = nodes[node].database
        var effects: [ModelEffect] = []
        for command in commands {
            if let effect = database.execute(command) {
                effects.append(effect)
            } else if let result = nodes[node].database.results[command.id] {
                reply(command, result, node)
            }
        }
        guard !effects.isEmpty else { return }
        nodes[node].open = (database, effects)
        let parts = encode(effects, node)
        if mistake == .acknowledgesBeforeTheJournal { replyAll(effects, node) }
        try give(.submit(parts), to: node)
    }

    /// One entry, or now and then several parts.
    private func encode(_ effects: [ModelEffect], _ node: Int) -> [EncodedEntry] {
        let count = dice.once(in: 4) ? 3 : 1
        let term = nodes[node].machine.term
        /// The first parts have the most, so that a void part is one that would be missed, or done wrongly.
        func start(of part: Int) -> Int { (effects.count * part + count - 1) / count }
        return (0..<count).map { part in
            let number = contents.count
            let stamp = EntryStamp(node: Self.names[node], term: term, crc: UInt32(number + 1))
            contents.append(
                ModelEntry(
                    kind: .commit(hasMoreParts: part < count - 1), stamp: stamp,
                    effects: Array(effects[start(of: part)..<start(of: part + 1)])))
            return EncodedEntry(bytes: [UInt8(number & 0xFF), UInt8(number >> 8)], crc: stamp.crc)
        }
    }

    private func publish(_ number: UInt64, _ content: PublishedContent, _ expecting: Int, _ node: Int) {
        let entry: ModelEntry =
            switch content {
            case .lead(let term):
                ModelEntry(kind: .lead, stamp: EntryStamp(node: Self.names[node], term: term, crc: 0), effects: [])
            case .entry(let bytes): contents[Int(bytes[0]) | Int(bytes[1]) << 8]
            }
        nodes[node].attemptCount += 1
        let attempt = nodes[node].attemptCount
        nodes[node].attempts.insert(attempt)
        note("\(Self.names[node]) publishes \(entry.kind) of term \(entry.stamp.term) as \(expecting + 1)")
        let expectation = mistake == .forgetsTheExpectation ? nil : expecting
        let dies = nodes[node].diesAtPublish
        if !dies || dice.once(in: 2) {
            send(.append(number: number, entry, expecting: expectation, attempt: attempt), node)
        }
        if dies { kill(node, lostCommits: 0) }
        queue.plan(
            .timeout(node: node, life: nodes[node].life, number: number, attempt: attempt),
            at: now + dice.within(300...600))
    }

    private func commit(_ sequence: Int, _ node: Int) throws {
        guard let open = nodes[node].open else { throw Broken("\(Self.names[node]) commits nothing") }
        nodes[node].database = open.database
        nodes[node].database.note(applied: sequence, term: nodes[node].machine.term)
        nodes[node].open = nil
        note("\(Self.names[node]) commits \(sequence)")
        noteCommit()
        replyAll(open.effects, node)
        try give(.applied(UInt64(sequence), schema: 1), to: node)
        try work(node)
    }

    // MARK: Entries

    func receiveEntry(_ sequence: Int, _ node: Int) throws {
        guard sequence <= journal.log.count else { return }
        let facts = journal.log[sequence - 1].facts(sequence)
        let read = nodes[node].machine.place.read
        if mistake == .appliesTwice, facts.sequence == read, facts.sequence == nodes[node].machine.applied {
            _ = nodes[node].database.apply(ModelDatabase.effects(endingAt: sequence, in: journal.log))
        }
        try give(.entry(mistaken(facts, node)), to: node)
        try work(node)
    }

    /// The facts of an entry as a node with a mistake sees them.
    private func mistaken(_ facts: EntryFacts, _ node: Int) -> EntryFacts {
        guard let publish = nodes[node].machine.stage.underWay, publish.phase == .refused,
            facts.sequence == publish.sequence,
            publish.isPartOfTransaction
        else { return facts }
        let own = publish.facts(node: Self.names[node], term: nodes[node].machine.term).stamp
        switch mistake {
        case .takesItsOwnForForeign:
            let stamp = EntryStamp(node: facts.stamp.node, term: facts.stamp.term, crc: ~facts.stamp.crc)
            return EntryFacts(sequence: facts.sequence, kind: facts.kind, stamp: stamp)
        case .takesForeignForItsOwn: return EntryFacts(sequence: facts.sequence, kind: facts.kind, stamp: own)
        default: return facts
        }
    }

    private func apply(_ range: ClosedRange<UInt64>, _ node: Int) throws {
        guard nodes[node].open == nil else { throw Broken("\(Self.names[node]) applies in a transaction") }
        nodes[node].toApply.append(range)
        if nodes[node].toApply.count == 1 { try applyNext(node) }
    }

    /// Applies the oldest entry that waits, as soon as the disk has it.
    private func applyNext(_ node: Int) throws {
        let delay = weather.applyDelay(of: node, &dice)
        if delay == 0 { return try finishApplying(node) }
        queue.plan(.applied(node: node, life: nodes[node].life), at: now + delay)
    }

    func finishApplying(_ node: Int) throws {
        let range = nodes[node].toApply.removeFirst()
        let end = Int(range.upperBound)
        let effects = ModelDatabase.effects(endingAt: end, in: journal.log)
        guard nodes[node].database.apply(effects) else {
            throw Broken("\(Self.names[node]) diverges at entry \(end)")
        }
        nodes[node].database.note(applied: end, term: journal.log[end - 1].stamp.term)
        replyAll(effects, node)
        try give(.applied(range.upperBound, schema: 1), to: node)
        if !nodes[node].toApply.isEmpty { return try applyNext(node) }
        try work(node)
    }

    /// An answer of the stream, as the node takes it.
    func receive(_ input: LeadershipInput, _ node: Int) throws {
        if mistake == .leadsWithoutReading, case .lastSequence(let last, _) = input {
            var next = nodes[node].machine.place.read + 1
            while next <= last {
                let facts = journal.log[Int(next) - 1].facts(Int(next))
                _ = nodes[node].machine.take(.entry(facts), at: nodes[node].clock(now))
                _ = nodes[node].machine.take(.applied(next, schema: 1), at: nodes[node].clock(now))
                next += 1
            }
        }
        try give(input, to: node)
        try work(node)
    }
}
