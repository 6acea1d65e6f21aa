import Fanout
import Model
import Synchronization
import Telemetry
import ThreadMessages

/// Has the counts of users read again, once for all sessions of a user on this loop, after something that they read was
/// removed.
///
/// - Confinement: loop
final class CountReads {
    private let number: Int
    private let hub: Hub
    private let orders: Orders
    private let log: DeliveredLog
    private let metrics: Metrics
    private var recounts = Recounts()

    /// - Parameter number: of the loop.
    init(ofLoop number: Int, _ hub: Hub, _ orders: Orders, _ log: DeliveredLog, _ metrics: Metrics) {
        self.number = number
        self.hub = hub
        self.orders = orders
        self.log = log
        self.metrics = metrics
    }

    /// Whether nobody waits for counts.
    var isEmpty: Bool { recounts.isEmpty }

    /// Something that a session's user reads was removed at a position.
    func want(_ user: StreamID, at position: Position) {
        if recounts.want(user, at: position, head: log.head) { read(user) }
    }

    private func read(_ user: StreamID) {
        metrics.countsRead.add(1)
        orders.read(.counts(user), for: ConnectionAddress(loop: number, slot: -1, generation: 0))
    }

    /// Notifications were delivered to the readers of a stream.
    func note(_ positions: [Position], in stream: StreamID) { recounts.note(positions, in: stream) }

    /// A notification was delivered to the readers of its streams.
    func note(_ publication: Publication) { recounts.note(publication) }

    /// A user's counts were read as of a position: gives them to the sessions, or has them read again when more was
    /// removed since.
    ///
    /// - Parameters:
    ///   - zone: the name of the time zone of the session in a slot.
    ///   - give: gives a session its counts as of a position.
    func arrived(
        _ user: StreamID, _ counts: UnreadCounts, asOf snapshot: Position, zone: (Slot) -> String,
        give: (Slot, UnreadCounts, Position) -> Void
    ) {
        let slots = hub.subscribers(of: user)
        guard slots.isEmpty || recounts.isEnough(user, asOf: snapshot) else { return read(user) }
        for slot in slots {
            var counts = counts
            counts.notifications += Int64(
                recounts.count(after: snapshot, in: hub.streams(of: slot), of: user, zone: zone(slot)))
            give(slot, counts, max(snapshot, log.head))
        }
        recounts.done(user)
    }

    /// A user's counts could not be read.
    func failed(_ user: StreamID) { recounts.failed(user) }

    /// Asks again for the counts that could not be read.
    func readFailed() {
        for user in recounts.takeFailed() {
            if hub.subscribers(of: user).isEmpty { recounts.done(user) } else { read(user) }
        }
    }
}

@available(*, unavailable)
extension CountReads: Sendable {}
