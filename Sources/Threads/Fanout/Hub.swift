package import Model

/// A session's place in its loop's table.
///
/// - Confinement: any
package typealias Slot = Int32

/// The subscriptions of one loop's sessions to streams.
///
/// It holds integers, not sessions: a publication costs one look-up for its stream, and one array step for each
/// receiver. Publishing allocates nothing.
///
/// - Confinement: loop
package final class Hub {
    private var slotsByStream: [StreamID: Subscribers] = [:]
    /// By slot; nil where no session is attached.
    private var places: [Place?] = []
    /// Every session: subscribed to ``StreamID/everyone`` without an entry of its own.
    private var everyone: [Slot] = []

    /// The entries of a session.
    private struct Place {
        let inbox: StreamID
        /// The streams that the user follows; an empty array costs nothing.
        var streams: [StreamID]
        /// The session's index in ``everyone``.
        var index: Int32
    }

    package init() {}

    /// The number of attached sessions.
    package var sessionCount: Int { everyone.count }

    /// Adds a session to its user's inbox, to everyone, and to the streams that the user follows.
    package func attach(_ slot: Slot, inbox: StreamID, streams: [StreamID]) {
        let index = Int(slot)
        while places.count <= index { places.append(nil) }
        precondition(places[index] == nil, "slot \(slot) is attached already")
        places[index] = Place(inbox: inbox, streams: streams, index: Int32(everyone.count))
        everyone.append(slot)
        add(slot, to: inbox)
        for stream in streams { add(slot, to: stream) }
    }

    /// Replaces the followed streams of a session; the inbox stays.
    package func replaceStreams(of slot: Slot, with streams: [StreamID]) {
        guard let place = place(of: slot), place.streams != streams else { return }
        for stream in place.streams { remove(slot, from: stream) }
        places[Int(slot)]?.streams = streams
        for stream in streams { add(slot, to: stream) }
    }

    /// Removes a session; has no effect when it is not attached.
    package func detach(_ slot: Slot) {
        guard let place = place(of: slot) else { return }
        places[Int(slot)] = nil
        // The last one moves to its place.
        let last = everyone.removeLast()
        if last != slot {
            everyone[Int(place.index)] = last
            places[Int(last)]?.index = place.index
        }
        remove(slot, from: place.inbox)
        for stream in place.streams { remove(slot, from: stream) }
    }

    /// Begins or ends one subscription for every session of a user.
    package func setSubscription(of inbox: StreamID, to stream: StreamID, isOn: Bool) {
        guard stream != inbox else { return }
        for slot in subscribers(of: inbox) {
            let index = place(of: slot)?.streams.firstIndex(of: stream)
            if isOn, index == nil {
                places[Int(slot)]?.streams.append(stream)
                add(slot, to: stream)
            } else if !isOn, let index {
                places[Int(slot)]?.streams.remove(at: index)
                remove(slot, from: stream)
            }
        }
    }

    /// The streams that a session's user follows.
    package func streams(of slot: Slot) -> [StreamID] { place(of: slot)?.streams ?? [] }

    /// Whether a session gets the publications of a stream.
    package func isSubscribed(_ slot: Slot, to stream: StreamID) -> Bool {
        guard let place = place(of: slot) else { return false }
        return stream == .everyone || stream == place.inbox || place.streams.contains(stream)
    }

    /// The number of streams that a session's user follows, without the inbox and everyone.
    package func streamCount(of slot: Slot) -> Int { place(of: slot)?.streams.count ?? 0 }

    /// The sessions that get a publication in `stream`.
    package func subscribers(of stream: StreamID) -> Subscribers {
        stream == .everyone ? .several(everyone) : slotsByStream[stream] ?? .none
    }

    private func place(of slot: Slot) -> Place? {
        places.indices.contains(Int(slot)) ? places[Int(slot)] : nil
    }

    private func add(_ slot: Slot, to stream: StreamID) {
        slotsByStream[stream, default: .none].append(slot)
    }

    private func remove(_ slot: Slot, from stream: StreamID) {
        slotsByStream[stream]?.removeOne(slot)
        if slotsByStream[stream]?.isEmpty == true { slotsByStream[stream] = nil }
    }
}

@available(*, unavailable)
extension Hub: Sendable {}
