package import Model

/// Which sessions of one loop watch which stream of documents.
///
/// Separate from the ``Hub``: follows belong to a user on all devices, watches belong to one connection.
///
/// - Confinement: loop
package final class Watchers {
    private var slotsByStream: [StreamID: Subscribers] = [:]
    /// Watches of all sessions.
    package private(set) var count = 0

    package init() {}

    /// The sessions that a change in `stream` goes to.
    package func subscribers(of stream: StreamID) -> Subscribers { slotsByStream[stream] ?? .none }

    /// Every session that watches anything.
    package var slots: Set<Slot> { Set(slotsByStream.values.joined()) }

    /// A session watches a stream; each only once.
    package func add(_ slot: Slot, to stream: StreamID) {
        slotsByStream[stream, default: .none].append(slot)
        count += 1
    }

    /// A session watches a stream no longer.
    package func remove(_ slot: Slot, from stream: StreamID) {
        guard slotsByStream[stream]?.contains(slot) == true else { return }
        slotsByStream[stream]?.removeOne(slot)
        if slotsByStream[stream]?.isEmpty == true { slotsByStream[stream] = nil }
        count -= 1
    }
}

@available(*, unavailable)
extension Watchers: Sendable {}
