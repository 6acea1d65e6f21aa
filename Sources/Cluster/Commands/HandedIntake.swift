import ClientProtocol
import Execution
import Journal
import Mail
import Model

/// The writes that other nodes have handed to this one, which leads: each is taken once in a leadership, in the order of
/// its node. Answers that no entry carries are kept until the node says that it has them.
///
/// - Confinement: any
struct HandedIntake: Sendable {
    /// A node that hands on writes.
    private struct Sender: Sendable {
        let run: UInt64
        /// The last ticket that was taken, or passed over.
        var taken: UInt64
        /// By their tickets.
        var answers: [UInt64: UnwrittenAnswer] = [:]
        /// Runs before this one, whose late messages do not count.
        var earlier: [UInt64] = []
    }

    /// The content of a message that counts.
    ///
    /// - Confinement: any
    struct Taken: Sendable {
        /// To be carried out, in this order.
        var commands: [HandedCommand] = []
        /// To be sent to the node, perhaps again.
        var answers: [UnwrittenAnswer] = []
    }

    /// The leadership; nil while this node does not lead.
    private(set) var term: UInt64?
    private var senders: [String: Sender] = [:]

    /// This node leads.
    mutating func begin(_ term: UInt64) {
        self.term = term
        senders = [:]
    }

    /// This node leads no more: whatever has no answer is handed to another node.
    mutating func end() {
        term = nil
        senders = [:]
    }

    /// Takes a message.
    ///
    /// - Parameter time: of this node's clock.
    mutating func take(_ message: CommandsMessage, at time: Timestamp) -> Taken {
        var taken = Taken()
        guard message.term == term, var sender = sender(of: message) else { return taken }
        // Tickets below the base have their answers, so a message that begins there continues whatever was before.
        sender.taken = max(sender.taken, message.base > 0 ? message.base - 1 : 0)
        sender.answers = sender.answers.filter { $0.key >= message.base }
        if message.after <= sender.taken {
            for command in message.commands {
                if command.ticket > sender.taken {
                    sender.taken = command.ticket
                    take(command, at: time, of: &sender, into: &taken)
                } else if let answer = sender.answers[command.ticket] {
                    taken.answers.append(answer)
                }
            }
        }
        senders[message.node] = sender
        return taken
    }

    private func take(
        _ held: CommandsMessage.Held, at time: Timestamp, of sender: inout Sender, into taken: inout Taken
    ) {
        let refusal: Refusal
        do throws(JournalProblem) {
            let command = try HandedCommand(held)
            guard time.milliseconds - command.at.milliseconds > CommandLimits.ageMilliseconds else {
                return taken.commands.append(command)
            }
            let seconds = CommandLimits.ageMilliseconds / 1000
            refusal = Refusal(
                .timeout, "the command waited longer than \(seconds) s for a node that leads: repeat it")
        } catch {
            refusal = Refusal(.internal, "the node that leads cannot read the command: \(error.description)")
        }
        let answer = UnwrittenAnswer(ticket: held.ticket, after: 0, outcome: .failure(refusal))
        sender.answers[held.ticket] = answer
        taken.answers.append(answer)
    }

    private func sender(of message: CommandsMessage) -> Sender? {
        guard let known = senders[message.node] else { return Sender(run: message.run, taken: 0) }
        guard known.run != message.run else { return known }
        guard !known.earlier.contains(message.run) else { return nil }
        return Sender(
            run: message.run, taken: 0, earlier: (known.earlier + [known.run]).suffix(CommandLimits.runsMax))
    }

    /// Keeps the answer to a write that wrote nothing.
    ///
    /// - Returns: whether it is to be sent.
    mutating func keep(_ answer: UnwrittenAnswer, for origin: HandedOrigin) -> Bool {
        guard let term, origin.term == term, let sender = senders[origin.node], answer.ticket <= sender.taken else {
            return false
        }
        senders[origin.node]?.answers[answer.ticket] = answer
        return true
    }

    /// The run of a node, to which its answers go.
    func run(of node: String) -> UInt64? { senders[node]?.run }
}
