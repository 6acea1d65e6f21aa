package import Model

/// A session's place in its loop's table.
///
/// - Confinement: any
package typealias Slot = Int32

/// Who listens: which sessions of one loop are subscribed to which stream.
///
/// It holds integers, not sessions: a publication costs one look-up for its stream and nothing for each receiver but the
/// step over an array. Nothing here is allocated while publishing.
///
/// - Confinement: loop
package final class Hub {
    private var slotsByStream: [StreamID: [Slot]] = [:]
    private var streamsBySlot: [Slot: [StreamID]] = [:]
    /// Every session: subscribed to ``StreamID/everyone`` without an entry of its own.
    package private(set) var everyone: [Slot] = []
    /// Where in ``everyone`` a slot stands, by slot, so that thousands may leave at once; what it says of others is old.
    private var placesInEveryone: [Int32] = []

    package init() {}

    /// Sessions that are attached.
    package var sessionCount: Int { everyone.count }

    /// Begins to list a session under its user's inbox, everyone, and what the user follows.
    package func attach(_ slot: Slot, inbox: StreamID, streams: [StreamID]) {
        precondition(streamsBySlot[slot] == nil, "slot \(slot) is attached already")
        let missing = Int(slot) + 1 - placesInEveryone.count
        if missing > 0 { placesInEveryone.append(contentsOf: repeatElement(0, count: missing)) }
        placesInEveryone[Int(slot)] = Int32(everyone.count)
        everyone.append(slot)
        streamsBySlot[slot] = [inbox] + streams
        slotsByStream[inbox, default: []].append(slot)
        for stream in streams { slotsByStream[stream, default: []].append(slot) }
    }

    /// Lists the session under other streams than before; the inbox stays.
    package func replaceStreams(of slot: Slot, with streams: [StreamID]) {
        guard let inbox = streamsBySlot[slot]?.first else { return }
        detach(slot)
        attach(slot, inbox: inbox, streams: streams)
    }

    /// Removes every trace of a session; harmless when it is not attached.
    package func detach(_ slot: Slot) {
        guard let streams = streamsBySlot.removeValue(forKey: slot) else { return }
        removeFromEveryone(slot)
        for stream in streams { remove(slot, from: stream) }
    }

    /// Adds or ends one subscription of every session of a user.
    package func setSubscription(of inbox: StreamID, to stream: StreamID, isOn: Bool) {
        for slot in slotsByStream[inbox] ?? [] {
            let index = streamsBySlot[slot]?.firstIndex(of: stream)
            if isOn, index == nil {
                streamsBySlot[slot]?.append(stream)
                slotsByStream[stream, default: []].append(slot)
            } else if !isOn, let index, index > 0 {
                streamsBySlot[slot]?.remove(at: index)
                remove(slot, from: stream)
            }
        }
    }

    /// Whether a session gets what is published in a stream.
    package func isSubscribed(_ slot: Slot, to stream: StreamID) -> Bool {
        stream == .everyone || streamsBySlot[slot]?.contains(stream) == true
    }

    /// The sessions that a publication in `stream` goes to.
    package func subscribers(of stream: StreamID) -> [Slot] {
        stream == .everyone ? everyone : slotsByStream[stream] ?? []
    }

    /// The last one takes its place.
    private func removeFromEveryone(_ slot: Slot) {
        let place = placesInEveryone[Int(slot)]
        let last = everyone.removeLast()
        guard last != slot else { return }
        everyone[Int(place)] = last
        placesInEveryone[Int(last)] = place
    }

    private func remove(_ slot: Slot, from stream: StreamID) {
        slotsByStream[stream]?.removeOne(slot)
        if slotsByStream[stream]?.isEmpty == true { slotsByStream[stream] = nil }
    }
}

@available(*, unavailable)
extension Hub: Sendable {}

extension [Slot] {
    /// Removes one value where it is found, without keeping the order: nobody relies on it among sessions.
    fileprivate mutating func removeOne(_ slot: Slot) {
        guard let index = firstIndex(of: slot) else { return }
        swapAt(index, count - 1)
        removeLast()
    }
}
