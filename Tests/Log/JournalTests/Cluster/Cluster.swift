@testable import Journal

/// Three nodes and a journal in one thread, whose time is a queue of events and whose chance is a seed. Clients append
/// to registers, faults come and end, and then everything must be right (``audit()``).
final class Cluster {
    static let names = ["a", "b", "c"]

    enum Event {
        case tick(node: Int, life: Int)
        /// A message for the machine of a node.
        case input(node: Int, life: Int, LeadershipInput)
        /// An entry that the journal delivers.
        case entry(node: Int, life: Int, sequence: Int)
        /// Nobody has answered a try in time.
        case timeout(node: Int, life: Int, number: UInt64, attempt: Int)
        case answered(node: Int, life: Int, attempt: Int, LeadershipInput)
        /// The slow disk of a node has finished.
        case applied(node: Int, life: Int)
        /// The client library of a node notices the state of its connection.
        case link(node: Int, life: Int)
        case toJournal(JournalRequest)
        /// The journal stores its oldest proposal.
        case store(epoch: Int)
        case command(node: Int, ModelCommand)
        case reply(id: Int, result: Int)
        case client(Int, round: Int)
        case begin(Fault)
        case end(Fault, node: Int)
    }

    struct JournalRequest {
        enum Kind {
            case append(number: UInt64, ModelEntry, expecting: Int?, attempt: Int)
            case lastSequence
            case read(from: Int)
        }

        let node: Int
        let life: Int
        let kind: Kind
    }

    let seed: UInt64
    let mistake: PlantedMistake?
    var dice: Dice
    var now = 0
    var queue = EventQueue()
    var journal = ModelJournal()
    var weather = Weather()
    var nodes: [ModelNode] = []
    var clients: [ModelClient] = []
    /// The entries to be published, by the number that their bytes are.
    var contents: [ModelEntry] = []
    /// When the journal has stored everything that it has accepted so far.
    var storedAt = 0
    /// The end of the last fault, and the first commit after it.
    var quietAt = 0
    var leadsAgainAt: Int?
    /// The last commit of a leading node, and the longest time without one since the first fault.
    var committedAt = 0
    var longestPause = 0
    var events = 0
    var marks = Marks()
    /// The reason of each node that has stopped, if nodes may stop.
    var stops: [LeadershipStop?]?
    /// Every event in words, when a seed is run alone.
    var trace: ((String) -> Void)?

    /// - Parameter faults: with the time of each; nil for those that the seed draws.
    init(seed: UInt64, mistake: PlantedMistake? = nil, faults: [(at: Int, Fault)]? = nil, clients count: Int = 3) {
        self.seed = seed
        self.mistake = mistake
        dice = Dice(seed: seed)
        for index in 0..<3 {
            nodes.append(ModelNode(index, clockPercent: dice.within(93...107), clockOffset: dice.below(100_000)))
            start(index)
        }
        for index in 0..<count {
            clients.append(ModelClient(node: index % 3))
            queue.plan(.client(index, round: 0), at: dice.below(2500))
        }
        if let faults {
            for (at, fault) in faults { plan(fault, at: at) }
        } else {
            planFaults()
        }
    }

    /// Runs until all is quiet again.
    ///
    /// - Throws: ``Broken``
    func run() throws {
        while let (at, event) = queue.next() {
            now = at
            events += 1
            try take(event)
            if now > quietAt, isSettled { break }
            guard now < quietAt + Self.settlingMax else {
                throw Broken("not settled \(Self.settlingMax) ms after the last fault: \(state)")
            }
        }
        try audit()
    }

    /// Runs for a time, whatever is the case then.
    ///
    /// - Throws: ``Broken``
    func run(until end: Int) throws {
        while now < end, let (at, event) = queue.next() {
            now = at
            try take(event)
        }
    }

    private func take(_ event: Event) throws {
        switch event {
        case .tick(let node, let life):
            guard isReady(node, life, event) else { return }
            queue.plan(event, at: now + 100)
            try give(.tick, to: node)
            try work(node)
        case .input(let node, let life, let input):
            guard isReady(node, life, event) else { return }
            try receive(input, node)
        case .entry(let node, let life, let sequence):
            guard isReady(node, life, event) else { return }
            try receiveEntry(sequence, node)
        case .timeout(let node, let life, let number, let attempt):
            guard isReady(node, life, event), nodes[node].attempts.remove(attempt) != nil else { return }
            try give(.noAnswer(number: number), to: node)
        case .answered(let node, let life, let attempt, let input):
            guard isReady(node, life, event) else { return }
            nodes[node].attempts.remove(attempt)
            try give(input, to: node)
        case .applied(let node, let life):
            guard isReady(node, life, event) else { return }
            try finishApplying(node)
        case .link(let node, let life):
            guard isReady(node, life, event) else { return }
            try noticeLink(node)
        case .toJournal(let request): takeRequest(request)
        case .store(let epoch): store(epoch)
        case .command(let node, let command):
            guard isReady(node, nodes[node].life, event) else { return }
            nodes[node].held.append(command)
            try work(node)
        case .reply(let id, let result): takeReply(id, result)
        case .client(let client, let round): act(client, round)
        case .begin(let fault): try begin(fault)
        case .end(let fault, let node): try end(fault, node)
        }
    }

    /// Whether a node can take an event now. A frozen one takes it when it thaws, a dead one never.
    private func isReady(_ node: Int, _ life: Int, _ event: Event) -> Bool {
        guard nodes[node].life == life, nodes[node].isAlive else { return false }
        guard now >= nodes[node].frozenUntil else {
            queue.plan(event, at: nodes[node].frozenUntil)
            return false
        }
        return true
    }

    func note(_ text: @autoclosure () -> String) { trace?("\(now) \(text())") }

    var state: String {
        let roles = nodes.map { node in
            "\(Self.names[node.index]): \(node.isAlive ? "\(node.machine.role)" : "dead") term \(node.machine.term) applied "
                + "\(node.database.applied) read \(node.machine.place.read)"
        }
        return "\(roles.joined(separator: ", ")); journal \(journal.log.count)"
    }
}
