import DequeModule
import Execution
import Services

/// The commands of one session that wait or are under way, so that each sees what those before it did.
///
/// Writes go to the writer at once, which keeps their order. A read is held back until the writes before it are
/// answered, and what comes after a read is held back until the read is, which must not see it. A client that does not
/// take what is sent gets no pages: its reads wait until it does.
///
/// - Confinement: any
struct CommandQueue {
    // Small numbers: there are at most `Limits.commandsInFlightMax` commands, and few bytes of them.
    private var waiting: Deque<CommandEnvelope> = []
    private var bytes: Int32 = 0
    private var writes: Int16 = 0
    private var reads: Int16 = 0

    /// Whether commands wait that have not begun.
    var isWaiting: Bool { !waiting.isEmpty }

    /// Commands without their replies.
    var count: Int { waiting.count + Int(writes) + Int(reads) }

    /// Whether writes are under way.
    var isAwaitingWrites: Bool { writes > 0 }

    /// Bytes of the commands that have not begun, as they are in memory. Those that have begun count as what waits for
    /// the writer and the readers, also when this session is gone.
    var heldBytes: Int { Int(bytes) }

    /// Puts a command after the others.
    mutating func append(_ envelope: CommandEnvelope) {
        bytes = Int32(clamping: heldBytes + envelope.heldBytes)
        waiting.append(envelope)
    }

    /// Takes out those that have not begun.
    mutating func takeWaiting() -> [CommandEnvelope] {
        defer { (waiting, bytes) = ([], 0) }
        return Array(waiting)
    }

    /// Whether a command that comes now may begin at once: nothing waits, and nothing is under way that it must not
    /// overtake.
    ///
    /// - Parameter isCongested: whether the client does not take what is sent to it.
    func mayBegin(_ work: CommandWork, isCongested: Bool) -> Bool {
        waiting.isEmpty && reads == 0 && (writes == 0 && !isCongested || !work.isRead)
    }

    /// The next command that may begin now.
    ///
    /// - Parameter isCongested: whether the client does not take what is sent to it.
    mutating func next(isCongested: Bool) -> CommandEnvelope? {
        guard reads == 0, let envelope = waiting.first else { return nil }
        guard !envelope.work.isRead || writes == 0 && !isCongested else { return nil }
        waiting.removeFirst()
        bytes = waiting.isEmpty ? 0 : bytes - Int32(clamping: envelope.heldBytes)
        return envelope
    }

    mutating func beganWrite() { writes += 1 }
    mutating func beganRead() { reads += 1 }

    /// A command under way was answered.
    mutating func ended(_ kind: Kind) {
        switch kind {
        case .write: writes -= 1
        case .read: reads -= 1
        }
    }

    /// Nothing has come for a while: gives the room back.
    mutating func rest() {
        if count == 0 { waiting = [] }
    }

    enum Kind { case write, read }
}
