import ClientProtocol

/// The commands of one session that wait or are under way, so that each sees what those before it did.
///
/// Writes go to the writer at once, which keeps their order. A read is held back until the writes before it are
/// answered, and whatever comes behind a read until that is, which must not see it. A client that is behind gets no
/// pages: its reads wait until it has taken what was sent.
///
/// - Confinement: any
struct CommandQueue {
    // Small numbers: there are at most `Limits.commandsInFlightMax` commands, and few bytes of them.
    private var waiting: [CommandEnvelope] = []
    private var bytes: Int32 = 0
    private var first: UInt16 = 0
    private var writes: Int16 = 0
    private var reads: Int16 = 0

    /// Commands without their replies.
    var count: Int { waiting.count - Int(first) + Int(writes) + Int(reads) }

    /// Whether writes are under way.
    var isAwaitingWrites: Bool { writes > 0 }

    /// Bytes of the commands without their replies, as they came; exact when they are of one size, and at the end.
    var heldBytes: Int { count == 0 ? 0 : Int(bytes) }

    /// - Parameter bytes: that the command came in.
    mutating func append(_ envelope: CommandEnvelope, bytes: Int) {
        self.bytes = Int32(clamping: heldBytes + bytes)
        waiting.append(envelope)
    }

    /// Takes out those that have not begun.
    mutating func takeWaiting() -> ArraySlice<CommandEnvelope> {
        let taken = waiting[Int(first)...]
        waiting = []
        first = 0
        return taken
    }

    /// The next command that may begin now.
    ///
    /// - Parameter isCongested: whether the client does not take what is sent to it.
    mutating func next(isCongested: Bool) -> CommandEnvelope? {
        guard Int(first) < waiting.count else { return nil }
        let envelope = waiting[Int(first)]
        guard reads == 0, !envelope.command.isRead || writes == 0 && !isCongested else { return nil }
        first += 1
        if Int(first) == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            first = 0
        } else if first >= 64, Int(first) * 2 >= waiting.count {
            // A client may see to it that something always waits: what has begun must not pile up before it.
            waiting.removeFirst(Int(first))
            first = 0
        }
        return envelope
    }

    mutating func beganWrite() { writes += 1 }
    mutating func beganRead() { reads += 1 }

    /// A command under way was answered.
    mutating func ended(_ kind: Kind) {
        bytes -= bytes / Int32(max(1, count))
        switch kind {
        case .write: writes -= 1
        case .read: reads -= 1
        }
    }

    /// Nothing has come for a while: gives the room back.
    mutating func rest() {
        if count == 0, waiting.capacity > 0 { waiting = [] }
    }

    enum Kind { case write, read }
}

extension Command {
    /// Whether the command only reads the database.
    var isRead: Bool {
        switch self {
        case .chats, .history, .following, .followers, .notifications, .presence, .typing, .search, .get, .watch: true
        case .preferences(let preferences): preferences.set == nil
        case .hello, .ack, .recommend, .send, .edit, .delete, .react, .read, .roomCreate, .roomInvite, .roomLeave,
            .follow, .unfollow, .seen, .snooze, .device, .block, .unblock, .report, .put, .patch, .remove, .unwatch,
            .ping:
            false
        }
    }
}
