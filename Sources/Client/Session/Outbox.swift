import DequeModule

/// Commands that wait to be sent, or for their replies, in the order in which they were given.
/// - Confinement: any
struct Outbox: Sendable {
    private struct Entry: Sendable {
        var command: ClientCommand
        var isInFlight = false
    }

    private var entries: [Int64: Entry] = [:]
    /// Ids to be sent, ascending.
    private var waiting: Deque<Int64> = []
    /// Sent and not answered.
    private(set) var inFlightCount = 0

    /// Not answered, sent or not.
    var count: Int { entries.count }
    var isWaiting: Bool { !waiting.isEmpty }

    /// Takes a command; ids ascend.
    mutating func append(_ command: ClientCommand, id: Int64) {
        entries[id] = Entry(command: command)
        waiting.append(id)
    }

    /// The next to be sent, which is in flight from now on.
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

    /// The command in flight with this id.
    func inFlight(_ id: Int64) -> ClientCommand? {
        guard let entry = entries[id], entry.isInFlight else { return nil }
        return entry.command
    }

    /// It is answered for good.
    mutating func remove(_ id: Int64) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        if entry.isInFlight { inFlightCount -= 1 }
    }

    /// It is to be sent again, in its old place.
    mutating func putBack(_ id: Int64) {
        guard entries[id]?.isInFlight == true else { return }
        entries[id]?.isInFlight = false
        inFlightCount -= 1
        waiting.insert(id, at: waiting.firstIndex { $0 > id } ?? waiting.endIndex)
    }

    /// The connection is gone: what was in flight is to be sent again, or given up.
    /// - Returns: those given up, in order.
    mutating func connectionLost() -> [Int64] {
        let lost = entries.filter { $0.value.isInFlight && $0.value.command.persistence == .once }.keys.sorted()
        for id in lost { entries[id] = nil }
        for id in entries.keys { entries[id]?.isInFlight = false }
        inFlightCount = 0
        waiting = Deque(entries.keys.sorted())
        return lost
    }

    /// Empties it.
    /// - Returns: all that were in it, in order.
    mutating func removeAll() -> [Int64] {
        let all = entries.keys.sorted()
        self = Outbox()
        return all
    }
}
