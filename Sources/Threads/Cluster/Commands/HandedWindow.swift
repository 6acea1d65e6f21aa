import DequeModule
import ThreadMessages

/// The writes of this node's clients that wait for the node that leads: what to send, and what to send again.
///
/// The way is go-back-N over a network that loses messages: each message says after which ticket it continues, the node
/// that leads takes only what continues, and after a second without an answer everything is sent again. A new leadership
/// gets everything: the entries before its `lead` have the answers to all that was committed.
///
/// - Confinement: any
struct HandedWindow: Sendable {
    private struct Waiting: Sendable {
        /// From 1.
        let ticket: UInt64
        /// Nil when it has its answer, or nobody waits for it.
        var bytes: [UInt8]?
    }

    /// The node and the leadership to which all are sent.
    ///
    /// - Confinement: any
    struct Leader: Sendable, Hashable {
        let node: String
        let term: UInt64
    }

    private(set) var leader: Leader?
    /// In the order of their tickets; the first one has no answer.
    private var waiting: Deque<Waiting> = []
    /// The last ticket that was sent to ``leader``, and the ticket that its message continued.
    private var sentThrough: UInt64 = 0
    private var flightBytes = 0
    /// When everything is sent again.
    private var againAt: Int64 = .max
    /// How many have no answer.
    private(set) var count = 0

    /// Takes writes. One that is here already is not taken again.
    ///
    /// - Parameter bytesMax: of one of them.
    /// - Returns: the tickets of those that are larger, and not taken.
    mutating func hold(_ commands: [HandedCommand], bytesMax: Int = .max) -> [UInt64] {
        var tooLarge: [UInt64] = []
        for command in commands {
            let place = place(of: command.ticket)
            if place < waiting.count, waiting[place].ticket == command.ticket { continue }
            let bytes = command.bytes
            guard bytes.count <= bytesMax else {
                tooLarge.append(command.ticket)
                continue
            }
            waiting.insert(Waiting(ticket: command.ticket, bytes: bytes), at: place)
            count += 1
        }
        return tooLarge
    }

    /// A write has its answer, or nobody waits for it.
    ///
    /// - Returns: whether it was here.
    @discardableResult
    mutating func end(_ ticket: UInt64, at now: Int64) -> Bool {
        let place = place(of: ticket)
        guard place < waiting.count, waiting[place].ticket == ticket, let bytes = waiting[place].bytes else {
            return false
        }
        waiting[place].bytes = nil
        count -= 1
        if ticket <= sentThrough { flightBytes = max(0, flightBytes - bytes.count) }
        guard place == 0 else { return true }
        while let first = waiting.first, first.bytes == nil { waiting.removeFirst() }
        againAt = waiting.isEmpty ? .max : now + CommandLimits.again
        return true
    }

    /// This node leads: its writer has them all.
    mutating func clear() {
        waiting = []
        count = 0
        lead(by: nil)
    }

    /// Sends everything to this node from now on; nil: to nobody.
    mutating func lead(by new: Leader?) {
        guard new != leader else { return }
        leader = new
        sendAgain()
    }

    /// Everything is to be sent again, since the connection was lost.
    mutating func sendAgain() {
        sentThrough = 0
        flightBytes = 0
        againAt = .max
    }

    /// The next message that is due; nil when there is none. The caller sends it and calls ``noteSent(_:at:)``.
    mutating func next(at now: Int64, from node: String, run: UInt64) -> CommandsMessage? {
        guard let leader, let first = waiting.first else { return nil }
        if now >= againAt { sendAgain() }
        guard flightBytes < CommandLimits.flightBytesMax else { return nil }
        var commands: [CommandsMessage.Held] = []
        var bytes = 0
        var place = place(of: sentThrough + 1)
        while place < waiting.count {
            defer { place += 1 }
            guard let command = waiting[place].bytes else { continue }
            guard bytes + command.count <= CommandLimits.messageBytesMax || commands.isEmpty else { break }
            bytes += command.count
            commands.append(CommandsMessage.Held(ticket: waiting[place].ticket, bytes: command))
        }
        guard !commands.isEmpty else { return nil }
        return CommandsMessage(
            node: node, run: run, term: leader.term, base: first.ticket, after: max(sentThrough, first.ticket - 1),
            commands: commands)
    }

    /// A message is on its way.
    mutating func noteSent(_ message: CommandsMessage, at now: Int64) {
        sentThrough = message.commands.last?.ticket ?? sentThrough
        flightBytes += message.commands.reduce(0) { $0 + $1.bytes.count }
        if againAt == .max { againAt = now + CommandLimits.again }
    }

    /// The number of those with smaller tickets.
    private func place(of ticket: UInt64) -> Int {
        var (low, high) = (0, waiting.count)
        while low < high {
            let middle = (low + high) / 2
            if waiting[middle].ticket < ticket { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
