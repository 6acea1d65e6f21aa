import ClientProtocol
import JSON
import Model

/// The events that a device has, over all its connections: the point at which it resumes, and what the server does not
/// know yet.
///
/// There are two points, which are one without a store: `cursor` is what the device keeps, what it acknowledges, and where it
/// resumes; `reached` is what has arrived on this connection. With a store the cursor follows ``stored(_:)``, so it is never
/// ahead of the disk.
/// - Confinement: any
struct ReceivedEvents: Sendable {
    /// The result of a durable event.
    enum Taken: Sendable, Equatable {
        case new
        /// It is not above this position: it came before, or out of order.
        case seen(Position)
        /// The store has it already: a resume from an older cursor brings it again.
        case isStored
    }

    private let hasStore: Bool
    /// The point up to which this device has everything: the next connect asks for later events.
    private(set) var cursor: ResumePoint?
    /// The point up to which events have arrived on this connection.
    private(set) var reached: ResumePoint?
    /// Durable events of this connection, including repeated ones, as `beat` counts them.
    private(set) var count: Int64 = 0
    /// When the cursor is sent to the server; nil when nothing must be sent.
    private(set) var ackAt: Int64?
    /// Whether events were handled since the last `ack`, on this connection or the last one.
    private var hasUnacknowledged: Bool
    private var lastDurable = Position.zero
    /// The furthest point of an answer: what another node answers later is to show as much.
    private var shown: ResumePoint?

    init(since cursor: ResumePoint?, hasStore: Bool) {
        self.hasStore = hasStore
        self.cursor = cursor
        reached = cursor
        // A process that begins with a stored cursor does not know whether the last one acknowledged it.
        hasUnacknowledged = hasStore && cursor != nil
    }

    /// Begins a connection.
    mutating func connected() {
        count = 0
        reached = cursor
    }

    /// Ends a connection. The next one acknowledges.
    mutating func disconnected() { ackAt = nil }

    /// Begins at a point, unless the session has one already.
    mutating func begin(at point: ResumePoint) {
        reached = reached ?? point
        if !hasStore { cursor = reached }
    }

    /// Forgets the point: the server could not resume from it. A store keeps its own until the new state is stored.
    mutating func reset() {
        reached = nil
        if !hasStore { cursor = nil }
    }

    /// Takes a durable event.
    ///
    /// - Parameter epoch: of the connection; nil before its `hello` is answered, when events move nothing.
    mutating func take(_ position: Position, of epoch: Epoch?) -> Taken {
        count += 1
        if let epoch {
            if let seen = Self.position(of: reached, in: epoch), position <= seen { return .seen(seen) }
            move(to: position, in: epoch)
            if hasStore, let stored = Self.position(of: cursor, in: epoch), position <= stored { return .isStored }
        }
        lastDurable = position
        hasUnacknowledged = true
        return .new
    }

    /// Moves to a position up to which everything has arrived; it never goes back.
    /// - Returns: whether that is further than before.
    @discardableResult
    mutating func move(to position: Position, in epoch: Epoch) -> Bool {
        let before = Self.position(of: reached, in: epoch)
        let isFurther = before.map { position > $0 } ?? true
        if isFurther { reached = ResumePoint(epoch: epoch, seq: position) }
        if !hasStore { cursor = reached }
        return isFurther
    }

    /// An answer may bear a position of the log.
    mutating func show(_ answer: Result<JSONValue, Refusal>, of epoch: Epoch?) {
        guard let epoch, case .success(let ok) = answer, let seq = ok["seq"]?.integerValue,
            (0..<Position.bound).contains(seq)
        else { return }
        if let before = Self.position(of: shown, in: epoch), seq <= before.value { return }
        shown = ResumePoint(epoch: epoch, seq: Position(seq))
    }

    /// The point beyond the cursor that the next connection must show; nil for none.
    var readAfter: ResumePoint? {
        guard let shown else { return nil }
        if let kept = Self.position(of: cursor, in: shown.epoch), shown.seq <= kept { return nil }
        return shown
    }

    /// The store has everything up to here.
    mutating func stored(_ point: ResumePoint) {
        guard hasStore else { return }
        if let before = Self.position(of: cursor, in: point.epoch), point.seq <= before { return }
        cursor = point
    }

    private static func position(of point: ResumePoint?, in epoch: Epoch) -> Position? {
        guard let point, point.epoch == epoch else { return nil }
        return point.seq
    }

    /// Plans an `ack`, if one is needed and none is planned.
    mutating func planAck(at now: Int64, after delay: Int64) {
        guard hasUnacknowledged, ackAt == nil else { return }
        ackAt = now + delay
    }

    /// The command that tells the server the cursor; nil when there is none of this epoch.
    mutating func ack(in epoch: Epoch?) -> ClientCommand? {
        ackAt = nil
        let position = epoch.flatMap { Self.position(of: cursor, in: $0) }
        hasUnacknowledged = position.map { hasStore && $0 < lastDurable } ?? true
        return position.map { ClientCommand(AckCommand.self, ["seq": .integer($0.value)]) }
    }
}
