package import Model

/// Which sessions of one loop watch which stream of documents.
///
/// Apart from the ``Hub``: what a user follows is his on all devices, what is watched belongs to one connection.
///
/// - Confinement: loop
package final class Watchers {
    private var slotsByStream: [StreamID: [Slot]] = [:]
    /// Watches of all sessions.
    package private(set) var count = 0

    package init() {}

    /// The sessions that a change in `stream` goes to.
    package func subscribers(of stream: StreamID) -> [Slot] { slotsByStream[stream] ?? [] }

    /// Every session that watches anything.
    package var slots: Set<Slot> { Set(slotsByStream.values.joined()) }

    /// A session watches a stream; each only once.
    package func add(_ slot: Slot, to stream: StreamID) {
        slotsByStream[stream, default: []].append(slot)
        count += 1
    }

    /// A session watches a stream no longer.
    package func remove(_ slot: Slot, from stream: StreamID) {
        guard let slots = slotsByStream[stream], let index = slots.firstIndex(of: slot) else { return }
        slotsByStream[stream]?.remove(at: index)
        if slots.count == 1 { slotsByStream[stream] = nil }
        count -= 1
    }
}

@available(*, unavailable)
extension Watchers: Sendable {}
