/// The time on a ``FairSchedule``'s clock at which a lane would be done with its next element.
///
/// - Confinement: any
struct FairTurn: Comparable {
    let begins: Int64
    let ends: Int64
    let number: Int64
    /// The place of its lane in the queue.
    let lane: Int

    static func < (one: FairTurn, other: FairTurn) -> Bool { (one.ends, one.number) < (other.ends, other.number) }
}

/// A binary heap of turns, which gives the one that ends first.
///
/// It does not use the generic heap of the module `Store`: generic code is not specialised in another module, and
/// sharing it cost a sixth of the time of a page of missed events.
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

    /// Removes the first turn; the heap must not be empty.
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

    /// Removes the turns for which the closure is true.
    mutating func removeAll(where isGone: (FairTurn) -> Bool) {
        turns.removeAll(where: isGone)
        // A sorted array is a valid heap.
        turns.sort()
    }
}
