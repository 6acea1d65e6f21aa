/// The events to come, by time; those of the same time in the order in which they were planned.
struct EventQueue {
    private struct Key {
        let at: Int
        let order: Int
        let slot: Int

        func isBefore(_ other: Key) -> Bool { at != other.at ? at < other.at : order < other.order }
    }

    /// A heap. The events themselves stay in their slots.
    private var keys: [Key] = []
    private var slots: [Cluster.Event?] = []
    private var free: [Int] = []
    private var order = 0

    mutating func plan(_ event: Cluster.Event, at: Int) {
        let slot: Int
        if let last = free.popLast() {
            slot = last
            slots[slot] = event
        } else {
            slot = slots.count
            slots.append(event)
        }
        order += 1
        let key = Key(at: at, order: order, slot: slot)
        var place = keys.count
        keys.append(key)
        while place > 0 {
            let parent = (place - 1) / 2
            guard key.isBefore(keys[parent]) else { break }
            keys[place] = keys[parent]
            place = parent
        }
        keys[place] = key
    }

    mutating func next() -> (at: Int, event: Cluster.Event)? {
        guard let first = keys.first, let last = keys.popLast() else { return nil }
        if !keys.isEmpty { sink(last) }
        guard let event = slots[first.slot] else { return nil }
        slots[first.slot] = nil
        free.append(first.slot)
        return (first.at, event)
    }

    private mutating func sink(_ key: Key) {
        let count = keys.count
        var place = 0
        while true {
            var child = 2 * place + 1
            guard child < count else { break }
            if child + 1 < count, keys[child + 1].isBefore(keys[child]) { child += 1 }
            guard keys[child].isBefore(key) else { break }
            keys[place] = keys[child]
            place = child
        }
        keys[place] = key
    }
}
