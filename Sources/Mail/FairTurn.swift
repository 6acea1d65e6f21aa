/// When a lane of a ``FairQueue`` would have the thread for its next element, by the queue's time.
///
/// - Confinement: any
struct FairTurn: Comparable {
    let begins: Int64
    let ends: Int64
    let number: Int64
    let lane: FairLane

    static func < (one: FairTurn, other: FairTurn) -> Bool { (one.ends, one.number) < (other.ends, other.number) }
}

/// Turns, of which the one that ends first is at hand: a binary heap.
///
/// Not the generic one of the room `Store`: what is generic is not specialised in another room, and cost a sixth of a
/// page of missed events when it was shared.
///
/// - Confinement: any
struct TurnHeap {
    private var turns: [FairTurn] = []

    var count: Int { turns.count }
    var first: FairTurn? { turns.first }

    mutating func insert(_ turn: FairTurn) {
        turns.append(turn)
        var child = turns.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard turns[child] < turns[parent] else { return }
            turns.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes the first one out; there must be one.
    mutating func removeFirst() {
        let last = turns.removeLast()
        guard !turns.isEmpty else { return }
        turns[0] = last
        var parent = 0
        while 2 * parent + 1 < turns.count {
            let left = 2 * parent + 1
            let child = left + 1 < turns.count && turns[left + 1] < turns[left] ? left + 1 : left
            guard turns[child] < turns[parent] else { return }
            turns.swapAt(child, parent)
            parent = child
        }
    }

    /// Takes out those for which it is true.
    mutating func removeAll(where isGone: (FairTurn) -> Bool) {
        turns.removeAll(where: isGone)
        // A sorted array is a heap.
        turns.sort()
    }
}
