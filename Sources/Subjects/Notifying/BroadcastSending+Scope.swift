import ClientProtocol
import Execution
import Model
import Store
import Triggers

// Broadcasts to several audiences: one row for the topics together, and rows of their own for people, slice by slice.
extension BroadcastSending {
    /// The outcome of one turn.
    struct Slice {
        /// The positions of the rows that many read, and the newest of all.
        var positions: [Position]
        var size: Int64
        /// Whether nobody is left whose turn it is.
        var isWhole = true
        /// Whether it was somebody's turn.
        var isTurn = false
    }

    /// Sends what is due to a scope. Its first turn finds out the people of the rooms and roles, and the exceptions.
    func send(
        _ broadcast: BroadcastEntry, _ order: BroadcastOrder, to scope: BroadcastScope, _ turn: ZoneTurn?,
        _ notifier: inout Notifier
    ) throws -> Slice {
        let isFirst = broadcast.sent == nil
        var slice = Slice(positions: isFirst ? [] : broadcast.positions, size: broadcast.size)
        slice.isTurn = turn.map { !$0.isNobodys } ?? isFirst
        if isFirst {
            guard slice.isTurn else { return slice }
            let people = try ScopePeople(scope, storedOf: broadcast.id, in: transaction.reading)
            slice.size = try people.size(in: transaction.reading, at: context.now)
            // Those that everyone or an exception covers have no row of their own.
            try transaction.broadcastPeople.clear(broadcast.id)
            try transaction.broadcastPeople.put(people.named.sorted(), .named, of: broadcast.id, in: transaction)
            try transaction.broadcastPeople.put(people.excepted.sorted(), .excepted, of: broadcast.id, in: transaction)
        }
        var shared = isFirst ? [] : broadcast.earlier
        if slice.isTurn, let audience = scope.shared {
            var draft = order.draft(broadcast.id)
            draft.zones = turn?.zones ?? []
            let people = try ScopePeople(resolved: scope, as: broadcast.id, in: transaction.reading)
            draft.withheld = try people.readers(in: transaction.reading)
            if try notifier.notify(audience, draft) > 0 { shared.append(transaction.head) }
        }
        let newest = try sendOwn(broadcast.id, order, &slice, &notifier)
        if let newest = newest ?? shared.last { slice.positions = shared + [newest] }
        return slice
    }

    /// Writes the rows of people whose turn it is, as many as one transaction may have.
    ///
    /// - Returns: the position of the newest one.
    private func sendOwn(
        _ id: Int64, _ order: BroadcastOrder, _ slice: inout Slice, _ notifier: inout Notifier
    ) throws -> Position? {
        var zones: [String]?
        if case .recipients(let wall)? = order.time {
            zones = try transaction.users.zones().filter { TriggerClock.instant(of: wall, in: $0) <= context.now }
        }
        let limit = BroadcastLimits.sliceMax
        let waiting = try transaction.broadcastPeople.waiting(id, in: zones, limit: limit + 1)
        var newest: Position?
        for (user, name) in waiting.prefix(limit) {
            let isWritten = try notifier.notify(.user(name), order.draft(id)) > 0
            try transaction.broadcastPeople.note(isWritten ? transaction.head : nil, of: user, id)
            if isWritten { newest = transaction.head }
        }
        context.engine.meter.charge(min(waiting.count, limit) * TriggerLimits.rowWork)
        slice.isWhole = waiting.count <= limit
        slice.isTurn = slice.isTurn || newest != nil
        return newest
    }

    /// Takes back some rows of people of a broadcast that was cancelled.
    ///
    /// - Returns: whether none is left.
    func takeBackSlice(_ broadcast: BroadcastEntry) throws -> Bool {
        let limit = BroadcastLimits.sliceMax
        let reached = try transaction.broadcastPeople.reached(broadcast.id, limit: limit + 1)
        for (user, position) in reached.prefix(limit) {
            try CancelBroadcast.takeBack(position, of: broadcast.id, isInbox: true, in: context)
            try transaction.broadcastPeople.noteGone(user, broadcast.id)
        }
        context.engine.meter.charge(min(reached.count, limit) * TriggerLimits.rowWork)
        let isWhole = reached.count <= limit
        try transaction.broadcasts.note(
            broadcast.id, positions: broadcast.positions, size: broadcast.size, sent: broadcast.sent,
            due: isWhole ? nil : context.now)
        return isWhole
    }
}
