import ClientProtocol
import Execution
import Model
import TestSupport
import ThreadMessages
@testable import Cluster

/// Three nodes that hand each other writes, by a network that loses, doubles and delays messages, and a journal that has
/// one successor to each entry. The node that leads changes by chance.
struct HandedModel {
    enum Entry {
        case lead(node: Int, term: UInt64)
        case commit(node: Int, replies: [(node: Int, ticket: UInt64)])
    }

    struct Node {
        var window = HandedWindow()
        var intake = HandedIntake()
        /// Entries that it has read.
        var read = 0
        var term: UInt64 = 0
        var author: Int?
        /// Writes of its own clients without an answer.
        var waiting: Set<UInt64> = []
        var nextTicket: UInt64 = 1
        /// While it leads: writes that its writer has not committed, its own with the node's number.
        var queue: [(node: Int, ticket: UInt64, term: UInt64)] = []
        /// Answers that came, in their order.
        var answered: [UInt64] = []
        var forgotten: Set<UInt64> = []
        /// Writes that a leader refused. If that answer is lost with its leadership, the next leader decides again.
        var refused: Set<UInt64> = []
        var leads: Bool { intake.term != nil }
    }

    struct Packet {
        let at: Int64
        let to: Int
        let isAnswer: Bool
        let bytes: [UInt8]
    }

