import ClientProtocol
import JSON
import Model

/// The events that a device has, over all its connections: the point at which it resumes, and what the server does not
/// know yet.
/// - Confinement: any
struct ReceivedEvents: Sendable {
    /// The point up to which this device has everything: the next connect asks for later events.
    private(set) var cursor: ResumePoint?
    /// Durable events of this connection, including repeated ones, as `beat` counts them.
    private(set) var count: Int64 = 0
    /// When the cursor is sent to the server; nil when nothing must be sent.
    private(set) var ackAt: Int64?
    /// Whether events were handled since the last `ack`, on this connection or the last one.
    private var hasUnacknowledged = false

    init(since cursor: ResumePoint?) { self.cursor = cursor }

    /// Begins a connection.
    mutating func connected() { count = 0 }

    /// Ends a connection. The next one acknowledges.
    mutating func disconnected() { ackAt = nil }

    /// Begins at a point, unless the session has one already.
    mutating func begin(at point: ResumePoint) { cursor = cursor ?? point }

    /// Forgets the cursor: the server could not resume from it.
    mutating func reset() { cursor = nil }

    /// Takes a durable event.
    ///
    /// - Parameter epoch: of the connection; nil before its `hello` is answered, when events move nothing.
    /// - Returns: the position of the cursor where the event is not above it: it came before, or out of order.
    mutating func take(_ position: Position, of epoch: Epoch?) -> Position? {
        count += 1
        if let epoch {
            if let seen = self.position(in: epoch), position <= seen { return seen }
            move(to: position, in: epoch)
        }
        hasUnacknowledged = true
        return nil
    }

    /// Moves the cursor to a position up to which everything has arrived; it never goes back.
    mutating func move(to position: Position, in epoch: Epoch) {
        cursor = ResumePoint(epoch: epoch, seq: max(position, self.position(in: epoch) ?? .zero))
    }

    /// The position of the cursor, if it belongs to this epoch.
    private func position(in epoch: Epoch) -> Position? {
        guard let cursor, cursor.epoch == epoch else { return nil }
        return cursor.seq
    }

    /// Plans an `ack`, if one is needed and none is planned.
    mutating func planAck(at now: Int64, after delay: Int64?) {
        guard hasUnacknowledged, ackAt == nil, let delay else { return }
        ackAt = now + delay
    }

    /// The command that tells the server the cursor; nil when there is none.
    mutating func ack() -> ClientCommand? {
        ackAt = nil
        hasUnacknowledged = false
        return cursor.map { ClientCommand(AckCommand.self, ["seq": .integer($0.seq.value)]) }
    }
}
