import ClientProtocol
import JSON

/// Writes that the server cannot take: one that is too long, and one with which each connection ends. They must neither keep the
/// others from going, nor end connections for ever.
extension Outbox {
    /// How many connections in a row may end with a write under way. Before the last of them it goes alone, so that that end is its
    /// own.
    private static let endsMax = 3

    /// A connection has ended with writes under way: finds the one that ends each connection, so that the others go on.
    mutating func suspect(after end: TransportEnd?) {
        let cut = writes.items.indices.filter { writes.items[$0].isCut }
        for place in cut { writes.items[place].isCut = false }
        guard let end else { return }
        let isTooLong = if case .closed(CloseCode.messageTooBig.rawValue, _) = end { true } else { false }
        if isTooLong, cut.count == 1 {
            return writes.fail(cut[0], bound.error(writes.items[cut[0]].bytes, isClosed: true))
        }
        guard isTooLong || Self.isAbnormal(end) else { return }
        for place in cut {
            if !isTooLong { writes.items[place].ends += 1 }
            if writes.items[place].ends >= Self.endsMax, writes.items[place].isSuspect, cut.count == 1 {
                writes.fail(place, Self.lostEachTime(writes.items[place].ends))
            } else if isTooLong || writes.items[place].ends >= Self.endsMax - 1 {
                writes.items[place].isSuspect = true
            }
        }
    }

    /// Whether an end may be the fault of what was sent: not one that the server or this device wanted.
    private static func isAbnormal(_ end: TransportEnd) -> Bool {
        switch end {
        case .lost, .violation, .closed(nil, _): true
        case .closed(let code?, _): (1002...1011).contains(code)
        case .refused, .badHandshake, .encryption: false
        }
    }

    private static func lostEachTime(_ count: Int) -> JSONValue {
        let message = "the connection ended each of the \(count) times that the write was sent"
        return ["code": "connection-lost", "class": "permanent", "message": .string(message)]
    }
}
