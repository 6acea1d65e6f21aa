package import Model

/// The place of one session in the log, and whether it gets events as they are committed or reads from the log.
///
/// This is the policy for slow sessions: a session whose socket is full gets no more events. Its position is
/// remembered, and when the socket has drained, the session continues from the log. So no reader costs memory and none
/// loses an event.
///
/// - Confinement: any
package struct DeliveryCursor: Sendable, Hashable {
    /// How the session gets its events.
    package enum Mode: Sendable, Hashable {
        /// A page of the log is being read, or waits for the socket to drain.
        case reading
        /// Everything up to the position was written to the socket; new commits are written at once.
        case live
        /// The socket is full: nothing is sent until it drains.
        case behind
    }

    /// Everything up to here was written to the socket. For a live session, later deliveries of its loop had nothing
    /// for it; they do not change the position.
    package private(set) var position: Position
    /// Durable events written on this connection; `beat` sends the number.
    package private(set) var eventCount: Int64 = 0
    package private(set) var mode = Mode.reading

    /// A cursor that continues after `position`.
    package init(position: Position) {
        self.position = position
    }

    /// Whether to write a newly committed event now.
    ///
    /// - Parameter queuedBytes: The bytes that still wait for the socket.
    package mutating func offer(_ position: Position, queuedBytes: Int) -> Bool {
        guard mode == .live, position > self.position else { return false }
        guard queuedBytes < Limits.queuedBytesMax else {
            // The session has everything before this event, so it continues from here.
            self.position = Position(position.value - 1)
            mode = .behind
            return false
        }
        self.position = position
        eventCount += 1
        return true
    }

    /// Whether to write a run of newly committed events now, as one chunk.
    ///
    /// - Parameters:
    ///   - first: Position of the first event; the others follow in order.
    ///   - last: Position of the last event.
    ///   - count: The number of events, at least 1.
    ///   - queuedBytes: The bytes that still wait for the socket.
    /// - Returns: true to write all of them; false changes nothing, and they must be offered one by one.
    package mutating func offer(from first: Position, through last: Position, count: Int, queuedBytes: Int) -> Bool {
        assert(first <= last && count > 0)
        guard mode == .live, first > position, queuedBytes < Limits.queuedBytesMax else { return false }
        position = last
        eventCount += Int64(count)
        return true
    }

    /// Notes that an event from the log was written.
    package mutating func advance(to position: Position) {
        guard position > self.position else { return }
        self.position = position
        eventCount += 1
    }

    /// Notes that the socket has drained.
    ///
    /// - Returns: true to read a page after ``position``.
    package mutating func drained() -> Bool {
        guard mode == .behind else { return false }
        mode = .reading
        return true
    }

    /// Notes that a page of the log was written, and that the log has more.
    ///
    /// - Returns: true to read the next page at once; false to wait until the socket has drained.
    package mutating func wrotePage(queuedBytes: Int) -> Bool {
        guard queuedBytes < Limits.queuedBytesMax else {
            mode = .behind
            return false
        }
        return true
    }

    /// Skips events up to `position` that are no longer in the log.
    package mutating func skip(to position: Position) {
        self.position = max(self.position, position)
    }

    /// Notes that the log was read to its end at `head`; from now on events are written as they are committed.
    package mutating func becomeLive(at head: Position) {
        position = max(position, head)
        mode = .live
    }
}