    static let names = ["a", "b", "c"]
    var random: SeededRandom
    var nodes = [Node(), Node(), Node()]
    var journal: [Entry] = []
    var packets: [Packet] = []
    var now: Int64 = 0
    /// In percent.
    var loss = 20
    var problems: [String] = []
    /// Mistakes, for the tests that must find them.
    var takesGaps = false
    var comparesClocks = false
    /// By how much the clock of each node is wrong, and it may be set.
    var clocks: [Int64] = [0, 0, 0]

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        for node in nodes.indices where chance(60) { setClock(node) }
    }

    private mutating func setClock(_ node: Int) { clocks[node] = Int64.random(in: -600_000...600_000, using: &random) }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func run(steps: Int) throws {
        for step in 0..<steps {
            now += Int64.random(in: 1...40, using: &random)
            if chance(1) || journal.isEmpty { elect() }
            for node in nodes.indices { try turn(node, isQuiet: step > steps / 2) }
            try deliver()
        }
        loss = 0
        for _ in 0..<600 {
            now += 30
            for node in nodes.indices { try turn(node, isQuiet: true) }
            try deliver()
        }
    }

    /// A node writes `lead`: it has read everything.
    private mutating func elect() {
        let node = Int.random(in: 0..<3, using: &random)
        while nodes[node].read < journal.count { readNext(node) }
        guard !nodes[node].leads else { return }
        let term = nodes[node].term + 1
        journal.append(.lead(node: node, term: term))
        nodes[node].read = journal.count
        (nodes[node].term, nodes[node].author) = (term, node)
        nodes[node].intake.begin(term)
        nodes[node].window.clear()
        // Its writer takes what waits, in order.
        nodes[node].queue = nodes[node].waiting.sorted().map { (node, $0, term) }
    }

    private mutating func turn(_ node: Int, isQuiet: Bool) throws {
        for _ in 0..<3 where nodes[node].read < journal.count && chance(60) { readNext(node) }
        if !isQuiet, chance(50) {
            for _ in 0..<Int.random(in: 1...4, using: &random) { write(node) }
        }
        if nodes[node].leads { if chance(50) { commit(node) } }
        if !isQuiet, chance(1), let ticket = nodes[node].waiting.randomElement(using: &random), !nodes[node].leads {
            nodes[node].waiting.remove(ticket)
            nodes[node].forgotten.insert(ticket)
            nodes[node].window.end(ticket, at: now)
        }
        send(node)
    }

    private mutating func write(_ node: Int) {
        let ticket = nodes[node].nextTicket
        nodes[node].nextTicket += 1
        nodes[node].waiting.insert(ticket)
        if nodes[node].leads { return nodes[node].queue.append((node, ticket, nodes[node].term)) }
        _ = nodes[node].window.hold([command(ticket, node)])
    }

    private func command(_ ticket: UInt64, _ node: Int) -> HandedCommand {
        HandedCommand(
            ticket: ticket, actor: .server, at: Timestamp(milliseconds: now + clocks[node]),
            work: .command(HandedText(Array("\(ticket)".utf8), device: nil, deviceLanguage: nil)))
    }

    private mutating func readNext(_ node: Int) {
        let entry = journal[nodes[node].read]
        nodes[node].read += 1
        switch entry {
        case .lead(let author, let term):
            if nodes[node].leads { follow(node) }
            (nodes[node].term, nodes[node].author) = (term, author)
        case .commit(_, let replies):
            for reply in replies where reply.node == node { answer(node, reply.ticket) }
        }
    }

    private mutating func follow(_ node: Int) {
        nodes[node].intake.end()
        nodes[node].queue = []
        // The writer hands on what was not committed.
        _ = nodes[node].window.hold(nodes[node].waiting.sorted().map { command($0, node) })
    }

    private mutating func answer(_ node: Int, _ ticket: UInt64) {
        nodes[node].window.end(ticket, at: now)
        guard !nodes[node].forgotten.contains(ticket) else { return }
        guard nodes[node].waiting.remove(ticket) != nil else {
            problems.append("\(Self.names[node]) gets a second answer to \(ticket)")
            return
        }
        nodes[node].answered.append(ticket)
    }

    /// The node that leads, or believes that it does, commits a batch.
    private mutating func commit(_ node: Int) {
        let batch = nodes[node].queue.prefix(Int.random(in: 1...20, using: &random))
        nodes[node].queue.removeFirst(batch.count)
        guard !batch.isEmpty else { return }
        guard nodes[node].read == journal.count else {
            // Fenced: what it has not read stands in the place.
            while nodes[node].leads, nodes[node].read < journal.count { readNext(node) }
            return
        }
        let written = batch.filter { _ in chance(80) }
        let refused = batch.filter { order in !written.contains { $0.node == order.node && $0.ticket == order.ticket } }
        if !written.isEmpty {
            journal.append(.commit(node: node, replies: written.map { ($0.node, $0.ticket) }))
            nodes[node].read = journal.count
            for order in written where order.node == node { answer(node, order.ticket) }
        }
        for order in refused {
            nodes[order.node].refused.insert(order.ticket)
            if order.node == node {
                answer(node, order.ticket)
                continue
            }
            let unwritten = UnwrittenAnswer(
                ticket: order.ticket, after: UInt64(journal.count), outcome: .failure(Refusal(.forbidden, "no")))
            let origin = HandedOrigin(node: Self.names[order.node], ticket: order.ticket, term: order.term)
            if nodes[node].intake.keep(unwritten, for: origin) { sendAnswers([unwritten], node, to: order.node) }
        }
    }

    // MARK: The network

    private mutating func send(_ node: Int) {
        let leader = nodes[node].author.flatMap { author in
            author == node ? nil : HandedWindow.Leader(node: Self.names[author], term: nodes[node].term)
        }
        nodes[node].window.lead(by: leader)
        while let message = nodes[node].window.next(at: now, from: Self.names[node], run: 1),
            let author = nodes[node].author
        {
            nodes[node].window.noteSent(message, at: now)
            post(message.bytes, to: author, isAnswer: false)
        }
    }

    private mutating func sendAnswers(_ answers: [UnwrittenAnswer], _ node: Int, to other: Int) {
        let message = AnswersMessage(run: 1, term: nodes[node].term, answers: answers)
        post(message.bytes, to: other, isAnswer: true)
    }

    private mutating func post(_ bytes: [UInt8], to node: Int, isAnswer: Bool) {
        for _ in 0..<(chance(15) ? 2 : 1) where !chance(loss) {
            let delay = Int64.random(in: chance(5) ? 100...6000 : 1...60, using: &random)
            packets.append(Packet(at: now + delay, to: node, isAnswer: isAnswer, bytes: bytes))
        }
    }

    private mutating func deliver() throws {
        let due = packets.filter { $0.at <= now }.sorted { $0.at < $1.at }
        packets.removeAll { $0.at <= now }
        for packet in due {
            if packet.isAnswer {
                let message = try AnswersMessage(packet.bytes)
                guard message.term == nodes[packet.to].window.leader?.term else { continue }
                for answer in message.answers where nodes[packet.to].window.end(answer.ticket, at: now) {
                    self.answer(packet.to, answer.ticket)
                }
            } else {
                try take(try CommandsMessage(packet.bytes), packet.to)
            }
        }
    }

    private mutating func take(_ message: CommandsMessage, _ node: Int) throws {
        guard let other = Self.names.firstIndex(of: message.node) else { return }
        var message = message
        if takesGaps {
            message = CommandsMessage(
                node: message.node, run: message.run, term: message.term, base: message.base, after: 0,
                commands: message.commands)
        }
        let ahead = comparesClocks ? 0 : clocks[other] - clocks[node]
        let taken = nodes[node].intake.take(message, at: Timestamp(milliseconds: now + clocks[node]), ahead: ahead)
        for answer in taken.answers {
            guard case .failure(let refusal) = answer.outcome, refusal.code == .timeout else { continue }
            problems.append("\(message.node): \(answer.ticket) is said to be too old")
        }
        let term = message.term
        nodes[node].queue += taken.commands.map { (other, $0.ticket, term) }
        if !taken.answers.isEmpty { sendAnswers(taken.answers, node, to: other) }
    }
}
