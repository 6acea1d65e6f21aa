import ClientProtocol
import EventLoop
import Journal
import JournalLink
import Model
import Telemetry
import ThreadMessages

/// The way of writes to the node that leads, and of its answers: the two ends of it on one node.
///
/// - Confinement: loop
final class CommandTransport {
    private let start: NodeStart
    private let surroundings: ClusterSurroundings
    private let journal: SealedJournal
    private var window = HandedWindow()
    private var intake = HandedIntake()
    /// The entry of this node's `lead` until its writer has it: until then the writer takes all its waiting writes by
    /// itself, also those that it has handed on before it knew.
    private var leadUnderWay: UInt64?
    /// Answers of this turn, by the nodes that they are for.
    private var answers: [String: [UnwrittenAnswer]] = [:]
    /// The loop that takes the writes of a node: always the same, so that their order stays.
    private var loops: [String: Int] = [:]
    private var retry: LoopTimer?
    private var name: String { start.node.name }
    private var now: Int64 { surroundings.loop.now }

    init(_ start: NodeStart, in surroundings: ClusterSurroundings, journal: SealedJournal) {
        self.start = start
        self.surroundings = surroundings
        self.journal = journal
        retry = LoopTimer(on: surroundings.loop) { [unowned self] in flush() }
    }

    func close() {
        retry?.close()
        retry = nil
    }

    // MARK: The node of the clients

    /// Writes of this node's clients.
    func hand(_ commands: [HandedCommand]) {
        guard leadUnderWay == nil else { return }
        let bytesMax = journal.messageBytesMax ?? .max
        let tooLarge = window.hold(commands, bytesMax: bytesMax)
        let refusal = Refusal(
            .tooLarge, "the command is too large to be handed to the node that leads: \(bytesMax) bytes at most")
        let refused = tooLarge.map { UnwrittenAnswer(ticket: $0, after: 0, outcome: .failure(refusal)) }
        if !refused.isEmpty { surroundings.mail.writer.post(.unwritten(refused)) }
        surroundings.metrics.journal.forwarded.add(commands.count)
    }

    /// Nobody waits for these any more.
    func forget(_ tickets: [UInt64]) { for ticket in tickets { window.end(ticket, at: now) } }

    /// The database failed: if the writer had to lead, it did not, and hands on what it has.
    func databaseFailed() { leadUnderWay = nil }

    /// The writer has applied entries up to this one.
    func applied(_ sequence: UInt64) {
        if let lead = leadUnderWay, sequence >= lead { leadUnderWay = nil }
    }

    /// An entry goes to the writer: the answers in it are its business from here on.
    func applies(_ entry: JournalEntry) {
        guard case .commit(let commit) = entry.content else { return }
        for reply in commit.replies where reply.node == name { window.end(reply.ticket, at: now) }
    }

    /// Answers of the node that leads. Those of an earlier leadership do not count: the next one answers, too.
    func receiveAnswers(_ bytes: [UInt8]) throws(JournalProblem) {
        let message = try AnswersMessage(bytes)
        guard message.run == start.run, message.term == window.leader?.term else { return }
        let awaited = message.answers.filter { window.end($0.ticket, at: now) }
        if !awaited.isEmpty { surroundings.mail.writer.post(.unwritten(awaited)) }
    }

    /// The connection is a new one: messages of the old one may be lost.
    func connected() { window.sendAgain() }

    // MARK: The node that leads

    func leads(from place: JournalPlace) {
        leadUnderWay = place.sequence
        window.clear()
        intake.begin(place.term)
    }

    func followsAgain() { intake.end() }

    /// Writes of another node's clients.
    ///
    /// - Parameter roll: knows by how much the clock of that node is wrong.
    func receiveCommands(_ bytes: [UInt8], _ roll: NodeRoll) throws(JournalProblem) {
        let message = try CommandsMessage(bytes)
        let taken = intake.take(message, at: surroundings.clock.now(), ahead: roll.ahead(of: message.node))
        if !taken.commands.isEmpty {
            loop(of: message.node).post(.handed(taken.commands, from: message.node, term: message.term))
        }
        if !taken.answers.isEmpty { answers[message.node, default: []] += taken.answers }
    }

    private func loop(of node: String) -> Mailbox<LoopMessage> {
        let number = loops[node] ?? loops.count % surroundings.mail.loops.count
        loops[node] = number
        return surroundings.mail.loops[number]
    }

    /// A write of another node was answered, and wrote nothing.
    func answer(_ origin: HandedOrigin, _ answer: UnwrittenAnswer) {
        if intake.keep(answer, for: origin) { answers[origin.node, default: []].append(answer) }
    }

    // MARK: Sending

    /// Sends what is due, to the node that leads as this node has read it.
    func flush(to leader: HandedWindow.Leader?) {
        window.lead(by: leader?.node == name ? nil : leader)
        flush()
    }

    private func flush() {
        while let message = window.next(at: now, from: name, run: start.run) {
            guard let leader = window.leader else { break }
            guard journal.send(message.bytes, to: "commands.\(leader.node)") else {
                retry?.start(afterMilliseconds: ClusterLimits.sendAgainMilliseconds)
                break
            }
            window.noteSent(message, at: now)
        }
        guard !answers.isEmpty else { return }
        let due = answers
        answers = [:]
        for (node, answers) in due { send(answers, to: node) }
    }

    /// An answer that is lost is sent when its node asks again.
    private func send(_ answers: [UnwrittenAnswer], to node: String) {
        guard let run = intake.run(of: node), let term = intake.term else { return }
        var rest = answers[...]
        while !rest.isEmpty {
            var bytes = 0
            let some = rest.prefix { answer in
                bytes += answer.outcome.bodyBytes + 256
                return bytes <= CommandLimits.answerBytesMax
            }
            let sent = some.isEmpty ? rest.prefix(1) : some
            rest = rest.dropFirst(sent.count)
            _ = journal.send(AnswersMessage(run: run, term: term, answers: Array(sent)).bytes, to: "refused.\(node)")
        }
    }
}

@available(*, unavailable)
extension CommandTransport: Sendable {}
