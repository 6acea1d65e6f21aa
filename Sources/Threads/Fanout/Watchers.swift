package import Model

/// The streams of documents that the sessions of one loop watch.
///
/// Separate from the ``Hub``: a follow belongs to a user on all devices, a watch belongs to one connection.
///
/// - Confinement: loop
package final class Watchers {
    private var slotsByStream: [StreamID: Subscribers] = [:]
    /// The watches of all sessions.
    package private(set) var count = 0
    /// The newest streams that have ended, the older half and the newer half.
    private var ended: (older: Set<StreamID>, newer: Set<StreamID>) = ([], [])
    private static let endedMax = 4096

    package init() {}

    /// The sessions that get a change in `stream`.
    package func subscribers(of stream: StreamID) -> Subscribers { slotsByStream[stream] ?? .none }

    /// Every session with at least one watch.
    package var slots: Set<Slot> { Set(slotsByStream.values.joined()) }

    /// A stream is logged no more.
    ///
    /// - Returns: the sessions that watch it.
    package func end(_ stream: StreamID) -> Subscribers {
        if ended.newer.count >= Self.endedMax { ended = (ended.newer, []) }
        ended.newer.insert(stream)
        return subscribers(of: stream)
    }

    /// Whether a stream has ended lately: a snapshot that shows it is older than that.
    package func hasEnded(_ stream: StreamID) -> Bool { ended.newer.contains(stream) || ended.older.contains(stream) }

    /// Begins a session's watch of a stream; called only once for each.
    package func add(_ slot: Slot, to stream: StreamID) {
        slotsByStream[stream, default: .none].append(slot)
        count += 1
    }

    /// Ends a session's watch of a stream.
    package func remove(_ slot: Slot, from stream: StreamID) {
        guard slotsByStream[stream]?.contains(slot) == true else { return }
        slotsByStream[stream]?.removeOne(slot)
        if slotsByStream[stream]?.isEmpty == true { slotsByStream[stream] = nil }
        count -= 1
    }
}

@available(*, unavailable)
extension Watchers: Sendable {}
