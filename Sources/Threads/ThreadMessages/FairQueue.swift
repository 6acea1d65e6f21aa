import DequeModule

/// The work that waits for a thread. Each lane keeps its order, and the lanes take turns by the time that they have had
/// (weighted fair queueing: P. Goyal, H. Vin, H. Cheng, Start-time Fair Queuing, 1996; here the next turn goes to the
/// lane that would be done first).
///
/// The time of an element is estimated, and corrected when it was measured. So a lane with much work, or with slow
/// work, waits longer, and a lane with little work waits for neither, however many the others are.
///
/// Generic code is not specialised in another module, and the unspecialised queue cost a thirtieth of a session's
/// start. So the two kinds of orders are named here.
///
/// - Confinement: any
package struct FairQueue<Element> {
    private struct Waiting {
        let element: Element
        let expected: Int64
    }

    private struct Lane {
        var next: Waiting
        /// The elements after the first; most lanes have none.
        var others = Deque<Waiting>()
        /// The number of the lane's valid turn; other turns of it in the heap are outdated.
        var turn: Int64 = 0
    }

    /// At least this many lanes are remembered after they had something.
    private static var lanesRememberedMin: Int { 1024 }

    /// The only element that waits: while it is alone, nothing is counted and no turns are taken.
    private var alone: (lane: FairLane, waiting: Waiting)?
    private var lanes: [FairLane: Lane] = [:]
    private var turns = TurnHeap()
    /// The thread's time in microseconds, as the lanes share it: it advances when a turn begins.
    package private(set) var time: Int64 = 0
    /// For each lane, the point on that time up to which it has had its share.
    private var had: [FairLane: Int64] = [:]
    private var lanesRememberedMax = Self.lanesRememberedMin
    private var lastNumber: Int64 = 0
    private var firstNumber: Int64 = 0
    /// The number of elements that wait.
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    /// How many lanes have waiting elements.
    package var laneCount: Int { alone == nil ? lanes.count : 1 }

    /// How many elements wait in a lane.
    package func count(in lane: FairLane) -> Int {
        if let alone { alone.lane == lane ? 1 : 0 } else { lanes[lane].map { $0.others.count + 1 } ?? 0 }
    }

    /// - Parameter expected: The estimated time in microseconds.
    @_specialize(where Element == ReadOrder)
    @_specialize(where Element == WriteOrder)
    package mutating func append(_ element: Element, to lane: FairLane, expected: Int) {
        count += 1
        let waiting = Waiting(element: element, expected: Int64(expected))
        guard count > 1 else {
            // When nothing waits, no lane is owed anything.
            had.removeAll(keepingCapacity: true)
            return alone = (lane, waiting)
        }
        joinOthers()
        if let place = lanes.index(forKey: lane) {
            lanes.values[place].others.append(waiting)
        } else {
            begin(lane, with: waiting)
        }
    }

    /// Takes the next element; nil when nothing waits.
    @_specialize(where Element == ReadOrder)
    @_specialize(where Element == WriteOrder)
    package mutating func next() -> Element? {
        if let alone {
            self.alone = nil
            count = 0
            return alone.waiting.element
        }
        while let turn = turns.first {
            turns.removeFirst()
            guard let place = lanes.index(forKey: turn.lane), lanes.values[place].turn == turn.number else { continue }
            let taken = lanes.values[place].next
            count -= 1
            time = max(time, turn.begins)
            note(turn.lane, hadUntil: turn.ends)
            if let next = lanes.values[place].others.popFirst() {
                lanes.values[place].next = next
                takeTurn(turn.lane)
            } else {
                lanes.remove(at: place)
            }
            return taken.element
        }
        return nil
    }

    /// Puts back the elements that were taken last and could not be processed, in the order in which they were taken.
    ///
    /// The time goes back, too, and each lane gets the turn that it had. If all lanes began again, a lane with slightly
    /// more work than most would come last each time.
    ///
    /// - Parameter before: ``time`` before the first of them was taken.
    package mutating func putBack(
        _ elements: ArraySlice<Element>, since before: Int64, _ lane: (Element) -> (FairLane, expected: Int)
    ) {
        guard !elements.isEmpty else { return }
        joinOthers()
        time = min(time, before)
        for element in elements.reversed() {
            count += 1
            let (lane, expected) = lane(element)
            let waiting = Waiting(element: element, expected: Int64(expected))
            had[lane, default: time] -= waiting.expected
            if let place = lanes.index(forKey: lane) {
                lanes.values[place].others.prepend(lanes.values[place].next)
                lanes.values[place].next = waiting
                takeTurn(lane, isFirst: true)
            } else {
                begin(lane, with: waiting, isFirst: true)
            }
        }
    }

    /// Corrects the time of a taken element by the difference to the estimate.
    @_specialize(where Element == ReadOrder)
    @_specialize(where Element == WriteOrder)
    package mutating func charge(_ lane: FairLane, microseconds: Int64) {
        // When nothing waits, no lane is owed anything.
        guard alone == nil, count > 0 else { return }
        note(lane, hadUntil: max(had[lane] ?? 0, time) + microseconds)
        takeTurn(lane)
    }

    private mutating func note(_ lane: FairLane, hadUntil ends: Int64) {
        had[lane] = ends
        // A lane that has had no more than the others need not be remembered. The bound doubles after each search.
        guard had.count > lanesRememberedMax else { return }
        had = had.filter { $0.value > time }
        lanesRememberedMax = max(Self.lanesRememberedMin, 2 * had.count)
    }

    /// Moves the only waiting element into a lane, since another one arrives.
    private mutating func joinOthers() {
        guard let (lane, waiting) = alone else { return }
        alone = nil
        begin(lane, with: waiting)
    }

    private mutating func begin(_ lane: FairLane, with waiting: Waiting, isFirst: Bool = false) {
        lanes[lane] = Lane(next: waiting, turn: stand(lane, expected: waiting.expected, isFirst: isFirst))
    }

    /// Gives a lane its turn among the others, in place of its earlier one.
    ///
    /// - Parameter isFirst: Whether it goes before turns that end at the same time.
    private mutating func takeTurn(_ lane: FairLane, isFirst: Bool = false) {
        guard let place = lanes.index(forKey: lane) else { return }
        lanes.values[place].turn = stand(lane, expected: lanes.values[place].next.expected, isFirst: isFirst)
        // Outdated turns are removed when they are the majority.
        if turns.count > 2 * lanes.count + 64 {
            turns.removeAll { [lanes] in lanes[$0.lane]?.turn != $0.number }
        }
    }

    /// - Returns: The number of the turn.
    private mutating func stand(_ lane: FairLane, expected: Int64, isFirst: Bool) -> Int64 {
        if isFirst { firstNumber -= 1 } else { lastNumber += 1 }
        let number = isFirst ? firstNumber : lastNumber
        // A lane that is put back begins where it began before, although the time has advanced.
        let begins = isFirst ? had[lane] ?? time : max(time, had[lane] ?? 0)
        turns.insert(FairTurn(begins: begins, ends: begins + expected, number: number, lane: lane))
        return number
    }
}
