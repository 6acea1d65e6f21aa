package import Model

/// Where one session stands in the log, and whether it gets events as they are committed or reads on by itself.
///
/// The policy for the slow: a session whose socket does not take what is written stops getting events; its position is
/// remembered, and when the socket has drained it reads on from the log. So no reader costs memory and none loses an
/// event.
///
/// - Confinement: any
package struct DeliveryCursor: Sendable, Hashable {
    /// How the session comes by its events.
    package enum Mode: Sendable, Hashable {
        /// A page of the log is being read, or waits for the socket to drain.
        case reading
        /// Everything up to the position was written to the socket; what is committed follows at once.
        case live
        /// The socket is full: nothing is sent until it drains.
        case behind
    }

    /// Everything up to here was written to the socket. A live session has also looked through what its loop has
    /// delivered since, of which nothing was for it; that costs no step here.
    package private(set) var position: Position
    /// Durable events written on this connection, as `beat` tells it.
    package private(set) var eventCount: Int64 = 0
    package private(set) var mode = Mode.reading

    /// A cursor that reads on from `position`.
    package init(position: Position) {
        self.position = position
    }

    /// Whether an event just committed is to be written now.
    ///
    /// - Parameter queuedBytes: what the socket has not taken yet.
    package mutating func offer(_ position: Position, queuedBytes: Int) -> Bool {
        guard mode == .live, position > self.position else { return false }
        guard queuedBytes < Limits.queuedBytesMax else {
            // Nothing before this event is missing: it reads on from here, however long nothing was for it.
            self.position = Position(position.value - 1)
            mode = .behind
            return false
        }
        self.position = position
        eventCount += 1
        return true
    }

    /// Whether a run of events just committed is to be written now, in one piece.
    ///
    /// - Parameters:
    ///   - first: position of the first of them; the others follow it in order.
    ///   - last: position of the last of them.
    ///   - count: how many they are, at least 1.
    ///   - queuedBytes: what the socket has not taken yet.
    /// - Returns: true when all of them are to be written; false changes nothing: they are to be offered one by one.
    package mutating func offer(from first: Position, through last: Position, count: Int, queuedBytes: Int) -> Bool {
        assert(first <= last && count > 0)
        guard mode == .live, first > position, queuedBytes < Limits.queuedBytesMax else { return false }
        position = last
        eventCount += Int64(count)
        return true
    }

    /// An event read from the log was written.
    package mutating func advance(to position: Position) {
        guard position > self.position else { return }
        self.position = position
        eventCount += 1
    }

    /// The socket has drained.
    ///
    /// - Returns: true when a page is to be read from ``position`` on.
    package mutating func drained() -> Bool {
        guard mode == .behind else { return false }
        mode = .reading
        return true
    }

    /// A page of the log was written, and the log has more.
    ///
    /// - Returns: true when the next page is to be read at once; false when the socket must drain first.
    package mutating func wrotePage(queuedBytes: Int) -> Bool {
        guard queuedBytes < Limits.queuedBytesMax else {
            mode = .behind
            return false
        }
        return true
    }

    /// What lies up to `position` is not to be had any more: it is skipped.
    package mutating func skip(to position: Position) {
        self.position = max(self.position, position)
    }

    /// The log was read to its end at `head`; from now on events come as they are committed.
    package mutating func becomeLive(at head: Position) {
        position = max(position, head)
        mode = .live
    }
}
