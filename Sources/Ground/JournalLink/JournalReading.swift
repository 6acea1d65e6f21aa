/// Reading the journal in order, as a value: answers and entries in, questions out.
///
/// Each round asks where the stream begins and ends, makes a consumer that the server forgets by itself, and asks it
/// for entries, a bounded number at a time. The next request waits until the owner has consumed all of the last one. A
/// round ends when the connection, the consumer or an entry is missing; the next one begins with the first entry that
/// was not delivered. So the server remembers nothing that matters.
/// - Confinement: any
struct JournalReading: Sendable {
    /// A task of the owner; the number of the round comes back with the answer.
    enum Action: Sendable, Equatable {
        /// Ask for the state of the stream.
        case ask(round: Int)
        /// Make a consumer that begins with this entry.
        case create(round: Int, start: UInt64)
        /// Ask the consumer for entries.
        case pull(round: Int, number: Int)
        /// The read is over.
        case end(JournalReadEnd)
    }

    private enum State: Sendable, Equatable {
        case waitingForConnection
        case waiting(until: Int64)
        case asking
        case creating
        case pulling(left: Int)
        /// All entries of a request are delivered, and the owner has not consumed them yet.
        case waitingForOwner
        case ended
    }

    private var state = State.waitingForConnection
    /// The next entry to deliver.
    private(set) var wanted: UInt64
    /// The owner has consumed all entries before this one.
    private var unconsumed: UInt64
    private(set) var round = 0
    private var pullNumber = 0
    private var pause = JournalLimits.pauseMilliseconds.lowerBound
    private var heardAt: Int64 = 0
    /// When the newest entry came, or the newest request was made.
    private var progressAt: Int64 = 0
    /// How long an entry that is known to be there may be on its way.
    private var patience = JournalLimits.entryMilliseconds.lowerBound
    /// Since when every answer has said that the journal ends before the wanted entry.
    private var aheadSince: Int64?
    private var hole: (wanted: UInt64, count: Int) = (0, 0)
    /// Rounds that ended because an entry was missing.
    private(set) var gaps = 0

    init(from sequence: UInt64) {
        wanted = sequence
        unconsumed = sequence
    }

    /// A connection is open; everything asked before is void.
    mutating func connected(now: Int64) -> [Action] {
        guard state != .ended else { return [] }
        return begin(now: now)
    }

    /// There is no connection any more.
    mutating func disconnected() {
        aheadSince = nil
        if state != .ended { state = .waitingForConnection }
    }

    /// The stream's first and last sequence, or nil without an answer.
    mutating func answered(_ bounds: (first: UInt64, last: UInt64)?, round: Int, now: Int64) -> [Action] {
        guard round == self.round, state == .asking else { return [] }
        guard let bounds else {
            aheadSince = nil
            return rest(now: now)
        }
        if bounds.last + 1 < wanted { return foundEarlyEnd(bounds.last, now: now) }
        aheadSince = nil
        if bounds.first > wanted { return end(.gone(first: bounds.first)) }
        state = .creating
        return [.create(round: round, start: wanted)]
    }

    /// Whether the consumer was made.
    mutating func created(_ isMade: Bool, round: Int, now: Int64) -> [Action] {
        guard round == self.round, state == .creating else { return [] }
        return isMade ? pull(now: now) : rest(now: now)
    }

    /// An entry came.
    /// - Returns: whether to deliver it, and what to do then.
    mutating func received(_ sequence: UInt64, round: Int, now: Int64) -> (delivers: Bool, actions: [Action]) {
        guard round == self.round, case .pulling(let left) = state else { return (false, []) }
        heardAt = now
        guard sequence >= wanted else { return (false, []) }
        guard sequence == wanted else { return (false, foundGap(before: sequence, now: now)) }
        wanted += 1
        progressAt = now
        patience = JournalLimits.entryMilliseconds.lowerBound
        pause = JournalLimits.pauseMilliseconds.lowerBound
        state = .pulling(left: left - 1)
        return (true, left == 1 ? endPull(now: now) : [])
    }

    /// The server ended a request, or says that it still waits (100).
    mutating func status(_ code: Int, _ text: String, pull number: Int, round: Int, now: Int64) -> [Action] {
        guard round == self.round, number == pullNumber, case .pulling = state else { return [] }
        heardAt = now
        switch code {
        case 100: return []
        case 404, 408: return endPull(now: now)
        case 409 where text.contains("Completed") || text.contains("MaxBytes"): return endPull(now: now)
        default: return rest(now: now)
        }
    }

    /// The server says that nobody has the consumer any more, perhaps for an earlier request.
    mutating func nobodyAnswered(now: Int64) -> [Action] {
        guard case .pulling = state else { return [] }
        return rest(now: now)
    }

    /// The owner has done its work with all entries up to this one.
    mutating func consumed(through sequence: UInt64, now: Int64) -> [Action] {
        unconsumed = max(unconsumed, min(sequence + 1, wanted))
        return state == .waitingForOwner && unconsumed == wanted ? pull(now: now) : []
    }

    /// Some time has passed.
    mutating func tick(now: Int64) -> [Action] {
        switch state {
        case .waiting(let until) where until <= now: begin(now: now)
        case .pulling where now - heardAt >= JournalLimits.silenceMilliseconds: begin(now: now)
        default: []
        }
    }

    /// The journal is known to have more than was delivered. A consumer may be on a server whose copy of the stream stands
    /// still: it sends heartbeats, and no entries. Another round may find another server.
    mutating func expected(now: Int64) -> [Action] {
        guard case .pulling = state, now - progressAt >= patience else { return [] }
        patience = min(patience * 2, JournalLimits.entryMilliseconds.upperBound)
        return begin(now: now)
    }

    private mutating func begin(now: Int64) -> [Action] {
        round += 1
        state = .asking
        return [.ask(round: round)]
    }

    private mutating func pull(now: Int64) -> [Action] {
        pullNumber += 1
        heardAt = now
        progressAt = now
        state = .pulling(left: JournalLimits.pullEntries)
        return [.pull(round: round, number: pullNumber)]
    }

    private mutating func endPull(now: Int64) -> [Action] {
        guard unconsumed == wanted else {
            state = .waitingForOwner
            return []
        }
        return pull(now: now)
    }

    /// Begins again after a pause, which grows until an entry comes.
    private mutating func rest(now: Int64) -> [Action] {
        state = .waiting(until: now + pause)
        pause = min(pause * 2, JournalLimits.pauseMilliseconds.upperBound)
        return []
    }

    private mutating func foundEarlyEnd(_ last: UInt64, now: Int64) -> [Action] {
        let since = aheadSince ?? now
        aheadSince = since
        return now - since >= JournalLimits.aheadMilliseconds ? end(.ahead(last: last)) : rest(now: now)
    }

    private mutating func foundGap(before sequence: UInt64, now: Int64) -> [Action] {
        gaps += 1
        hole = hole.wanted == wanted ? (wanted, hole.count + 1) : (wanted, 1)
        return hole.count > JournalLimits.holeRepeats ? end(.hole(next: sequence)) : begin(now: now)
    }

    private mutating func end(_ reason: JournalReadEnd) -> [Action] {
        state = .ended
        return [.end(reason)]
    }
}
