import DequeModule

/// Commands that wait to be sent, or wait for their replies, in their order.
/// - Confinement: any
struct CommandQueue: Sendable {
    private struct Entry: Sendable {
        var command: ClientCommand
        var isInFlight = false
        /// Whether nobody waits for its end any more.
        var isAbandoned = false
    }

    private var entries: [Int64: Entry] = [:]
    /// Ids of unsent commands, ascending.
    private var waiting: Deque<Int64> = []
    /// The number of sent commands without a reply.
    private(set) var inFlightCount = 0

    /// The number of commands without a reply, sent or not.
    var count: Int { entries.count }
    var isWaiting: Bool { !waiting.isEmpty }

    /// Adds a command; ids ascend.
    mutating func append(_ command: ClientCommand, id: Int64) {
        entries[id] = Entry(command: command)
        waiting.append(id)
    }

    /// The next command to send; it counts as sent from now on.
    mutating func next() -> (id: Int64, command: ClientCommand)? {
        while let id = waiting.popFirst() {
            guard var entry = entries[id] else { continue }
            entry.isInFlight = true
            inFlightCount += 1
            entries[id] = entry
            return (id, entry.command)
        }
        return nil
    }

    /// The sent command with this id.
    func inFlight(_ id: Int64) -> ClientCommand? {
        guard let entry = entries[id], entry.isInFlight else { return nil }
        return entry.command
    }

    /// Removes a command that was answered.
    /// - Returns: whether somebody waits for the answer.
    mutating func remove(_ id: Int64) -> Bool {
        guard let entry = entries.removeValue(forKey: id) else { return false }
        if entry.isInFlight { inFlightCount -= 1 }
        return !entry.isAbandoned
    }

    /// A command that was not sent goes. One that was sent waits for its answer on this connection only, and nobody hears it.
    mutating func abandon(_ id: Int64) {
        guard let entry = entries[id] else { return }
        guard entry.isInFlight else {
            entries[id] = nil
            return
        }
        entries[id]?.command.persistence = .once
        entries[id]?.isAbandoned = true
    }

    /// Puts a sent command back to its old place, to be sent again.
    mutating func putBack(_ id: Int64) {
        guard entries[id]?.isInFlight == true else { return }
        entries[id]?.isInFlight = false
        inFlightCount -= 1
        waiting.insert(id, at: waiting.firstIndex { $0 > id } ?? waiting.endIndex)
    }

    /// The connection is lost: sent commands are sent again, or given up.
    /// - Returns: the commands given up whose end somebody waits for, in order.
    mutating func connectionLost() -> [Int64] {
        let lost = entries.filter { $0.value.isInFlight && $0.value.command.persistence == .once }
        for id in lost.keys { entries[id] = nil }
        for id in entries.keys { entries[id]?.isInFlight = false }
        inFlightCount = 0
        waiting = Deque(entries.keys.sorted())
        return Self.heard(lost)
    }

    /// Empties it.
    /// - Returns: the commands whose end somebody waits for, in order.
    mutating func removeAll() -> [Int64] {
        let all = entries
        self = CommandQueue()
        return Self.heard(all)
    }

    private static func heard(_ entries: [Int64: Entry]) -> [Int64] {
        entries.filter { !$0.value.isAbandoned }.keys.sorted()
    }
}
