import ClientProtocol
import Execution
import Journal
import Model
import ThreadMessages

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
        /// The ticket that looked too old when it came first.
        var doubted: UInt64 = 0
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
    /// - Parameters:
    ///   - time: of this node's clock.
    ///   - ahead: the milliseconds by which the sender's clock is ahead of it; nil when that is not known.
    mutating func take(_ message: CommandsMessage, at time: Timestamp, ahead: Int64?) -> Taken {
        var taken = Taken()
        guard message.term == term, var sender = sender(of: message) else { return taken }
        // Tickets below the base have their answers, so a message that begins there continues whatever was before.
        sender.taken = max(sender.taken, message.base > 0 ? message.base - 1 : 0)
        sender.answers = sender.answers.filter { $0.key >= message.base }
        if message.after <= sender.taken {
            for command in message.commands {
                if command.ticket > sender.taken {
                    guard take(command, at: time, ahead: ahead, of: &sender, into: &taken) else { break }
                    sender.taken = command.ticket
                } else if let answer = sender.answers[command.ticket] {
                    taken.answers.append(answer)
                }
            }
        }
        senders[message.node] = sender
        return taken
    }

    /// - Returns: false for a command that looks too old for the first time. One of the two clocks may have been set since the
    ///   newest heartbeat, so the command is looked at again when its node sends it again, after the next heartbeats.
    private func take(
        _ held: CommandsMessage.Held, at time: Timestamp, ahead: Int64?, of sender: inout Sender,
        into taken: inout Taken
    ) -> Bool {
        let refusal: Refusal
        do throws(JournalProblem) {
            let command = try HandedCommand(held)
            let age = Self.age(of: command, at: time, ahead: ahead)
            guard age > CommandLimits.ageMilliseconds else {
                taken.commands.append(command)
                return true
            }
            guard sender.doubted == held.ticket else {
                sender.doubted = held.ticket
                return false
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
        return true
    }

    /// The milliseconds since a command came to its node, which both times of that node's clock say: a clock that is wrong makes
    /// no command old. Where the second one is not known, a command that looks too old may be a new one, and counts as new.
    private static func age(of command: HandedCommand, at time: Timestamp, ahead: Int64?) -> Int64 {
        let age = time.milliseconds &+ (ahead ?? 0) &- command.at.milliseconds
        return ahead == nil && age > CommandLimits.ageMilliseconds ? 0 : max(0, age)
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
